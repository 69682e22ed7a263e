import { CacheLife, type CacheSplit } from '#analysis/cache/cache-life.js';
import { countExpectedRead, countHiddenTokens } from '#analysis/cache/expected-read.js';
import { type CacheOptions, NOISE_TOKENS } from '#analysis/cache/options.js';
import { measureCalibrationFactor } from '#analysis/stats/calibration.js';
import type { EngineRequest } from './engine-run.js';
import type { Prices } from './prices.js';
import type { RecordedExchange } from './recorded-exchanges.js';

/** The size of one request, split by cache use. Tokens as a provider counts them, or estimated where none has. */
export interface SplitRequest {
  readonly exchange: RecordedExchange;
  readonly tokens: number;
  /** The tokens that were read from the cache. */
  readonly cached: number;
  /** The tokens of the previous request that a cache break loses: see `isBreak`. */
  readonly rebilled: number;
  /** Dollars of the prompt; null where a price is unknown. */
  readonly cost: number | null;
  /** Dollars of the answer, which is the same under every engine. */
  readonly outputCost: number | null;
  readonly isOverflow: boolean;
}

export interface SplitOptions {
  readonly scale: TokenScale;
  readonly cache: CacheOptions;
  /** The maximum tokens of a request; null if it is unknown. */
  readonly budget: number | null;
  readonly prices: Prices;
  /**
   * The share of what could be read at a request that a provider had not lost, by its number; all of it where it is not
   * there.
   */
  readonly kept?: ReadonlyMap<number, number>;
}

/** The tokens that a request writes to the cache, in the parts in which the recorded request was written. */
function countWrites(
  { exchange: { usage } }: EngineRequest,
  tokens: number,
): Pick<CacheSplit, 'cacheWrite' | 'cacheWrite1h'> {
  if (!usage || usage.cacheWrite === 0) return { cacheWrite: 0 };
  const { cacheWrite, cacheWrite1h } = usage;
  if (cacheWrite1h === undefined) return { cacheWrite: tokens };
  return { cacheWrite: tokens, cacheWrite1h: (tokens * cacheWrite1h) / cacheWrite };
}

/**
 * Splits each request into what a provider could read from its cache and what it would bill, by the model of `ctx
 * cache`.
 */
export function splitByCache(requests: readonly EngineRequest[], options: SplitOptions): readonly SplitRequest[] {
  let lastTokens: number | null = null;
  const life = new CacheLife(options.cache.retention);
  const all: SplitRequest[] = [];
  for (const request of requests) {
    const { exchange } = request;
    if (!Number.isNaN(exchange.warmed)) life.touch(exchange.warmed);
    if (request.before?.isOtherModel) life.forget();
    const tokens = options.scale.tokens(exchange.number, request.tokens);
    const share = options.kept?.get(exchange.number) ?? 1;
    const alive = life.aliveAt(exchange.time);
    const readable = lastTokens === null ? 0 : findReadable(request, tokens, lastTokens, { ...options, alive });
    const cached = Math.floor(readable * share);
    const unread = lastTokens === null ? 0 : Math.max(0, Math.min(lastTokens, tokens) - cached);
    const rebilled = isBreak(request, unread) ? unread : 0;
    const cost = options.prices.priceRequest(exchange, { paid: tokens - cached, read: cached });
    const outputCost = options.prices.priceOutput(exchange);
    const isOverflow = options.budget !== null && tokens + request.unsent > options.budget;
    all.push({ exchange, tokens, cached, rebilled, cost, outputCost, isOverflow });
    if (exchange.isUnbilled) continue;
    lastTokens = tokens;
    life.take({ promptTokens: tokens, cacheRead: cached, ...countWrites(request, tokens - cached) }, exchange.time);
  }
  return all;
}

/** Whether `ctx cache` counts a break: the model or the prompt changed, or more than noise was not read. */
function isBreak({ before }: EngineRequest, unread: number): boolean {
  return unread > NOISE_TOKENS || (before !== null && (before.isOtherModel || before.prefix !== null));
}

/** The tokens that a request could read from the cache, after one of `lastTokens`. */
function findReadable(
  { before }: EngineRequest,
  tokens: number,
  lastTokens: number,
  { cache, scale, alive }: SplitOptions & { readonly alive: number },
): number {
  if (before === null || before.isOtherModel) return 0;
  const divergence = before.prefix === null ? null : { prefixTokensEstimated: before.prefix };
  const most = Math.min(tokens, alive);
  return countExpectedRead({ before, divergence, recorded: { prompt: lastTokens }, hidden: scale.hidden, most }, cache);
}

/**
 * The losses of a provider's cache for reasons that the session does not show: the shares that it could still read,
 * by the number of the request. `recorded`: the recorded run, as the model has it.
 */
export function findKeptShares(recorded: readonly SplitRequest[]): ReadonlyMap<number, number> {
  const shares = new Map<number, number>();
  for (const { exchange, cached } of recorded) {
    const read = exchange.usage?.cacheRead;
    if (read !== undefined && cached - read > NOISE_TOKENS) shares.set(exchange.number, read / cached);
  }
  return shares;
}

/**
 * How estimated tokens become those that a provider counts. The recorded prompt of each request is the anchor: what an
 * engine makes shorter or longer counts at the rate at which the prompts of this session grow.
 */
interface TokenScale {
  /** Counted tokens for each estimated one; null: no request records any, and all tokens are estimates. */
  readonly factor: number | null;
  /** Counted tokens of prompt and tools that the session does not record. */
  readonly hidden: number;
  /** Counted tokens of a request, by its number. */
  tokens(number: number, estimated: number): number;
}

export function measureTokenScale(recorded: readonly EngineRequest[]): TokenScale {
  const samples = recorded.flatMap(({ exchange: { usage }, tokens }) =>
    usage ? [{ recorded: usage.promptTokens, estimated: tokens }] : [],
  );
  const first = recorded.find(({ exchange }) => exchange.usage !== null);
  const usage = first?.exchange.usage ?? null;
  const hidden =
    first && usage ? countHiddenTokens({ preamble: { tokens: first.preamble }, tokens: first.tokens }, usage) : 0;
  const isPreambleKnown = (first?.preamble ?? 0) > 0;
  const recordedFactor = samples.length === 0 ? null : measureCalibrationFactor(samples, isPreambleKnown);
  const factor = recordedFactor ?? 1;
  return {
    factor: samples.length === 0 ? null : factor,
    hidden,
    tokens(number, estimated) {
      const at = recorded[number - 1];
      const counted = at?.exchange.usage?.promptTokens;
      if (!at || counted === undefined) return Math.round(hidden + factor * estimated);
      return Math.max(0, Math.round(counted + factor * (estimated - at.tokens)));
    },
  };
}
