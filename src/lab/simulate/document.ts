import * as z from 'zod/mini';
import { LIFETIME_BASES } from '#analysis/cache/lifetime.js';
import { cheaper } from '#analysis/stats/cheaper.js';
import { jsonDocument } from '#base/schema.js';

/*
 * Tokens are those of providers: estimates, multiplied by `tokensPerEstimated`. Names that end in `Estimated` are not
 * multiplied. Costs are in dollars; null: a price is unknown. The docstring of a key is its description in `docs/schema`.
 */

const nullableNumber = z.nullable(z.number());

/** Tokens as providers count them: estimated, at what the session records of how they count. */
const sumFields = {
  /** Requests that were billed, or may have been. */
  requests: z.int(),
  /** The tokens of the largest request. */
  peakTokens: z.number(),
  meanTokens: z.number(),
  /** The tokens of all requests together. */
  inputTokens: z.number(),
  /** The input tokens that were read from the cache. */
  cachedTokens: z.number(),
  /** The input tokens that were not read from the cache, and are billed in full. */
  billedTokens: z.number(),
  /** The billed tokens that cache breaks lost: they were sent with the request before, and are billed once more. */
  rebilledTokens: z.number(),
  /** Dollars for the input, at the rates that the session records, else at listed ones; null where neither is known. */
  cost: nullableNumber,
  /** The tokens of the answers, which are the same under every engine. */
  outputTokens: z.number(),
  outputCost: nullableNumber,
  /** Calls of a model that write summaries: their input, none of it cached, and their output. */
  summaries: z.object({
    calls: z.int(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: nullableNumber,
  }),
  /**
   * Dollars for input, answers and summaries, or the recorded total of a request; null where one of them is not known.
   */
  totalCost: nullableNumber,
};

/** The compactions or the prunes of an engine, summed up. */
export type ShrinkSums = z.infer<typeof shrinkSums>;

const shrinkSums = z.object({
  count: z.int(),
  /** The tokens before those compactions and prunes that report what they removed. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
});

/** Counts of an engine's actions and their results. */
const countFields = {
  compactions: shrinkSums,
  prunes: shrinkSums,
  /** Tool results that were left out or shortened at some time. Estimated by four characters a token. */
  lost: z.object({ results: z.int(), tokensEstimated: z.number() }),
  /**
   * Messages of the user, and answers, whose words were left out or shortened at some time. A summary may repeat them.
   */
  lostTexts: z.object({ instructions: z.int(), answers: z.int(), tokensEstimated: z.number() }),
  /** Later calls for a file or command whose results had been left out or shortened by then. */
  reread: z.object({ calls: z.int(), tokensEstimated: z.number() }),
  /** Requests that were over the budget, and were assembled once more after a compaction. */
  retries: z.int(),
  /** Requests that were over the budget, also after a compaction. */
  overflows: z.int(),
  /** Requests that a provider rejects: empty ones, and those that break a rule of `ctx check`. */
  unsendable: z.int(),
};

/** The model of the recorded run, compared with what providers have recorded. */
const validation = z.object({
  /** Requests with both values known. */
  requests: z.int(),
  /** Whether any request reports that a cache was used. */
  reportsCache: z.boolean(),
  predictedCachedTokens: z.number(),
  recordedCachedTokens: z.number(),
  /** The median error of single requests, as a share of the prompt. */
  medianError: nullableNumber,
  p90Error: nullableNumber,
  /** Requests that are off by more than 1,024 tokens. */
  off: z.int(),
  /** Dollars for the requests with both values known; null if there are none. */
  predictedCost: nullableNumber,
  recordedCost: nullableNumber,
});

const changedSums = {
  inputTokens: z.number(),
  billedTokens: z.number(),
  rebilledTokens: z.number(),
  cost: nullableNumber,
  totalCost: nullableNumber,
};

const change = z.object({ peakTokens: z.number(), meanTokens: z.number(), ...changedSums });

const numbers = z.array(z.number());

/** A rule of `ctx check` that requests of an engine break: their number, and the first of them. */
export type EngineRefusal = z.infer<typeof refusal>;

const refusal = z.object({ rule: z.string(), requests: z.int(), first: z.int(), message: z.string() });

/** A sentence of the contract that an engine broke. */
export type EngineBreach = z.infer<typeof breach>;

const breach = z.object({
  clause: z.string(),
  sentence: z.string(),
  message: z.string(),
  times: z.int(),
  /** null: after the last one. */
  request: z.nullable(z.int()),
});

/** The place where an engine gave up. */
export type SimulationFailure = z.infer<typeof failure>;

const failure = z.object({
  kind: z.string(),
  method: z.string(),
  message: z.string(),
  /** The request that the engine would have been asked next for; null: there was none left. */
  request: z.nullable(z.int()),
});

const run = {
  name: z.string(),
  ...sumFields,
  ...countFields,
  /** Minus the value that the model computes for the recorded run, over the same requests. */
  change,
  /** The rules that they break, each with the first request; `empty-request` is one that holds no message. */
  refused: z.array(refusal),
  /** The sentences of the contract that the engine broke, each with the first time: see `ctx engine check`. */
  breaches: z.array(breach),
  /** The place where it gave up: no comparison counts its earlier requests. */
  failure: z.nullable(failure),
};

/** A compaction or a prune by an engine. Tokens are those that it reports; null if it reports none. */
export type Shrink = z.infer<typeof shrink>;

const shrink = z.object({
  kind: z.enum(['compaction', 'prune']),
  reason: z.string(),
  /** The request before which it was done; null: after the last one. */
  request: z.nullable(z.int()),
  tokensBefore: nullableNumber,
  tokensAfter: nullableNumber,
});

/** A later call for what an engine had left out or shortened. */
export type Reread = z.infer<typeof reread>;

const reread = z.object({
  /** Whose answer calls. */
  request: z.int(),
  tool: z.string(),
  what: z.string(),
  /** The call that had given it before. */
  callId: z.string(),
  /** The first request without it, or with less of it. */
  lostAt: z.int(),
  tokensEstimated: z.number(),
});

const engine = z.object({
  ...run,
  /** The values at each of `requests`, up to the place where the engine gave up. */
  series: z.object({ tokens: numbers, cachedTokens: numbers, rebilledTokens: numbers, costs: z.array(nullableNumber) }),
  /** The numbers of the requests over the budget. */
  overflowed: z.array(z.int()),
  shrinks: z.array(shrink),
  rereads: z.array(reread),
});

const options = z.object({
  /**
   * Tokens that a request may have. null for a session: it is unknown, and nothing is checked; for a summary: each session has
   * the context window of its model.
   */
  budget: nullableNumber,
  /** The model whose context window the budget is, where the user has set none. */
  budgetModel: z.nullable(z.string()),
  reserveTokens: z.number(),
  keepRecentTokens: z.number(),
  block: z.int(),
  minimum: z.int(),
  /** The lifetime of the cache in minutes; null: each request left the one that it was recorded to write. */
  retentionMinutes: nullableNumber,
  /** The lifetime is that of the recorded writes, that of `--retention`, or assumed; null as above. */
  retentionBasis: z.nullable(z.enum(LIFETIME_BASES)),
  /** Whether what the provider lost for no reason that the session shows is lost for every engine. */
  recordedMisses: z.boolean(),
});

/** A request of the session: as recorded, and as the model predicts it. */
export type SimulatedRequest = z.infer<typeof simulatedRequest>;

const simulatedRequest = z.object({
  number: z.int(),
  entryId: z.nullable(z.string()),
  /** UTC, as ISO 8601. */
  time: z.nullable(z.string()),
  model: z.string(),
  promptTokensRecorded: nullableNumber,
  cacheReadRecorded: nullableNumber,
  /** The cached tokens that the model predicts for the recorded run. */
  cacheReadPredicted: z.number(),
  /** Dollars for the input. */
  costRecorded: nullableNumber,
  costPredicted: nullableNumber,
});

/** A line of `ctx simulate --json` for each session. */
export const simulation = jsonDocument('ctx/simulation', {
  session: z.object({ id: z.string(), file: z.string() }),
  options,
  /** The factor from estimates to a provider's tokens. null: none is recorded, four characters are a token. */
  tokensPerEstimated: nullableNumber,
  /** The estimated tokens of prompt and tools, where the session does not record them. */
  hiddenTokens: z.number(),
  /** The models, as `provider/id`, with prices from Pi's list, since the session does not record them all. */
  listedPrices: z.array(z.string()),
  validation,
  /**
   * The recorded usage, over the requests that have one; null: none has. Costs that are not recorded are priced as for
   * engines.
   */
  recorded: z.nullable(z.object(sumFields)),
  /** Requests of the path that failed or were aborted, and record no tokens. No sum and no list has them. */
  unbilledRequests: z.int(),
  /** The requests that were billed, or may have been; `ctx simulate` lists them with `--full`. */
  requests: z.array(simulatedRequest),
  /** `recorded` first: the session as it was, by the model. */
  engines: z.array(engine),
  /** The number of items that the lists lack without `--full`, of all engines together; absent where they are whole. */
  leftOut: z.exactOptional(z.object({ requests: z.int(), overflowed: z.int(), shrinks: z.int(), rereads: z.int() })),
  /** Earlier compactions that would have been cheaper; null if none was simulated. */
  cheaper: z.nullable(cheaper),
  verdict: z.string(),
});

/** The median, the 10th and the 90th percentile of a value over sessions. */
export type Spread = z.infer<typeof spread>;

const spread = z.object({ median: z.number(), p10: z.number(), p90: z.number() });

/** The sums of one engine over all sessions that it completed. */
export type EngineSummary = z.infer<typeof engineSummary>;

const engineSummary = z.object({
  name: z.string(),
  /** The sessions that the engine completed. */
  sessions: z.int(),
  failed: z.int(),
  ...sumFields,
  ...countFields,
  change: z.object(changedSums),
  /** Rules that requests break, and sentences of the contract that the engine broke, in all sessions. */
  refused: z.array(z.object({ rule: z.string(), requests: z.int() })),
  breaches: z.array(z.object({ clause: z.string(), times: z.int() })),
  /**
   * The spread over sessions, each counting the same. Changes are shares of the model's figures for the recorded
   * run.
   */
  spread: z.object({
    peakTokens: z.nullable(spread),
    meanTokens: z.nullable(spread),
    cachedShare: z.nullable(spread),
    inputChange: z.nullable(spread),
    billedChange: z.nullable(spread),
    costChange: z.nullable(spread),
  }),
});

/** The last line of `ctx simulate --json`. */
export const simulationSummary = jsonDocument('ctx/simulation-summary', {
  options,
  sessions: z.int(),
  /** Sessions in which nothing was asked, which count nowhere else. */
  withoutRequests: z.int(),
  /** Sessions with all costs known: only those count in costs. */
  withCost: z.int(),
  /** Sessions among them whose costs are in part at listed prices, and the models with those prices. */
  withListedPrices: z.int(),
  listedPrices: z.array(z.string()),
  unreadable: z.array(z.object({ file: z.string(), error: z.string() })),
  validation,
  engines: z.array(engineSummary),
  verdict: z.string(),
});

export type Simulation = z.infer<typeof simulation>;
export type SimulationSummary = z.infer<typeof simulationSummary>;
export type SimulatedEngine = Simulation['engines'][number];
/** A run without what grows with the session. */
export type SummedEngine = Pick<SimulatedEngine, keyof typeof run>;
export type SimulationOptions = Simulation['options'];
export type Sums = NonNullable<Simulation['recorded']>;
export type SimulatedCounts = Pick<SimulatedEngine, keyof typeof countFields>;
export type SimulatedChange = SimulatedEngine['change'];
export type Validation = Simulation['validation'];
