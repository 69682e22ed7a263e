import { asObject, type JsonObject } from '#base/json.js';
import { findPriceFactor, readPriceModifiers, searchFees } from '#context/models/modifiers.js';
import { type ModelPrices, type PriceList, priceListedParts, type TokenCosts } from '#context/models/prices.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import { listPricedCounts } from './listed-cost.js';
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

/** Divides the cost of a call: the recorded one, else `costListed`, which it has at listed prices. */
export function splitCost({ usage, model }: UsageRecord, costListed: number, priceList: PriceList): CostParts {
  const tokens = countPartTokens(usage);
  const costRecorded = readUsageNumbers(usage).cost;
  if (costRecorded === null && costListed === 0) return { ...NO_COST_PARTS, tokens };
  if (costRecorded !== null) {
    const dollars = readRecordedParts(usage, costRecorded, () => priceList(model));
    if (dollars) return { tokens, dollars, inferred: 0 };
  }
  const cost = costRecorded ?? costListed;
  const listed = priceParts(usage, model, priceList(model));
  const dollars = listed && scaleTo(listed, cost);
  if (!dollars) return { tokens, dollars: { ...NOTHING, other: cost }, inferred: 0 };
  return { tokens, dollars, inferred: costRecorded ?? 0 };
}

/** Parts in the same proportions with another sum. Where there are none, the sum is `other`. */
export function scaleCostParts(parts: CostParts, sum: number): CostParts {
  const dollars = scaleTo(parts.dollars, sum) ?? { ...parts.dollars, other: sum };
  return { ...parts, dollars };
}

function countPartTokens(usage: JsonObject): PartNumbers {
  const { input, output, cacheRead, cacheWrite } = readUsageNumbers(usage);
  return { ...NOTHING, input, output, cacheRead, ...splitWrites(usage, cacheWrite, EQUAL) };
}

/** The weight of a written token that the cache keeps for five minutes, and of one that it keeps for an hour. */
interface WriteWeights {
  readonly minutes: number;
  readonly hour: number;
}

const EQUAL: WriteWeights = { minutes: 1, hour: 1 };

/** Divides an amount, the tokens or dollars of a call's cache writes, by their lifetimes. */
function splitWrites(
  usage: JsonObject,
  amount: number,
  weights: WriteWeights,
): Pick<PartNumbers, 'cacheWrite' | 'cacheWrite5m' | 'cacheWrite1h'> {
  const hourTokens = readHourCacheWrite(usage);
  if (hourTokens === null) return { cacheWrite: amount, cacheWrite5m: 0, cacheWrite1h: 0 };
  if (hourTokens === 0) return { cacheWrite: 0, cacheWrite5m: amount, cacheWrite1h: 0 };
  const hour = hourTokens * weights.hour;
  const minutes = (readUsageNumbers(usage).cacheWrite - hourTokens) * weights.minutes;
  const hourShare = hour / (hour + minutes);
  return { cacheWrite: 0, cacheWrite5m: amount * (1 - hourShare), cacheWrite1h: amount * hourShare };
}

/** Reads the parts that Pi records beside their sum `total`; null where only the sum is recorded. */
function readRecordedParts(usage: JsonObject, total: number, prices: () => ModelPrices | null): PartNumbers | null {
  const { input, output, cacheRead, cacheWrite } = readUsageNumbers({ ...asObject(usage.cost) });
  const sum = input + output + cacheRead + cacheWrite;
  if (sum === 0) return total === 0 ? NOTHING : null;
  const weights = readHourCacheWrite(usage) ? weighWrites(prices()) : EQUAL;
  const parts = { ...NOTHING, input, output, cacheRead, ...splitWrites(usage, cacheWrite, weights) };
  const rest = total - sum;
  if (Math.abs(rest) < ROUNDING * total) return parts;
  return rest > 0 ? { ...parts, other: rest } : scaleTo(parts, total);
}

/** The share of a total below which a difference comes from rounding. */
const ROUNDING = 1e-9;

/** The prices that Anthropic charges for a written token, in prices of a token of input. */
const ANTHROPIC_WRITES: WriteWeights = { minutes: 1.25, hour: 2 };

/** Weighs written tokens by their prices. Lists have no price for an hour, which is the same for all models. */
function weighWrites(prices: ModelPrices | null): WriteWeights {
  if (!prices?.cacheWrite || !prices.input) return ANTHROPIC_WRITES;
  return { ...ANTHROPIC_WRITES, minutes: prices.cacheWrite / prices.input };
}

/** Prices the parts from the list; null for a model without prices, or with a tier of service that has none. */
function priceParts(usage: JsonObject, model: string, prices: ModelPrices | null): PartNumbers | null {
  const modifiers = readPriceModifiers(usage);
  const factor = findPriceFactor(model, modifiers);
  if (prices === null || factor === null) return null;
  let parts: PartNumbers = { ...NOTHING, other: searchFees(modifiers) };
  for (const counted of listPricedCounts(prices, usage)) {
    const cacheWrite1h = readHourCacheWrite(counted);
    const costs = priceListedParts(prices, { ...readUsageNumbers(counted), cacheWrite1h: cacheWrite1h ?? 0 });
    if (costs === null) return null;
    parts = addNumbers(parts, toParts(costs, factor, cacheWrite1h !== null));
  }
  return parts;
}

/** The dollars of a call by its parts. `isSplit`: the usage records the lifetimes of cache writes. */
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

/** Multiplies parts by one factor, so that they add up to a sum; null if they are all 0, or the sum is negative. */
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
