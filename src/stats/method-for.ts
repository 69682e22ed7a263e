import type { Baseline } from '../context/baseline.js';
import type { ReadPatch } from '../context/patch-step.js';
import type { TokenMethod } from '../context/tokens.js';
import { CtxError } from '../errors.js';
import type { Session } from '../session/session.js';
import { loadTokenizer, type TokenizerName } from '../tokenizers/index.js';
import { calibratedFor } from './calibrated.js';

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
  const { readPatch } = session;
  const method = isCalibrated ? calibratedFor({ session, readPatch, baseline, method: loaded }, name) : loaded;
  if (method !== null) return method;
  throw new CtxError('input', `nothing tells how many tokens of ${name} there are`, {
    where: session.file,
    hint: `no request to a Claude model records its tokens; use --tokenizer ${loaded.name}`,
  });
}
