import { asCount, isObject, type JsonObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { listedCost, type PriceList } from '#context/models/prices.js';
import { usageNumbers } from '#context/replay/tokens.js';
import type { Head } from '#session/table/head.js';
import type { UsageSource } from './names.js';
import type { UsageCounts } from './session-stats.js';
import { NO_USAGE, plusUsage, usageOf, type UsageRecord, type UsageSums } from './usage-sums.js';

type Sums = Map<string, UsageSums>;

/** Adds up the recorded usage of entries, each given once. */
export class UsageTally {
  private sum: UsageSums = NO_USAGE;
  private isCostRecorded = false;
  private readonly bySource = new Map<UsageSource, UsageSums>();
  private readonly byModel: Sums = new Map();
  private readonly byDay: Sums = new Map();

  constructor(private readonly priceList: PriceList) {}

  take(head: Head, entry: JsonObject): void {
    const record = usageOf(head, entry);
    if (record === null) return;
    const { usage, source, model } = record;
    const costListed = this.costListed(record);
    this.sum = plusUsage(this.sum, usage, costListed);
    this.isCostRecorded ||= isObject(usage['cost']) && typeof usage['cost']['total'] === 'number';
    const add = (sums: Sums, key: string): void =>
      void sums.set(key, plusUsage(sums.get(key) ?? NO_USAGE, usage, costListed));
    add(this.bySource, source);
    add(this.byModel, model);
    add(this.byDay, dayOf(head.time));
  }

  sums(): UsageCounts {
    const { sum: usage, isCostRecorded, bySource, byModel, byDay } = this;
    return { usage, isCostRecorded, bySource, byModel, byDay };
  }

  /** 0 for a call with a recorded cost. */
  private costListed({ usage, model }: UsageRecord): number {
    const { cost } = usage;
    if (isObject(cost) && Object.values(cost).some((dollars) => asCount(dollars) !== null)) return 0;
    const prices = this.priceList(model);
    if (!prices) return 0;
    const tokens = { ...usageNumbers(usage), cacheWrite1h: asCount(usage['cacheWrite1h']) ?? 0 };
    return listedCost(prices, tokens) ?? 0;
  }
}

const DAY_MILLISECONDS = 86_400_000;
let lastDay = { number: Number.NaN, date: '' };

/** The UTC date; empty for an invalid time. Most entries are of the day of the one before. */
function dayOf(time: number): string {
  const number = Math.floor(time / DAY_MILLISECONDS);
  if (number !== lastDay.number) lastDay = { number, date: timeText(time)?.slice(0, 10) ?? '' };
  return lastDay.date;
}
