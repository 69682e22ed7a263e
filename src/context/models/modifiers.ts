import { asCount, asString, type JsonObject } from '#base/json.js';

/** The facts beside its tokens that change the price of a call. */
export interface PriceModifiers {
  /** `fast` for the fast mode of Anthropic. */
  readonly speed?: string;
  /** The region in which the model ran, such as `us`. */
  readonly inferenceGeo?: string;
  /** The tier that served the call, such as `batch`, `flex` or `priority`. */
  readonly serviceTier?: string;
  /** Searches of the provider's own tool. */
  readonly webSearches?: number;
}

/** The modifiers in a `usage`, where importers keep them under these names; null if it has none. */
export function readPriceModifiers(usage: JsonObject): PriceModifiers | null {
  const { speed, inferenceGeo, serviceTier, webSearches } = usage;
  if ((speed ?? inferenceGeo ?? serviceTier ?? webSearches) === undefined) return null;
  const texts = Object.entries({ speed, inferenceGeo, serviceTier }).flatMap(([key, value]) => {
    const text = asString(value)?.toLowerCase() ?? null;
    return text === null || USUAL.has(text) ? [] : [[key, text] as const];
  });
  const searches = asCount(webSearches) ?? 0;
  if (texts.length === 0 && searches <= 0) return null;
  return { ...Object.fromEntries(texts), ...(searches > 0 && { webSearches: searches }) };
}

/**
 * The values with which a call has the plain listed price. Anthropic's priority tier draws on tokens that are paid in
 * advance.
 */
const USUAL: ReadonlySet<string> = new Set(['', 'standard', 'default', 'auto', 'global', 'not_available', 'on_demand']);

/** The number by which a modified call's tokens cost more than listed; null if no published price is known. */
export function findPriceFactor(model: string, modifiers: PriceModifiers | null): number | null {
  if (modifiers === null) return 1;
  const { speed, inferenceGeo, serviceTier } = modifiers;
  const tier = serviceTier === undefined ? 1 : findTierFactor(model, serviceTier);
  if (tier === null) return null;
  const fast = speed === FAST ? findFastFactor(model) : 1;
  const region = inferenceGeo === US ? US_FACTOR : 1;
  return tier * fast * region;
}

/**
 * Dollars for what a call used beside tokens. Anthropic charges $10 for 1,000 searches, whatever else changes its
 * price.
 */
export function searchFees(modifiers: PriceModifiers | null): number {
  return (modifiers?.webSearches ?? 0) * DOLLARS_PER_SEARCH;
}

const DOLLARS_PER_SEARCH = 0.01;

const FAST = 'fast';
const US = 'us';
/** Anthropic charges this for a model that has to run in the United States. */
const US_FACTOR = 1.1;

/** Fast mode cost six times the standard price with Opus 4.6 and 4.7, and costs twice that with each model since. */
function findFastFactor(model: string): number {
  return /opus-4[-.][67]\b/.test(model) ? 6 : 2;
}

/** The published prices of the tiers of OpenAI, Anthropic and Google, by the standard price. */
function findTierFactor(model: string, tier: string): number | null {
  if (tier === 'batch') return 0.5;
  if (/claude/i.test(model)) return tier === 'priority' ? 1 : null;
  if (tier === 'flex') return 0.5;
  if (tier !== 'priority' && tier !== FAST) return null;
  return PRIORITY.find(([pattern]) => pattern.test(model))?.[1] ?? null;
}

/**
 * OpenAI's priority processing, which Codex calls fast: the first row that matches. Models without a row have no such
 * price.
 */
const PRIORITY: readonly (readonly [model: RegExp, factor: number | null])[] = [
  [/-(?:pro|nano|spark)\b/, null],
  [/\/gpt-5-mini\b/, 1.8],
  [/\/gpt-5\.5\b/, 2.5],
  [/\/gpt-5\b/, 2],
  [/\/(?:gpt-4\.1|o3)(?:$|-\d|-mini)/, 1.75],
  [/\/gpt-4o(?:$|-\d)/, 1.7],
];
