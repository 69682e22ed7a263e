import type { Baseline } from '../context/baseline.js';
import type { TokenMethod } from '../context/tokens.js';
import type { OpenSession } from '../open.js';
import { methodFor } from '../stats/method-for.js';
import type { TokenizerName } from '../tokenizers/index.js';

/** A tokenizer that counts each text once: what is shown at one entry is shown again at the next. */
export async function tokensFor(
  session: OpenSession,
  tokenizer: TokenizerName,
  baseline: Baseline = {},
): Promise<TokenMethod> {
  const { name, count } = await methodFor(session, { tokenizer, baseline });
  const known = new Map<string, number>();
  return {
    name,
    count(text) {
      const counted = known.get(text) ?? count(text);
      known.set(text, counted);
      return counted;
    },
  };
}
