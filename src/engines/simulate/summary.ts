import { ascending, quantile } from '#analysis/stats/calibration.js';
import type {
  Counts,
  EngineSummary,
  SimulatedEngine,
  SimulationOptions,
  SimulationSummary,
  SummedEngine,
} from './document.js';
import type { Simulated } from './simulate.js';
import { addedUp, costsOf } from './sums.js';
import { type Compared, compared, validationOf } from './validation.js';

/** What is kept of a session until all are there. */
export interface SummedUp {
  readonly requests: number;
  readonly compared: Compared;
  readonly listedPrices: readonly string[];
  readonly engines: readonly SummedEngine[];
}

export function summedUp({ requests, engines, listedPrices }: Simulated): SummedUp {
  return {
    requests: requests.length,
    compared: compared(requests),
    listedPrices,
    engines: engines.map(withoutLists),
  };
}

const LISTS: ReadonlySet<string> = new Set(['series', 'shrinks', 'rereads', 'overflowed']);

/** What is small whatever the size of the session. */
function withoutLists(engine: SimulatedEngine): SummedEngine {
  // What is left is what both have.
  return Object.fromEntries(Object.entries(engine).filter(([name]) => !LISTS.has(name))) as SummedEngine;
}

export interface Summary {
  readonly sessions: readonly SummedUp[];
  readonly unreadable: SimulationSummary['unreadable'];
  /** Of the engines, also where nothing could be simulated. */
  readonly names: readonly string[];
  readonly options: SimulationOptions;
}

/** Many sessions together: what they come to, and how much they differ. Sessions in which nothing was asked do not count. */
export function summaryOf({ sessions, unreadable, names, options }: Summary): Omit<SimulationSummary, 'verdict'> {
  const asked = sessions.filter(({ requests }) => requests > 0).map(withComparableCosts);
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
    validation: validationOf(asked.map((session) => session.compared)),
    engines: names.map((name, at) =>
      engineSummary(
        name,
        asked.flatMap(({ engines }) => pairOf(engines[at], engines[0])),
      ),
    ),
  };
}

/** Where one engine does not know what it costs, no other counts either: sums are of the same sessions. */
function withComparableCosts(session: SummedUp): SummedUp {
  const { engines } = session;
  if (hasCosts(session)) return session;
  const unknown = { cost: null, totalCost: null };
  return {
    ...session,
    engines: engines.map((engine) => ({ ...engine, ...unknown, change: { ...engine.change, ...unknown } })),
  };
}

function hasCosts({ engines }: SummedUp): boolean {
  return engines.every(({ totalCost, failure }) => totalCost !== null || failure !== null);
}

function pairOf(engine: SummedEngine | undefined, recorded: SummedEngine | undefined): readonly Pair[] {
  return engine && recorded ? [[engine, recorded]] : [];
}

type Pair = readonly [engine: SummedEngine, recorded: SummedEngine];

function engineSummary(name: string, pairs: readonly Pair[]): EngineSummary {
  const done = pairs.filter(([{ failure }]) => failure === null);
  const engines = done.map(([engine]) => engine);
  return {
    name,
    sessions: done.length,
    failed: pairs.length - done.length,
    ...addedUp(engines),
    ...countsOf(engines),
    change: changes(engines),
    refused: counted(engines.flatMap(({ refused }) => refused.map(({ rule, requests }) => [rule, requests]))).map(
      ([rule, requests]) => ({ rule, requests }),
    ),
    breaches: counted(engines.flatMap(({ breaches }) => breaches.map(({ clause, times }) => [clause, times]))).map(
      ([clause, times]) => ({ clause, times }),
    ),
    spread: {
      peakTokens: spreadOf(engines.map(({ peakTokens }) => peakTokens)),
      meanTokens: spreadOf(engines.map(({ meanTokens }) => meanTokens)),
      cachedShare: spreadOf(engines.map(({ cachedTokens, inputTokens }) => share(cachedTokens, inputTokens))),
      inputChange: spreadOf(done.map(([engine, recorded]) => share(engine.change.inputTokens, recorded.inputTokens))),
      billedChange: spreadOf(
        done.map(([engine, recorded]) => share(engine.change.billedTokens, recorded.billedTokens)),
      ),
      costChange: spreadOf(done.map(([engine, recorded]) => share(engine.change.totalCost, recorded.totalCost))),
    },
  };
}

/** Numbers of the same name, added up. */
function counted(all: readonly (readonly [name: string, count: number])[]): readonly [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, count] of all) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums];
}

function countsOf(engines: readonly Counts[]): Counts {
  const sum = (of: (engine: Counts) => number): number => engines.reduce((all, engine) => all + of(engine), 0);
  const shrinks = (kind: 'compactions' | 'prunes'): Counts['prunes'] => ({
    count: sum((engine) => engine[kind].count),
    tokensBefore: sum((engine) => engine[kind].tokensBefore),
    tokensAfter: sum((engine) => engine[kind].tokensAfter),
  });
  return {
    compactions: shrinks('compactions'),
    prunes: shrinks('prunes'),
    lost: { results: sum(({ lost }) => lost.results), tokensEstimated: sum(({ lost }) => lost.tokensEstimated) },
    reread: { calls: sum(({ reread }) => reread.calls), tokensEstimated: sum(({ reread }) => reread.tokensEstimated) },
    overflows: sum(({ overflows }) => overflows),
    unsendable: sum(({ unsendable }) => unsendable),
  };
}

function changes(engines: readonly SummedEngine[]): EngineSummary['change'] {
  const all = engines.map(({ change }) => change);
  const sum = (name: 'inputTokens' | 'billedTokens' | 'rebilledTokens'): number =>
    all.reduce((total, change) => total + change[name], 0);
  return {
    inputTokens: sum('inputTokens'),
    billedTokens: sum('billedTokens'),
    rebilledTokens: sum('rebilledTokens'),
    cost: costsOf(all, 'cost'),
    totalCost: costsOf(all, 'totalCost'),
  };
}

/** null where there is nothing that it is a share of. */
function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

function spreadOf(values: readonly (number | null)[]): EngineSummary['spread']['costChange'] {
  const sorted = ascending(values.flatMap((value) => value ?? []));
  const [median, p10, p90] = [quantile(sorted, 0.5), quantile(sorted, 0.1), quantile(sorted, 0.9)];
  return median === null || p10 === null || p90 === null ? null : { median, p10, p90 };
}
