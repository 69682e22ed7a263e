import { CtxError } from '#base/errors.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { findTokenizer, type TokenizerName } from '#context/tokenizers/index.js';
import { activePath } from '#session/tree/tree.js';
import { measureCalibrationFactor } from './calibration.js';
import { type MeasuredPath, PathTally } from './path-tally.js';

interface MethodOptions {
  readonly tokenizer: TokenizerName;
  readonly baseline: Baseline;
}

/** Loads a tokenizer for a session. Throws a CtxError (input) if the session lacks the data to calibrate it. */
export async function methodFor(session: OpenSession, { tokenizer, baseline }: MethodOptions): Promise<TokenMethod> {
  const { name, isCalibrated, load } = findTokenizer(tokenizer);
  const loaded = await load();
  const source = { session, path: activePath(session.tree), baseline, method: loaded };
  const method = isCalibrated ? calibrateMethod(source, name) : loaded;
  if (method !== null) return method;
  throw new CtxError('input', 'cannot calibrate: no Claude request records its tokens', {
    where: session.file,
    hint: `use --tokenizer ${loaded.name} instead of ${name}`,
  });
}

/**
 * The method with its counts multiplied by a factor from the session's own requests to Claude; null if no such request
 * records its tokens.
 */
function calibrateMethod(source: MeasuredPath, name: string): TokenMethod | null {
  const { method } = source;
  const tally = new PathTally(source);
  for (const step of tally.walked.steps) tally.take(step);
  const samples = tally.samples.filter((sample) => sample.isOfClaude);
  const factor = measureCalibrationFactor(samples, tally.isPreambleKnown);
  if (factor === null) return null;
  const shown = Number(factor.toPrecision(4));
  return { name: `${name} (${method.name} × ${shown})`, count: (text) => method.count(text) * shown };
}
