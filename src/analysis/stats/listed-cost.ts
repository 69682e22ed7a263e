import { asCount, isObject, type JsonObject, listObjects } from '#base/json.js';
import { findPriceFactor, readPriceModifiers, searchFees } from '#context/models/modifiers.js';
import { type ModelPrices, type PriceList, priceListed } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { Head } from '#session/heads/head.js';
import { listUsages, type UsageRecord } from './usage-records.js';

/** Dollars of a call at the listed prices of its model; null for one with a recorded cost, or without such prices. */
export function measureListedCost({ usage, model }: UsageRecord, priceList: PriceList): number | null {
  if (hasCost(usage)) return null;
  const prices = priceList(model);
  const modifiers = readPriceModifiers(usage);
  const factor = prices && findPriceFactor(model, modifiers);
  const tokens = prices && sumSamplings(prices, usage);
  return factor === null || tokens === null ? null : factor * tokens + searchFees(modifiers);
}

function hasCost({ cost }: JsonObject): boolean {
  return isObject(cost) && Object.values(cost).some((part) => asCount(part) !== null);
}

/** The dollars of all calls of an entry. */
export interface EntryCosts {
  /** Recorded; null if no call records a cost. */
  readonly cost: number | null;
  /** At listed prices, of the calls without a recorded cost; null if none of them has a price. */
  readonly costListed: number | null;
}

export function sumEntryCosts(head: Head, entry: JsonObject, priceList: PriceList): EntryCosts {
  let cost: number | null = null;
  let costListed: number | null = null;
  for (const record of listUsages(head, entry)) {
    const recorded = readUsageNumbers(record.usage).cost;
    if (recorded !== null) cost = (cost ?? 0) + recorded;
    const listed = measureListedCost(record, priceList);
    if (listed !== null) costListed = (costListed ?? 0) + listed;
  }
  return { cost, costListed };
}

function sumSamplings(prices: ModelPrices, usage: JsonObject): number | null {
  let sum = 0;
  for (const counted of listPricedCounts(prices, usage)) {
    const cost = priceListed(prices, { ...readUsageNumbers(counted), cacheWrite1h: readHourCacheWrite(counted) ?? 0 });
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

/**
 * Lists the counts of a call that are priced apart. Where long prompts cost more, these are its samplings: the prompt of
 * each may be too short for the higher price of their sum.
 */
export function listPricedCounts({ tiers }: ModelPrices, usage: JsonObject): readonly JsonObject[] {
  const samplings = tiers.length === 0 ? [] : listObjects(usage.samplings);
  return samplings.length === 0 ? [usage] : samplings;
}
