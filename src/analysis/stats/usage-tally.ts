import type { JsonObject } from '#base/json.js';
import { formatDay } from '#base/local-time.js';
import { isInPeriod, type Period } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import type { Head } from '#session/heads/head.js';
import type { FindGroup } from './call-groups.js';
import { addCostParts, type CostParts, NO_COST_PARTS, splitCost } from './cost-parts.js';
import { measureListedCost } from './listed-cost.js';
import { listUsages, type UsageRecord } from './usage-records.js';
import type { UsageSource } from './usage-sources.js';
import { addUsage, NO_USAGE, type UsageCounts, type UsageSums } from './usage-sums.js';

type Sums = Map<string, UsageSums>;

/** Which usage of a session is counted, and how its calls are told apart. */
export interface UsageTallyOptions {
  /** The period of the entries that are counted. Without a limit, entries without a time count too. */
  readonly period?: Period | null;
  /** The time zone of days; UTC by default. */
  readonly timezone?: string | null;
  readonly findGroup?: FindGroup | null;
}

/** Adds up the recorded usage of entries, each given once. */
export class UsageTally {
  private sum: UsageSums;
  private readonly bySource: Map<UsageSource, UsageSums>;
  private readonly byModel: Sums;
  private readonly byDay: Sums;
  private readonly byGroup: Sums;
  private readonly partsByModel: Map<string, CostParts>;

  /** `before`: the sums of an earlier tally, which this one continues. */
  constructor(
    private readonly priceList: PriceList,
    private readonly how: UsageTallyOptions = {},
    before: Partial<UsageCounts> = {},
  ) {
    this.sum = before.usage ?? NO_USAGE;
    this.bySource = new Map(before.bySource);
    this.byModel = new Map(before.byModel);
    this.byDay = new Map(before.byDay);
    this.byGroup = new Map(before.byGroup);
    this.partsByModel = new Map(before.partsByModel);
  }

  /** Adds the calls that an entry records. */
  take(head: Head, entry: JsonObject): void {
    for (const record of listUsages(head, entry)) this.add(record, head);
  }

  /** Adds a call at the time of an entry. */
  add(record: UsageRecord, { time, line }: Pick<Head, 'time' | 'line'>): void {
    const { period, timezone = null, findGroup } = this.how;
    if (period && !isInPeriod(time, period)) return;
    const { usage, source, model } = record;
    const costListed = measureListedCost(record, this.priceList) ?? 0;
    this.sum = addUsage(this.sum, usage, costListed);
    const addUnder = (sums: Sums, key: string): void => {
      sums.set(key, addUsage(sums.get(key) ?? NO_USAGE, usage, costListed));
    };
    addUnder(this.bySource, source);
    addUnder(this.byModel, model);
    addUnder(this.byDay, formatDay(time, timezone));
    if (findGroup) addUnder(this.byGroup, findGroup(record, time, line));
    const parts = splitCost(record, costListed, this.priceList);
    this.partsByModel.set(model, addCostParts(this.partsByModel.get(model) ?? NO_COST_PARTS, parts));
  }

  sums(): UsageCounts {
    const { sum: usage, bySource, byModel, byDay, byGroup, partsByModel } = this;
    return { usage, bySource, byModel, byDay, byGroup, partsByModel };
  }
}
