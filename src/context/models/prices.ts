/** Dollars per million tokens. null: the list has no such price. */
interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}

/** The prices of a model in Pi's list. */
export interface ModelPrices extends TokenPrices {
  /** The prices of prompts with more tokens than `above`, in increasing order. */
  readonly tiers: readonly (TokenPrices & { readonly above: number })[];
}

/** The listed prices of a model named `provider/id`; null for a model without them. */
export type PriceList = (model: string) => ModelPrices | null;

/** The prices in a line of the list. */
export function readPrices(text: string): ModelPrices | null {
  if (text === '-') return null;
  const [base = '', ...longer] = text.split(',');
  return {
    ...parseTokenPrices(base),
    tiers: longer.map((tier) => {
      const [above = '', prices = ''] = tier.split(':');
      return { above: Number(above), ...parseTokenPrices(prices) };
    }),
  };
}

function parseTokenPrices(text: string): TokenPrices {
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = text.split('/').map(Number);
  // Pi writes 0 for an unknown price.
  return { input, output, cacheRead: cacheRead || null, cacheWrite: cacheWrite || null };
}

function choosePrices({ tiers, ...base }: ModelPrices, promptTokens: number): TokenPrices {
  return tiers.findLast(({ above }) => promptTokens > above) ?? base;
}

/** Tokens of one call, as a provider counts them. */
export interface PricedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is cached for an hour. */
  readonly cacheWrite1h?: number | undefined;
}

/**
 * The cost of the tokens of one call, by what they were paid for. `cacheWrite` excludes the part that is kept for an
 * hour.
 */
export interface TokenCosts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

/** Dollars of a call, as Pi computes them from its list; null if the list lacks a price that the call needs. */
export function priceListed(prices: ModelPrices, tokens: PricedTokens): number | null {
  const costs = computeMillionths(prices, tokens);
  if (costs === null) return null;
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = costs;
  return (input + output + cacheRead + cacheWrite + cacheWrite1h) / MILLION;
}

/** Prices tokens like `priceListed`, split by what they were paid for. */
export function priceListedParts(prices: ModelPrices, tokens: PricedTokens): TokenCosts | null {
  const costs = computeMillionths(prices, tokens);
  if (costs === null) return null;
  return {
    input: costs.input / MILLION,
    output: costs.output / MILLION,
    cacheRead: costs.cacheRead / MILLION,
    cacheWrite: costs.cacheWrite / MILLION,
    cacheWrite1h: costs.cacheWrite1h / MILLION,
  };
}

/** The costs in millionths of dollars. The sum is divided once, as Pi does, so that no digit differs. */
function computeMillionths(prices: ModelPrices, tokens: PricedTokens): TokenCosts | null {
  const { input, output, cacheRead } = tokens;
  const cacheWrite1h = Math.min(tokens.cacheWrite1h ?? 0, tokens.cacheWrite);
  const price = choosePrices(prices, input + cacheRead + tokens.cacheWrite);
  const costOfReads = multiplyPrice(price.cacheRead, cacheRead);
  const costOfWrites = multiplyPrice(price.cacheWrite, tokens.cacheWrite - cacheWrite1h);
  if (costOfReads === null || costOfWrites === null) return null;
  return {
    input: price.input * input,
    output: price.output * output,
    cacheRead: costOfReads,
    cacheWrite: costOfWrites,
    // Anthropic charges twice the price of input for writing a cache of one hour.
    cacheWrite1h: price.input * 2 * cacheWrite1h,
  };
}

/** Only tokens that there are need a price. */
function multiplyPrice(price: number | null, tokens: number): number | null {
  if (tokens === 0) return 0;
  return price === null ? null : price * tokens;
}

const MILLION = 1e6;

/** Dollars per uncached prompt token, per cached one, and per token of the answer. */
export interface ListedRates {
  readonly paid: number | null;
  readonly read: number | null;
  readonly output: number;
}

/**
 * The rates for a prompt of this number of tokens. `usage`: the recorded tokens that were written to the cache, and the
 * rest. `factor`: the factor of the price modifiers of a call, such as fast mode: see `findPriceFactor`.
 */
export function findListedRates(prices: ModelPrices, promptTokens: number, usage: Unread, factor = 1): ListedRates {
  const { input, output, cacheRead, cacheWrite } = choosePrices(prices, promptTokens);
  return {
    paid: toRate(findPaidPrice({ input, cacheWrite }, usage), factor),
    read: toRate(cacheRead, factor),
    output: (factor * output) / MILLION,
  };
}

/** Prompt tokens that are not read from the cache. */
type Unread = Pick<PricedTokens, 'input' | 'cacheWrite' | 'cacheWrite1h'>;

/** The mean price of these tokens; the price of input if none of them was written to the cache. */
function findPaidPrice(prices: Pick<TokenPrices, 'input' | 'cacheWrite'>, usage: Unread): number | null {
  if (usage.cacheWrite === 0) return prices.input;
  const tokens = usage.input + usage.cacheWrite;
  const cost = priceListed({ ...prices, output: 0, cacheRead: null, tiers: [] }, { ...usage, output: 0, cacheRead: 0 });
  return cost === null ? null : (cost * MILLION) / tokens;
}

function toRate(price: number | null, factor: number): number | null {
  return price === null ? null : (factor * price) / MILLION;
}
