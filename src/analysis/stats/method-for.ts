import { CtxError } from '#base/errors.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import type { TokenMethod } from '#context/replay/tokens.js';
import { loadTokenizer, type TokenizerName } from '#context/tokenizers/index.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { factorOf } from './calibration.js';
import { type PathSource, PathTally } from './path-tally.js';

interface Wanted {
  readonly tokenizer: TokenizerName;
  readonly baseline: Baseline;
}

/** A tokenizer, ready for a session. Throws a CtxError (input) where that does not say what the tokenizer has to know. */
export async function methodFor(
  session: Session & { readonly readPatch: ReadPatch },
  { tokenizer, baseline }: Wanted,
): Promise<TokenMethod> {
  const { name, isCalibrated, load } = await loadTokenizer(tokenizer);
  const loaded = await load();
  const source = { session, path: activePath(session.tree), readPatch: session.readPatch, baseline, method: loaded };
  const method = isCalibrated ? calibratedFor(source, name) : loaded;
  if (method !== null) return method;
  throw new CtxError('input', `nothing tells how many tokens of ${name} there are`, {
    where: session.file,
    hint: `no request to a Claude model records its tokens; use --tokenizer ${loaded.name}`,
  });
}

/**
 * The method with its counts multiplied by what a session's own requests to Claude say of it; null where no such request
 * records its tokens.
 */
function calibratedFor(source: PathSource, name: string): TokenMethod | null {
  const { method } = source;
  const tally = new PathTally(source);
  for (const step of tally.walked.steps) tally.take(step);
  const samples = tally.samples.filter(({ isOfClaude }) => isOfClaude);
  const factor = factorOf(samples, tally.isPreambleKnown());
  if (factor === null) return null;
  const shown = Number(factor.toPrecision(4));
  return { name: `${name} (${method.name} × ${shown})`, count: (text) => method.count(text) * shown };
}
