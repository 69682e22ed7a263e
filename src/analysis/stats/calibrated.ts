import type { TokenMethod } from '#context/replay/tokens.js';
import { activePath } from '#session/tree/tree.js';
import { factorOf } from './calibration.js';
import { PathTally, type PathSource } from './path-tally.js';

/**
 * The method with its counts multiplied by what a session's own requests to Claude say of it; null where no such request
 * records its tokens.
 */
export function calibratedFor(source: PathSource, name: string): TokenMethod | null {
  const { session, method } = source;
  const path = activePath(session.tree);
  const tally = new PathTally(source, path);
  for (const head of path) tally.step(head, session.entry(head));
  const samples = tally.samples.filter(({ isOfClaude }) => isOfClaude);
  const factor = factorOf(samples, tally.isPreambleKnown());
  if (factor === null) return null;
  const shown = Number(factor.toPrecision(4));
  return { name: `${name} (${method.name} × ${shown})`, count: (text) => method.count(text) * shown };
}
