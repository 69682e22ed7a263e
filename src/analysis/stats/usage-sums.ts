import { formatDollars, formatRecordedCost } from '#base/dollars.js';
import type { JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import type { CostParts } from './cost-parts.js';
import type { UsageDocument } from './document.js';
import type { UsageSource } from './usage-sources.js';

/** The recorded usage of one session or several. */
export interface UsageCounts {
  readonly usage: UsageSums;
  readonly bySource: ReadonlyMap<UsageSource, UsageSums>;
  readonly byModel: ReadonlyMap<string, UsageSums>;
  /** The sums by the date of the entries, in UTC or the given time zone; empty if no entry has a time. */
  readonly byDay: ReadonlyMap<string, UsageSums>;
  /** The sums by the groups of a `CallGrouping`; empty without a grouping. */
  readonly byGroup: ReadonlyMap<string, UsageSums>;
  /** The parts of the cost of each model. */
  readonly partsByModel: ReadonlyMap<string, CostParts>;
}

/** States that the recorded usage of a session is too low. */
export const PARTIAL_USAGE =
  'the cost is at least the one shown: of some answers only the usage at their beginning is recorded, without their output';

/** Tokens and dollars as providers reported them, added up. */
export interface UsageSums {
  /** Calls with a reported usage. */
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Dollars; null if no call records a cost. */
  readonly cost: number | null;
  /** Dollars of the calls without a recorded cost, at the listed prices of their models; 0 if they are unknown. */
  readonly costListed: number;
}

export const NO_USAGE: UsageSums = {
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: null,
  costListed: 0,
};

type TokenSums = Pick<UsageSums, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;

/** Input, output, and tokens read from and written to a cache: Pi's total, which ignores `totalTokens`. */
export function sumTokensUsed({ input, output, cacheRead, cacheWrite }: TokenSums): number {
  return input + output + cacheRead + cacheWrite;
}

/** Dollars, recorded and listed. */
export function sumKnownCost({ cost, costListed }: Pick<UsageDocument, 'cost' | 'costListed'>): number {
  return (cost ?? 0) + (costListed ?? 0);
}

/** The number of calls whose cost is unknown, of usage by model. */
export function countUnpricedCalls(models: readonly UsageDocument[]): number {
  return sumBy(models, ({ cost, costListed, total, calls }) =>
    (cost ?? costListed) === null && total > 0 ? calls : 0,
  );
}

/** The cost of calls: `~` if a part of it is at listed prices. `unknown` replaces an unknown one. */
export function describeUsageCost(usage: Pick<UsageDocument, 'cost' | 'costListed'>, unknown?: string): string {
  return usage.costListed === null ? formatDollars(usage.cost, unknown) : formatRecordedCost(null, sumKnownCost(usage));
}

/** The sums in JSON. No calls cost nothing. */
export function toUsageDocument(sums: UsageSums): UsageDocument {
  return {
    ...sums,
    total: sumTokensUsed(sums),
    cost: sums.calls === 0 ? (sums.cost ?? 0) : sums.cost,
    costListed: sums.costListed > 0 ? sums.costListed : null,
  };
}

export function addUsage(sums: UsageSums, usage: JsonObject, costListed = 0): UsageSums {
  const { input, output, cacheRead, cacheWrite, cost } = readUsageNumbers(usage);
  return addUsageSums(sums, { calls: 1, input, output, cacheRead, cacheWrite, cost, costListed });
}

export function sumUsage(all: readonly UsageSums[]): UsageSums {
  return all.reduce(addUsageSums, NO_USAGE);
}

export function addUsageSums(some: UsageSums, others: UsageSums): UsageSums {
  return {
    calls: some.calls + others.calls,
    input: some.input + others.input,
    output: some.output + others.output,
    cacheRead: some.cacheRead + others.cacheRead,
    cacheWrite: some.cacheWrite + others.cacheWrite,
    cost: some.cost === null || others.cost === null ? (some.cost ?? others.cost) : some.cost + others.cost,
    costListed: some.costListed + others.costListed,
  };
}
