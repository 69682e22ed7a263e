import type { CacheBreak } from './document.js';

/** The causes of cache breaks. */
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
  'extension',
  'unexplained',
] as const;

export type BreakClass = (typeof CLASSES)[number];

/** The tokens that a break re-sent: the recorded ones, else the estimated ones. */
export function rebilledBy({ rebilledTokens, rebilledTokensEstimated }: CacheBreak): number {
  return rebilledTokens ?? rebilledTokensEstimated ?? 0;
}
