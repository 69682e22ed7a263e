import { formatRecordedCost } from '#base/dollars.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { CacheBreak, CacheSummary, RebilledCost } from './document.js';

/** The causes of cache breaks. */
export const BREAK_CLASSES = [
  'compaction',
  'clear',
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
  'agent',
  'tool server',
  'resume',
  'hook context',
  'task notification',
  'messages',
  'floor',
  'provider miss',
  'unexplained',
] as const;

export type BreakClass = (typeof BREAK_CLASSES)[number];

/** The classes of breaks without a cause: a floor describes what was read, and not why. */
const WITHOUT_CAUSE: ReadonlySet<BreakClass> = new Set(['floor', 'provider miss', 'unexplained']);

/** Whether neither the session nor the time explains a break. */
export function isUnexplained({ class: name }: Pick<CacheBreak, 'class'>): boolean {
  return WITHOUT_CAUSE.has(name);
}

/** The classes of breaks that agree with each of the provider's reasons for a miss; the first is the one that it names. */
export const BREAK_CLASSES_BY_REASON: ReadonlyMap<string, readonly BreakClass[]> = new Map([
  ['system_changed', ['system', 'agent', 'resume']],
  ['tools_changed', ['tools', 'tool order', 'tool server', 'agent', 'resume']],
  [
    'messages_changed',
    ['messages', 'compaction', 'clear', 'transform', 'edit', 'branch', 'image', 'hook context', 'resume'],
  ],
  ['model_changed', ['model switch']],
]);

/** The tokens that a break re-sent: the recorded ones, else the estimated ones. */
export function rebilledTokensOf({ rebilledTokens, rebilledTokensEstimated }: CacheBreak): number {
  return rebilledTokens ?? rebilledTokensEstimated ?? 0;
}

/** Whether a cost is known by listed prices alone. */
export function isCostListed({ rebilledCost, rebilledCostListed }: RebilledCost): boolean {
  return rebilledCost === null && rebilledCostListed !== null;
}

/** `unknown` replaces a cost of a model without recorded rates and listed prices. */
export function describeRebilledCost({ rebilledCost, rebilledCostListed }: RebilledCost, unknown?: string): string {
  return formatRecordedCost(rebilledCost, rebilledCostListed, unknown);
}

/** The recorded tokens with their cost, and the estimated ones of breaks without a record. */
export function describeRebilledSum(summary: CacheSummary): string {
  const { rebilledTokens: recorded, rebilledTokensEstimated: estimated } = summary;
  if (recorded === 0 && estimated > 0) return `~${pluralize(estimated, 'token')}, estimated`;
  const more = estimated === 0 ? '' : `; ~${formatCount(estimated)} more, estimated`;
  return `${formatCount(recorded)} tokens, ${describeRebilledCost(summary)}${more}`;
}
