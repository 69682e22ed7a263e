import type { RequestTarget } from '#context/request/wire-messages.js';
import { NOISE_TOKENS } from './options.js';
import type { PromptUsage } from './recorded-answer.js';

/** The prompt of a request that a later one is compared with, as in Pi. */
export interface EarlierPrompt {
  readonly prompt: number;
  /** Whether any request so far has reported a use of the cache. */
  readonly reportedCache: boolean;
}

/** The tokens of the previous request that were not read from the cache, even if few. */
export function countUnreadTokens(
  before: Pick<EarlierPrompt, 'prompt'>,
  { promptTokens, cacheRead }: PromptUsage,
): number {
  return Math.max(0, Math.min(before.prompt, promptTokens) - cacheRead);
}

/** The tokens of a cache miss by Pi's own rule; null if it counts none. */
export function countMissedTokens(before: EarlierPrompt | null, usage: PromptUsage): number | null {
  if (before === null || (usage.cacheRead + usage.cacheWrite === 0 && !before.reportedCache)) return null;
  const missed = Math.min(before.prompt, usage.promptTokens) - usage.cacheRead;
  return missed > NOISE_TOKENS ? missed : null;
}

export function toEarlierPrompt(usage: PromptUsage, before: EarlierPrompt | null): EarlierPrompt {
  const reportedCache = (before?.reportedCache ?? false) || usage.cacheRead + usage.cacheWrite > 0;
  return { prompt: usage.promptTokens, reportedCache };
}

/** The steps of 128 tokens by which the cache may be behind, for a provider or an API that caches by best effort. */
const BEST_EFFORT: readonly { readonly of: RegExp; readonly tokens: number }[] = [{ of: /openai/, tokens: 32 * 128 }];

/** Whether a request read a little less than it could because the cache of its machine is behind. */
export function isCacheBehind({ provider, api }: RequestTarget, before: EarlierPrompt, usage: PromptUsage): boolean {
  const behind = BEST_EFFORT.find(({ of }) => of.test(provider ?? '') || of.test(api ?? ''));
  return behind !== undefined && countUnreadTokens(before, usage) <= behind.tokens;
}

/**
 * Whether a request read more than half of the previous one, without the tokens of tools and system prompt: other
 * sessions share these, so they are read even after the messages have expired.
 */
export function isMostlyRead(
  before: Pick<EarlierPrompt, 'prompt'>,
  { promptTokens, cacheRead }: PromptUsage,
  shared: number,
): boolean {
  return 2 * cacheRead > Math.min(before.prompt, promptTokens) + shared;
}
