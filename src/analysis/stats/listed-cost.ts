import { asCount, isObject, type JsonObject, listObjects } from '#base/json.js';
import { findPriceFactor, readPriceModifiers, searchFees } from '#context/models/modifiers.js';
import { type ModelPrices, type PriceList, priceListed } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { Head } from '#session/heads/head.js';
import type { UsageDocument } from './document.js';
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

/** Dollars of all calls of an entry, as recorded and at listed prices; null where there are none. */
export function sumEntryCosts(
  head: Head,
  entry: JsonObject,
  priceList: PriceList,
): Pick<UsageDocument, 'cost' | 'costListed'> {
  let cost: number | null = null;
  let costListed: number | null = null;
  for (const record of listUsages(head, entry)) {
    const recorded = readUsageNumbers(record.usage).cost;
    if (recorded !== null) cost = (cost ?? 0) + recorded;
    const listed = measureListedCost(record, priceList);
    if (listed !== null) costListed = (costListed ?? 0) + listed;
  }
  return { cost: cost ?? null, costListed: costListed ?? null };
}

/**
 * Each sampling of a call has the price of its own prompt, which may be too short for the higher price of their sum.
 */
function sumSamplings(prices: ModelPrices, usage: JsonObject): number | null {
  const samplings = prices.tiers.length === 0 ? [] : listObjects(usage.samplings);
  let sum = 0;
  for (const one of samplings.length === 0 ? [usage] : samplings) {
    const cost = priceListed(prices, { ...readUsageNumbers(one), cacheWrite1h: readHourCacheWrite(one) ?? 0 });
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}
