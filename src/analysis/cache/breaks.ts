import type { CacheBreak } from './document.js';

/** The reasons for which a request could not use the cache of the request before it. */
export const CLASSES = [
  'compaction',
  'transform',
  'edit',
  'system',
  'tools',
  'tool order',
  'model switch',
  'thinking level',
  'ttl',
  'image',
  'branch',
  'unexplained',
] as const;

export type BreakClass = (typeof CLASSES)[number];

/** The tokens that a break has sent once more: the recorded ones, else the estimated ones. */
export function rebilledBy({ rebilledTokens, rebilledTokensEstimated }: CacheBreak): number {
  return rebilledTokens ?? rebilledTokensEstimated ?? 0;
}
