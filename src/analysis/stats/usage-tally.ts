import type { JsonObject } from '#base/json.js';
import { formatTime, isInPeriod, type Period } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import type { Head } from '#session/heads/head.js';
import type { UsageSource } from './document.js';
import { measureListedCost } from './listed-cost.js';
import { listUsages, type UsageRecord } from './usage-records.js';
import { addUsage, NO_USAGE, type UsageCounts, type UsageSums } from './usage-sums.js';

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

const DAY_MILLISECONDS = 86_400_000;

let lastDay = { number: Number.NaN, date: '' };

/** The UTC date of a time; empty for an invalid time. Most entries are of the day of the one before. */
export function formatDay(time: number): string {
  const number = Math.floor(time / DAY_MILLISECONDS);
  if (number !== lastDay.number) lastDay = { number, date: formatTime(time)?.slice(0, 10) ?? '' };
  return lastDay.date;
}
