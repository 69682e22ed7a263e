import { findQuantile, sortAscending } from '#analysis/stats/quantiles.js';
import { sumBy } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import type {
  EngineSummary,
  ShrinkSums,
  SimulatedCounts,
  SimulatedEngine,
  SimulationOptions,
  SimulationSummary,
  Spread,
  SummedEngine,
} from './document.js';
import type { SimulationResult } from './simulate.js';
import { addSums, sumKnown } from './sums.js';
import { type ComparedSession, compareRequests, summarizeComparisons } from './validation.js';

/** The part of a session's result that is kept until all are there. */
export interface SessionSums {
  readonly requests: number;
  readonly compared: ComparedSession;
  readonly listedPrices: readonly string[];
  readonly engines: readonly SummedEngine[];
}

/** Reduces the result of a session to what the summary of many needs. */
export function toSessionSums({ requests, engines, listedPrices }: SimulationResult): SessionSums {
  return {
    requests: requests.length,
    compared: compareRequests(requests),
    listedPrices,
    engines: engines.map(omitLists),
  };
}

/** The fields of a run that grow with the session. */
const LISTS: ReadonlySet<string> = new Set(['series', 'shrinks', 'rereads', 'overflowed']);

/** Leaves out the fields that grow with the session. */
function omitLists(engine: SimulatedEngine): SummedEngine {
  // `SummedEngine` is what remains without these keys, which TypeScript cannot tell.
  return Object.fromEntries(Object.entries(engine).filter(([name]) => !LISTS.has(name))) as SummedEngine;
}

export interface SimulationTotals {
  readonly sessions: readonly SessionSums[];
  readonly unreadable: SimulationSummary['unreadable'];
  /** The names of the engines, also where nothing could be simulated. */
  readonly names: readonly string[];
  readonly options: SimulationOptions;
}

/**
 * Sums up many sessions, and measures how much they differ. Sessions in which nothing was asked do not
 * count.
 */
export function summarizeSimulations({
  sessions,
  unreadable,
  names,
  options,
}: SimulationTotals): Omit<SimulationSummary, 'verdict'> {
  const asked = sessions.filter(({ requests }) => requests > 0).map(keepComparableCosts);
  const priced = asked.filter(hasCosts);
  const listed = priced.filter(({ listedPrices }) => listedPrices.length > 0);
  return {
    schema: 'ctx/simulation-summary',
    schemaVersion: 1,
    options,
    sessions: sessions.length,
    withoutRequests: sessions.length - asked.length,
    withCost: priced.length,
    withListedPrices: listed.length,
    listedPrices: [...new Set(listed.flatMap(({ listedPrices }) => listedPrices))],
    unreadable,
    validation: summarizeComparisons(asked.map((session) => session.compared)),
    engines: names.map((name, at) => summarizeEngine(name, listRuns(asked, at))),
  };
}

/** A run of an engine, and the recorded run of the session. */
interface ComparedRun {
  readonly run: SummedEngine;
  readonly recorded: SummedEngine;
}

/** The runs of one engine, by its place. */
function listRuns(sessions: readonly SessionSums[], at: number): readonly ComparedRun[] {
  return sessions.flatMap(({ engines }) => {
    const run = engines[at];
    const recorded = engines[0];
    return run && recorded ? [{ run, recorded }] : [];
  });
}

/** If one engine's cost is unknown, no other counts either: sums are of the same sessions. */
function keepComparableCosts(session: SessionSums): SessionSums {
  const { engines } = session;
  if (hasCosts(session)) return session;
  const unknown = { cost: null, totalCost: null };
  return {
    ...session,
    engines: engines.map((engine) => ({ ...engine, ...unknown, change: { ...engine.change, ...unknown } })),
  };
}

function hasCosts({ engines }: SessionSums): boolean {
  return engines.every(({ totalCost, failure }) => totalCost !== null || failure !== null);
}

function summarizeEngine(name: string, runs: readonly ComparedRun[]): EngineSummary {
  const done = runs.filter(({ run }) => run.failure === null);
  const engines = done.map(({ run }) => run);
  return {
    name,
    sessions: done.length,
    failed: runs.length - done.length,
    ...addSums(engines),
    ...sumCounts(engines),
    change: sumChanges(engines),
    refused: sumRefused(engines),
    breaches: sumBreaches(engines),
    spread: measureSpreads(done),
  };
}

function sumRefused(engines: readonly SummedEngine[]): EngineSummary['refused'] {
  const sums = new Map<string, number>();
  for (const { rule, requests } of engines.flatMap(({ refused }) => refused)) incrementCount(sums, rule, requests);
  return [...sums].map(([rule, requests]) => ({ rule, requests }));
}

function sumBreaches(engines: readonly SummedEngine[]): EngineSummary['breaches'] {
  const sums = new Map<string, number>();
  for (const { clause, times } of engines.flatMap(({ breaches }) => breaches)) incrementCount(sums, clause, times);
  return [...sums].map(([clause, times]) => ({ clause, times }));
}

function measureSpreads(runs: readonly ComparedRun[]): EngineSummary['spread'] {
  const spread = (of: (run: SummedEngine, recorded: SummedEngine) => number | null): Spread | null =>
    measureSpread(runs.map(({ run, recorded }) => of(run, recorded)));
  return {
    peakTokens: spread(({ peakTokens }) => peakTokens),
    meanTokens: spread(({ meanTokens }) => meanTokens),
    cachedShare: spread(({ cachedTokens, inputTokens }) => toShare(cachedTokens, inputTokens)),
    inputChange: spread(({ change }, { inputTokens }) => toShare(change.inputTokens, inputTokens)),
    billedChange: spread(({ change }, { billedTokens }) => toShare(change.billedTokens, billedTokens)),
    costChange: spread(({ change }, { totalCost }) => toShare(change.totalCost, totalCost)),
  };
}

function sumCounts(engines: readonly SimulatedCounts[]): SimulatedCounts {
  const sum = (of: (engine: SimulatedCounts) => number): number => sumBy(engines, of);
  const shrinks = (kind: 'compactions' | 'prunes'): ShrinkSums => ({
    count: sum((engine) => engine[kind].count),
    tokensBefore: sum((engine) => engine[kind].tokensBefore),
    tokensAfter: sum((engine) => engine[kind].tokensAfter),
  });
  return {
    compactions: shrinks('compactions'),
    prunes: shrinks('prunes'),
    lost: { results: sum(({ lost }) => lost.results), tokensEstimated: sum(({ lost }) => lost.tokensEstimated) },
    lostTexts: {
      instructions: sum(({ lostTexts }) => lostTexts.instructions),
      answers: sum(({ lostTexts }) => lostTexts.answers),
      tokensEstimated: sum(({ lostTexts }) => lostTexts.tokensEstimated),
    },
    reread: { calls: sum(({ reread }) => reread.calls), tokensEstimated: sum(({ reread }) => reread.tokensEstimated) },
    retries: sum(({ retries }) => retries),
    overflows: sum(({ overflows }) => overflows),
    unsendable: sum(({ unsendable }) => unsendable),
  };
}

function sumChanges(engines: readonly SummedEngine[]): EngineSummary['change'] {
  const all = engines.map(({ change }) => change);
  return {
    inputTokens: sumBy(all, ({ inputTokens }) => inputTokens),
    billedTokens: sumBy(all, ({ billedTokens }) => billedTokens),
    rebilledTokens: sumBy(all, ({ rebilledTokens }) => rebilledTokens),
    cost: sumKnown(all.map(({ cost }) => cost)),
    totalCost: sumKnown(all.map(({ totalCost }) => totalCost)),
  };
}

/** Divides a part by the whole; null where there is no whole. */
function toShare(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

function measureSpread(values: readonly (number | null)[]): Spread | null {
  const sorted = sortAscending(values.flatMap((value) => value ?? []));
  const median = findQuantile(sorted, 0.5);
  const p10 = findQuantile(sorted, 0.1);
  const p90 = findQuantile(sorted, 0.9);
  return median === null || p10 === null || p90 === null ? null : { median, p10, p90 };
}
