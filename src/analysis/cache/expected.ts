import type { Divergence, Preamble, Prompt } from './prompt.js';
import type { PromptUsage } from './recorded.js';
import type { CacheOptions } from './request.js';

/** A request before, as it was sent and as it was billed. */
interface Known {
  readonly before: Pick<Prompt, 'tokens'>;
  readonly divergence: Pick<Divergence, 'tokens'> | null;
  readonly recorded: { readonly prompt: number };
  /** Tokens of tools and system prompt that the session does not record. */
  readonly hidden: number;
  /** Recorded tokens of the request itself, Infinity where there are none: more than all of it cannot be read. */
  readonly most: number;
}

/**
 * How many tokens a provider that caches the whole of every prompt could read of the one before. Of a prompt that
 * stays, the recorded number is taken; of one that parts, the share that the estimate gives.
 */
export function expectedRead(
  { before, divergence, recorded, hidden, most }: Known,
  { block, minimum }: CacheOptions,
): number {
  const known = Math.max(0, recorded.prompt - hidden);
  const share = divergence === null || before.tokens === 0 ? 1 : divergence.tokens / before.tokens;
  const common = divergence === null ? recorded.prompt : Math.min(hidden, recorded.prompt) + known * share;
  const whole = Math.floor(Math.min(common, most) / block) * block;
  return whole < minimum ? 0 : whole;
}

/** What the first recorded prompt holds beyond what the session records, where that is neither tools nor a prompt. */
export function hiddenTokens(
  { preamble, tokens }: { readonly preamble: Pick<Preamble, 'tokens'>; readonly tokens: number },
  usage: PromptUsage,
): number {
  return preamble.tokens > 0 ? 0 : Math.max(0, usage.prompt - tokens);
}
