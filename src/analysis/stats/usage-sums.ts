import { formatDollars, formatRecordedCost } from '#base/dollars.js';
import { asCount, asObject, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { formatTime, isInPeriod, type Period } from '#base/time.js';
import { priceFactor, readPriceModifiers, searchFees } from '#context/models/modifiers.js';
import { listedCost, type ModelPrices, type PriceList } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/tokens.js';
import { findUsage, type Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { UsageDocument } from './document.js';
import type { UsageCounts, UsageSource } from './session-stats.js';

/** States that the recorded usage of a session is too low. */
export const PARTIAL_USAGE =
  'some answers have only the usage that the provider sent at their beginning: output is missing, so the cost was at least that';

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

/** A usage that is included in Pi's totals. */
export interface UsageRecord {
  readonly source: UsageSource;
  /** `provider/model` if the entry has it; usage of tools and summaries has no model of its own. */
  readonly model: string;
  readonly usage: JsonObject;
}

/** The row of Pi's cost breakdown for usage without a model. */
export const NO_MODEL = 'Tools/summaries';

/** The usage that an entry records; null for the zeros of an answer without one, or that no provider gave. */
export function readRecordedUsage(head: Head, entry: JsonObject): JsonObject | null {
  const usage = findUsage(entry);
  const isLocal = head.role === 'assistant' && !answersRequest(head);
  return isLocal || !isRecorded(usage) ? null : usage;
}

/**
 * The calls whose usage an entry adds to the totals, those of Pi: none for most entries. An answer of Anthropic may
 * contain calls of other models, which are not part of its own usage.
 */
export function listUsages(head: Head, entry: JsonObject): readonly UsageRecord[] {
  const own = usageOf(head, entry);
  if (own === null) return NO_RECORDS;
  const others = listObjects(own.usage['sideCalls']);
  if (others.length === 0) return [own];
  const { provider, model } = asObject(entry['message']);
  const side = others.map((call): UsageRecord => {
    const source = call['type'] === 'compaction' ? 'compactions' : 'side calls';
    return { source, model: modelKey(call['provider'] ?? provider, call['model'] ?? model), usage: call };
  });
  return [own, ...side];
}

const NO_RECORDS: readonly UsageRecord[] = [];

function usageOf(head: Head, entry: JsonObject): UsageRecord | null {
  const { type, role } = head;
  if (type === 'message') {
    const message = asObject(entry['message']);
    const { usage, provider, model, responseModel } = message;
    if (!isRecorded(usage)) return null;
    if (answersRequest(head)) return { source: 'requests', model: modelKey(provider, responseModel ?? model), usage };
    return role === 'toolResult' ? { source: 'tools', model: NO_MODEL, usage } : null;
  }
  const { usage, provider, model, kind } = entry;
  if (!isRecorded(usage)) return null;
  switch (type) {
    case 'compaction':
      return { source: 'compactions', model: NO_MODEL, usage };
    case 'branch_summary':
      return { source: 'branch summaries', model: NO_MODEL, usage };
    case 'usage':
      return { source: kind === 'cache_warm' ? 'cache warming' : 'other', model: modelKey(provider, model), usage };
    // oh-my-pi records calls for titles, classifiers and the like.
    case 'model_usage':
      return { source: 'side calls', model: modelKey(provider, model), usage };
    default:
      return null;
  }
}

/** An import marks the zeros that it gives to an answer without recorded tokens. */
function isRecorded(usage: unknown): usage is JsonObject {
  return isObject(usage) && usage['notRecorded'] !== true;
}

/** A provider or model that is not recorded is `?`, as in `ctx cache`. */
function modelKey(provider: unknown, model: unknown): string {
  return `${asText(provider ?? '?')}/${asText(model ?? '?')}`;
}

type Sums = Map<string, UsageSums>;

/** Adds up the recorded usage of entries, each given once. */
export class UsageTally {
  private sum: UsageSums = NO_USAGE;
  private readonly bySource = new Map<UsageSource, UsageSums>();
  private readonly byModel: Sums = new Map();
  private readonly byDay: Sums = new Map();

  /** `period`: of the entries that are counted; those without a time are, unless it is limited. */
  constructor(
    private readonly priceList: PriceList,
    private readonly period: Period | null = null,
  ) {}

  take(head: Head, entry: JsonObject): void {
    for (const record of listUsages(head, entry)) this.add(record, head.time);
  }

  /** Adds a call at a time, in milliseconds since 1970. */
  add(record: UsageRecord, time: number): void {
    if (this.period && !isInPeriod(time, this.period)) return;
    const { usage, source, model } = record;
    const costListed = measureListedCost(record, this.priceList) ?? 0;
    this.sum = addUsage(this.sum, usage, costListed);
    const add = (sums: Sums, key: string): void =>
      void sums.set(key, addUsage(sums.get(key) ?? NO_USAGE, usage, costListed));
    add(this.bySource, source);
    add(this.byModel, model);
    add(this.byDay, formatDay(time));
  }

  sums(): UsageCounts {
    const { sum: usage, bySource, byModel, byDay } = this;
    return { usage, bySource, byModel, byDay };
  }
}

/** Dollars of a call at the listed prices of its model; null for one with a recorded cost, or without such prices. */
export function measureListedCost({ usage, model }: UsageRecord, priceList: PriceList): number | null {
  if (hasCost(usage)) return null;
  const prices = priceList(model);
  const modifiers = readPriceModifiers(usage);
  const factor = prices && priceFactor(model, modifiers);
  const tokens = prices && costOfTokens(prices, usage);
  return factor === null || tokens === null ? null : factor * tokens + searchFees(modifiers);
}

function hasCost({ cost }: JsonObject): boolean {
  return isObject(cost) && Object.values(cost).some((part) => asCount(part) !== null);
}

/** Dollars of all calls of an entry, as recorded and at listed prices; null where there are none. */
export function sumEntryCosts(
  head: Head,
  entry: JsonObject,
  priceList: PriceList,
): Pick<UsageDocument, 'cost' | 'costListed'> {
  let [cost, costListed]: (number | null)[] = [null, null];
  for (const record of listUsages(head, entry)) {
    const recorded = readUsageNumbers(record.usage).cost;
    if (recorded !== null) cost = (cost ?? 0) + recorded;
    const listed = measureListedCost(record, priceList);
    if (listed !== null) costListed = (costListed ?? 0) + listed;
  }
  return { cost: cost ?? null, costListed: costListed ?? null };
}

/** Each sampling of a call has the price of its own prompt, which may be too short for the higher price of their sum. */
function costOfTokens(prices: ModelPrices, usage: JsonObject): number | null {
  const samplings = prices.tiers.length === 0 ? [] : listObjects(usage['samplings']);
  let sum = 0;
  for (const one of samplings.length === 0 ? [usage] : samplings) {
    const cost = listedCost(prices, { ...readUsageNumbers(one), cacheWrite1h: readHourCacheWrite(one) ?? 0 });
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

const DAY_MILLISECONDS = 86_400_000;
let lastDay = { number: Number.NaN, date: '' };

/** The UTC date of a time; empty for an invalid time. Most entries are of the day of the one before. */
export function formatDay(time: number): string {
  const number = Math.floor(time / DAY_MILLISECONDS);
  if (number !== lastDay.number) lastDay = { number, date: formatTime(time)?.slice(0, 10) ?? '' };
  return lastDay.date;
}
