import { methodFor } from '#analysis/stats/path-tally.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { TokenMethod } from '#context/replay/tokens.js';
import type { TokenizerName } from '#context/tokenizers/index.js';

/** A tokenizer with a memory of counted texts, since one context repeats those of the one before. */
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
