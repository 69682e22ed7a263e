import type { Target } from '#context/request/wire-messages.js';
import { type EarlierPrompt, type PromptUsage, unreadTokens } from './recorded.js';

/** The way in which a provider caches prompts. */
interface Caching {
  /** Matches the provider, or the API, of a request. */
  readonly of: RegExp;
  /** The step in tokens in which a cached prefix grows. */
  readonly step: number;
  /** The number of steps by which the cache may be behind the newest request. */
  readonly steps: number;
}

/** The providers that cache by best effort: the newest part of a prompt is often stored too late for the next one. */
const BEST_EFFORT: readonly Caching[] = [{ of: /openai/, step: 128, steps: 32 }];

/**
 * Whether a request read a little less than it could because the cache is behind: it read no less than the previous
 * request, so no cached prefix was lost.
 */
export function isBehind({ provider, api }: Target, before: EarlierPrompt, usage: PromptUsage): boolean {
  const caching = BEST_EFFORT.find(({ of }) => of.test(provider ?? '') || of.test(api ?? ''));
  if (!caching) return false;
  const { step, steps } = caching;
  return unreadTokens(before, usage) <= step * steps && usage.cacheRead > before.cacheRead - step;
}
