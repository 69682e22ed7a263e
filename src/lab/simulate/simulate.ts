import { findCommonLifetime } from '#analysis/cache/cache-life.js';
import { buildRateLookup } from '#analysis/cache/costs.js';
import type { Lifetime } from '#analysis/cache/lifetime.js';
import type { CacheOptions } from '#analysis/cache/options.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { formatTime } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import { cacheEntries } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { recordedDefinition as recordedEngine } from '../builtin/recorded.js';
import type { DriveOptions, DriveSource, MakeEngine } from '../drive/drive-options.js';
import type { Shrink, SimulatedRequest, Simulation, SimulationOptions } from './document.js';
import { buildEngineResult } from './engine-result.js';
import { type EngineRun, type EngineRunOptions, runEngine, type RunFailure } from './engine-run.js';
import { Prices } from './prices.js';
import { listRecordedExchanges, type RecordedExchange } from './recorded-exchanges.js';
import { findKeptShares, measureTokenScale, splitByCache, type SplitOptions, type SplitRequest } from './split.js';
import { findRecordedCost, sumRecordedUsage } from './sums.js';
import { compareRequests, summarizeComparisons } from './validation.js';

/** An engine, and the name of its results. */
export interface SimulationEngine {
  readonly name: string;
  readonly make: MakeEngine;
  readonly createPast?: DriveOptions['createPast'];
  /** The window and the settings of this engine alone. */
  readonly drive?: Pick<DriveOptions, 'tokenBudget' | 'settings'>;
  /** Hears where it gave up, which is a result too. */
  onFailure?(failure: RunFailure): void;
}

export interface SimulateOptions {
  readonly drive: DriveOptions;
  /**
   * The model whose context window the budget is, where the user has set none; null: the user has set it, or it is
   * unknown.
   */
  readonly budgetModel?: string | null;
  readonly cache: CacheOptions;
  /** Whether what the provider lost for no reason that the session shows is lost for every engine. */
  readonly recordedMisses: boolean;
}

/** Parts of a simulation that cannot be sent to another thread. */
export interface SimulateContext {
  /** Hears of each request of each engine. */
  readonly onRequest?: (() => void) | undefined;
  /** The prices of models that the session does not record; without it they are unknown. */
  readonly priceList?: PriceList | undefined;
}

/** The result of a simulation, without the sentence for people. */
export type SimulationResult = Omit<Simulation, 'verdict' | 'cheaper'>;

/**
 * Replays a session request by request under each engine. The recorded run always comes first: it calibrates the cache
 * model, and the other engines are compared with it.
 */
export async function simulate(
  unkept: DriveSource,
  engines: readonly SimulationEngine[],
  given: SimulateOptions,
  { onRequest, priceList = () => null }: SimulateContext = {},
): Promise<SimulationResult> {
  const { cache, recordedMisses } = given;
  // All engines see the same entries, and each holds those of the whole path while it is in charge.
  const source = cacheEntries(unkept, KEPT_BYTES);
  const path = activePath(source.tree);
  const exchanges = listRecordedExchanges(source, path);
  // Engines count in several ways, and claims decide nothing.
  const drive = { ...given.drive, path, countsItself: true };
  const options: EngineRunOptions = { source, exchanges, drive, onRequest };

  const { recorded, model, predicted } = await runRecorded(options, cache, priceList);
  const { scale, prices } = model;
  const tokensPerEstimated = scale.factor ?? 1;

  // The other engines meet the same cache, and count in the provider's tokens.
  const split = recordedMisses ? { ...model, kept: findKeptShares(predicted) } : model;
  const base = buildEngineResult(RECORDED, toRecordedRun(recorded, exchanges), split, null);
  const { wholes, texts } = recorded;
  const counted = { ...options, drive: { ...drive, tokensPerEstimated }, wholes, texts };
  const results = [base];
  for (const engine of engines) {
    if (engine.name === RECORDED) continue;
    const run = await runNamedEngine(engine, counted);
    const splitOfEngine = engine.drive ? { ...split, budget: engine.drive.tokenBudget } : split;
    results.push(buildEngineResult(engine.name, run, splitOfEngine, base));
  }

  const requests = predicted.filter(({ exchange }) => !exchange.isUnbilled).map(toRequestRow);
  const rebilledTokens = countRebilled(source, given);
  return {
    schema: 'ctx/simulation',
    schemaVersion: 1,
    session: { id: source.header.id, file: source.file },
    options: { ...toSimulationOptions(given), ...toRetention(findCommonLifetime(exchanges, cache.retention)) },
    tokensPerEstimated: scale.factor,
    hiddenTokens: scale.hidden,
    listedPrices: [...prices.listed],
    validation: summarizeComparisons([compareRequests(requests)]),
    recorded: sumRecordedUsage(exchanges, recorded.recordedSummaries, { prices, rebilledTokens }),
    unbilledRequests: exchanges.length - requests.length,
    requests,
    engines: results.map(({ result }) => result),
  };
}

/** The size in bytes of the lines whose entries are kept for the next engine. */
const KEPT_BYTES = 256e6;

const RECORDED = recordedEngine.name;

/** The recorded run, and the cache model that it calibrates. */
interface Calibration {
  readonly recorded: EngineRun;
  readonly model: SplitOptions;
  /** The requests of the recorded run by that model. */
  readonly predicted: readonly SplitRequest[];
}

async function runRecorded(options: EngineRunOptions, cache: CacheOptions, priceList: PriceList): Promise<Calibration> {
  const { exchanges, drive } = options;
  // Requests that were already sent cannot be compacted.
  const recorded = await runEngine(recordedEngine.create, { ...options, drive: { ...drive, tokenBudget: null } });
  const scale = measureTokenScale(recorded.requests);
  const prices = new Prices(exchanges, buildRateLookup(exchanges), scale.factor ?? 1, priceList);
  const model: SplitOptions = { scale, cache, budget: drive.tokenBudget, prices };
  return { recorded, model, predicted: splitByCache(recorded.requests, model) };
}

/**
 * The run of the recorded engine: the session records where the context became smaller. Its transforms may put messages in
 * another order than the transcript, which omits them.
 */
function toRecordedRun(run: EngineRun, exchanges: readonly RecordedExchange[]): EngineRun {
  const shrinks = exchanges.flatMap((exchange) =>
    exchange.shrinks.map((each): Shrink => ({ ...each, request: exchange.number, tokensAfter: null })),
  );
  const breaches = run.breaches.filter(({ clause }) => clause !== 'order');
  return { ...run, shrinks, summaries: run.recordedSummaries, breaches };
}

async function runNamedEngine(
  { make, createPast, drive, onFailure }: SimulationEngine,
  options: EngineRunOptions,
): Promise<EngineRun> {
  const run = await runEngine(make, { ...options, drive: { ...options.drive, ...drive, createPast } });
  if (run.failure) onFailure?.(run.failure);
  return run;
}

/** The re-billed tokens that `ctx cache` counts. */
function countRebilled(session: DriveSource, { drive: { baseline = {} }, cache }: SimulateOptions): number {
  const source = { session, path: activePath(session.tree), baseline };
  return reportCache(source, cache).summary.rebilledTokens;
}

function toRequestRow({ exchange, cached, cost }: SplitRequest): SimulatedRequest {
  const { number, entryId, time, model, usage } = exchange;
  return {
    number,
    entryId,
    time: formatTime(time),
    model,
    promptTokensRecorded: usage?.promptTokens ?? null,
    cacheReadRecorded: usage?.cacheRead ?? null,
    cacheReadPredicted: cached,
    costRecorded: usage && findRecordedCost(usage),
    costPredicted: cost,
  };
}

export function toSimulationOptions({
  drive,
  budgetModel = null,
  cache,
  recordedMisses,
}: SimulateOptions): SimulationOptions {
  return {
    budget: drive.tokenBudget,
    budgetModel,
    reserveTokens: drive.settings.reserveTokens,
    keepRecentTokens: drive.settings.keepRecentTokens,
    block: cache.block,
    minimum: cache.minimum,
    ...toRetention(cache.retention === null ? null : { minutes: cache.retention, basis: 'given' }),
    recordedMisses,
  };
}

function toRetention(lifetime: Lifetime | null): Pick<SimulationOptions, 'retentionMinutes' | 'retentionBasis'> {
  return { retentionMinutes: lifetime && lifetime.minutes, retentionBasis: lifetime && lifetime.basis };
}
