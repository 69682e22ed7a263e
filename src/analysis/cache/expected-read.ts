import type { Divergence } from './document.js';
import type { CacheOptions } from './options.js';
import type { Preamble, Prompt } from './prompt.js';
import type { PromptUsage } from './recorded-answer.js';

/** A previous request, as sent and as billed. */
interface EarlierRequest {
  readonly before: Pick<Prompt, 'tokens'>;
  readonly divergence: Pick<Divergence, 'prefixTokensEstimated'> | null;
  readonly recorded: { readonly prompt: number };
  /** Tokens of tools and system prompt that the session does not record. */
  readonly hidden: number;
  /** Recorded tokens of the request itself, Infinity if there are none: an upper limit of cache reads. */
  readonly most: number;
}

/**
 * The tokens of the previous prompt that a provider could read if it caches every prompt whole. An unchanged prompt
 * counts with its recorded number, a changed one with the share in the estimate.
 */
export function countExpectedRead(
  { before, divergence, recorded, hidden, most }: EarlierRequest,
  { block, minimum }: CacheOptions,
): number {
  let common = recorded.prompt;
  if (divergence !== null) {
    const share = before.tokens === 0 ? 1 : divergence.prefixTokensEstimated / before.tokens;
    const visible = Math.max(0, recorded.prompt - hidden);
    common = Math.min(hidden, recorded.prompt) + visible * share;
  }
  const inBlocks = Math.floor(Math.min(common, most) / block) * block;
  return inBlocks < minimum ? 0 : inBlocks;
}

/**
 * The tokens by which the first recorded prompt exceeds its messages, if the session records neither tools nor prompt.
 */
export function countHiddenTokens(
  { preamble, tokens }: { readonly preamble: Pick<Preamble, 'tokens'>; readonly tokens: number },
  usage: PromptUsage,
): number {
  return preamble.tokens > 0 ? 0 : Math.max(0, usage.promptTokens - tokens);
}
