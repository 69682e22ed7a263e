import { asObject, type JsonObject, listObjects } from '#base/json.js';
import { findPriceFactor, readPriceModifiers, searchFees } from '#context/models/modifiers.js';
import { type ModelPrices, type PriceList, priceListedParts, type TokenCosts } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { UsageRecord } from './usage-records.js';

/**
 * The parts of a cost, by what was paid for. A cache write without a recorded lifetime is `cacheWrite`. `other` is what
 * is no token, such as searches, and what is recorded as one sum of unknown parts.
 */
export const COST_PARTS = [
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'cacheWrite',
  'input',
  'output',
  'other',
] as const;

export type CostPart = (typeof COST_PARTS)[number];

type PartNumbers = Readonly<Record<CostPart, number>>;

/** The tokens and the dollars of each part of calls. */
export interface CostParts {
  readonly tokens: PartNumbers;
  readonly dollars: PartNumbers;
  /** The dollars whose parts are not recorded, and follow the listed prices of the model. */
  readonly inferred: number;
}

const NOTHING = Object.fromEntries(COST_PARTS.map((part) => [part, 0])) as PartNumbers;

export const NO_COST_PARTS: CostParts = { tokens: NOTHING, dollars: NOTHING, inferred: 0 };

export function addCostParts(some: CostParts, others: CostParts): CostParts {
  return {
    tokens: addNumbers(some.tokens, others.tokens),
    dollars: addNumbers(some.dollars, others.dollars),
    inferred: some.inferred + others.inferred,
  };
}

/** The dollars of all parts together. */
export function sumDollars({ dollars }: Pick<CostParts, 'dollars'>): number {
  return COST_PARTS.reduce((sum, part) => sum + dollars[part], 0);
}

/** Divides the cost of a call: as recorded, else at listed prices, which `costListed` sums up. */
export function splitCost({ usage, model }: UsageRecord, costListed: number, priceList: PriceList): CostParts {
  const tokens = countPartTokens(usage);
  const total = readUsageNumbers(usage).cost;
  if (total === null && costListed === 0) return { ...NO_COST_PARTS, tokens };
  const recorded = total === null ? null : readRecordedParts(usage, total, () => priceList(model));
  if (recorded) return { tokens, dollars: recorded, inferred: 0 };
  const cost = total ?? costListed;
  const listed = priceParts(usage, model, priceList(model));
  const dollars = listed ? scaleTo(listed, cost) : null;
  return { tokens, dollars: dollars ?? { ...NOTHING, other: cost }, inferred: dollars && total !== null ? cost : 0 };
}

/** Parts in the same proportions with another sum. */
export function scaleCostParts(parts: CostParts, sum: number): CostParts {
  const dollars = scaleTo(parts.dollars, sum);
  return dollars ? { ...parts, dollars } : { ...parts, dollars: { ...parts.dollars, other: sum } };
}

function countPartTokens(usage: JsonObject): PartNumbers {
  const { input, output, cacheRead, cacheWrite } = readUsageNumbers(usage);
  return { ...NOTHING, input, output, cacheRead, ...splitWrites(usage, cacheWrite, EQUAL) };
}

/** The weight of a token that is kept for five minutes, and of one that is kept for an hour. */
interface WriteWeights {
  readonly short: number;
  readonly long: number;
}

const EQUAL: WriteWeights = { short: 1, long: 1 };

/** Divides a number of a call's cache writes by their lifetimes. */
function splitWrites(
  usage: JsonObject,
  number: number,
  { short, long }: WriteWeights,
): Pick<PartNumbers, 'cacheWrite' | 'cacheWrite5m' | 'cacheWrite1h'> {
  const hour = readHourCacheWrite(usage);
  if (hour === null) return { cacheWrite: number, cacheWrite5m: 0, cacheWrite1h: 0 };
  const rest = (readUsageNumbers(usage).cacheWrite - hour) * short;
  const share = hour === 0 ? 0 : (hour * long) / (hour * long + rest);
  return { cacheWrite: 0, cacheWrite5m: number * (1 - share), cacheWrite1h: number * share };
}

/** The parts that Pi records; null where only their sum is recorded. */
function readRecordedParts(usage: JsonObject, total: number, prices: () => ModelPrices | null): PartNumbers | null {
  const { input, output, cacheRead, cacheWrite } = readUsageNumbers({ ...asObject(usage.cost) });
  const sum = input + output + cacheRead + cacheWrite;
  if (sum === 0) return total === 0 ? NOTHING : null;
  const weights = readHourCacheWrite(usage) ? weighWrites(prices()) : EQUAL;
  const parts = { ...NOTHING, input, output, cacheRead, ...splitWrites(usage, cacheWrite, weights) };
  const rest = total - sum;
  if (Math.abs(rest) < LEAST_SHARE * total) return parts;
  return rest > 0 ? { ...parts, other: rest } : scaleTo(parts, total);
}

/** Smaller differences come from rounding. */
const LEAST_SHARE = 1e-9;

/** The prices of a token that is kept for five minutes and of one that is kept for an hour, by the price of input. */
function weighWrites(prices: ModelPrices | null): WriteWeights {
  const listedShare = prices?.cacheWrite && prices.input ? prices.cacheWrite / prices.input : null;
  return { short: listedShare ?? 1.25, long: 2 };
}

/** The parts at listed prices; null for a model or a tier without them. */
function priceParts(usage: JsonObject, model: string, prices: ModelPrices | null): PartNumbers | null {
  const modifiers = readPriceModifiers(usage);
  const factor = findPriceFactor(model, modifiers);
  if (prices === null || factor === null) return null;
  const samplings = prices.tiers.length === 0 ? [] : listObjects(usage.samplings);
  let parts: PartNumbers = { ...NOTHING, other: searchFees(modifiers) };
  for (const one of samplings.length === 0 ? [usage] : samplings) {
    const cacheWrite1h = readHourCacheWrite(one);
    const costs = priceListedParts(prices, { ...readUsageNumbers(one), cacheWrite1h: cacheWrite1h ?? 0 });
    if (costs === null) return null;
    parts = addNumbers(parts, toParts(costs, factor, cacheWrite1h !== null));
  }
  return parts;
}

function toParts(costs: TokenCosts, factor: number, isSplit: boolean): PartNumbers {
  const cacheWrite = factor * costs.cacheWrite;
  return {
    ...NOTHING,
    input: factor * costs.input,
    output: factor * costs.output,
    cacheRead: factor * costs.cacheRead,
    cacheWrite: isSplit ? 0 : cacheWrite,
    cacheWrite5m: isSplit ? cacheWrite : 0,
    cacheWrite1h: factor * costs.cacheWrite1h,
  };
}

/** null if the parts are all 0, or the sum is negative. */
function scaleTo(parts: PartNumbers, sum: number): PartNumbers | null {
  const all = COST_PARTS.reduce((total, part) => total + parts[part], 0);
  if (all <= 0 || sum < 0) return null;
  return mapParts((part) => (parts[part] / all) * sum);
}

function addNumbers(some: PartNumbers, others: PartNumbers): PartNumbers {
  return mapParts((part) => some[part] + others[part]);
}

function mapParts(of: (part: CostPart) => number): PartNumbers {
  return Object.fromEntries(COST_PARTS.map((part) => [part, of(part)])) as PartNumbers;
}
