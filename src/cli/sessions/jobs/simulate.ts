import { type CacheOptions, DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import type { Cheaper } from '#analysis/stats/cheaper.js';
import { describeVerdict } from '#cli/commands/simulate/verdict.js';
import { buildPriceList, findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import { findWindow } from '#context/size/window.js';
import { type EngineOptions, engineOptions } from '#lab/drive/engine-options.js';
import { engines as builtInEngines } from '#lab/index.js';
import type { Simulation } from '#lab/simulate/document.js';
import { extractCheaper, listEarlierCompactions } from '#lab/simulate/earlier-compactions.js';
import { simulate, type SimulateOptions, type SimulationEngine } from '#lab/simulate/simulate.js';
import type { Files } from '#platform/files/files.js';
import { countDamage } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { type FileResult, withSessionFile } from '../file-result.js';

/** A session to simulate with built-in engines, by their names. */
export interface SimulateInput {
  readonly file: string;
  readonly engines: readonly string[];
  readonly options: SimulateOptions;
  /** Whether earlier compactions are simulated too. */
  readonly seeksCheaper?: boolean;
}

export type SimulatedOf = FileResult<{ readonly simulation: Simulation; readonly isDamaged: boolean }>;

export function simulateFile(files: Files, input: SimulateInput): Promise<SimulatedOf> {
  const { file, engines: names, options, seeksCheaper = false } = input;
  return readAndSimulate(files, file, (session) =>
    simulateSession(session, findBuiltIn(names), options, { seeksCheaper }),
  );
}

function findBuiltIn(names: readonly string[]): readonly SimulationEngine[] {
  return names.flatMap((name) => {
    const engine = builtInEngines.find((one) => one.name === name);
    return engine ? [{ name, make: engine.create }] : [];
  });
}

/** Simulates one file. */
export function readAndSimulate(
  files: Files,
  file: string,
  work: (session: OpenSession) => Promise<Simulation>,
): Promise<SimulatedOf> {
  return withSessionFile(files, file, async (session) => {
    const simulation = await work(session);
    const isDamaged = countDamage(session) > 0;
    return { simulation, isDamaged };
  });
}

export async function simulateSession(
  session: OpenSession,
  named: readonly SimulationEngine[],
  options: SimulateOptions,
  { seeksCheaper = false, onRequest }: { readonly seeksCheaper?: boolean; readonly onRequest?: () => void } = {},
): Promise<Simulation> {
  const priceList = buildPriceList();
  const earlier = seeksCheaper ? listEarlierCompactions(session, options.drive.settings) : [];
  const all = await simulate(session, [...named, ...earlier], withBudget(session, options), { onRequest, priceList });
  const { simulated, cheaper } = seeksCheaper
    ? extractCheaper(session, all, priceList)
    : { simulated: all, cheaper: null };
  const { engines, listedPrices, recorded } = simulated;
  const verdict = describeVerdict(engines, { listedPrices, billed: recorded?.totalCost ?? null });
  return { ...simulated, cheaper, verdict };
}

/** The answer to what would have been cheaper than a recorded session. */
export async function findCheaper(session: OpenSession, baseline: Baseline): Promise<Cheaper | null> {
  const drive = engineOptions(session, { baseline });
  const options = { drive, cache: DEFAULT_CACHE_OPTIONS, recordedMisses: false };
  return (await simulateSession(session, [], options, { seeksCheaper: true })).cheaper;
}

/** Uses the context window of the session's model as the default budget. */
function withBudget(session: OpenSession, options: SimulateOptions): SimulateOptions {
  if (options.drive.tokenBudget !== null) return options;
  const { tokens, source, model } = findWindow(session, activePath(session.tree), { assumedWindow: findAssumedWindow });
  if (tokens === null) return options;
  return {
    ...options,
    budgetModel: source === 'assumed' ? model : null,
    drive: { ...options.drive, tokenBudget: tokens },
  };
}

/** The options of `simulateEngines`. */
export interface SimulationSettings extends EngineOptions {
  /** The prompt cache of the provider (default: Anthropic's). */
  readonly cache?: CacheOptions;
}

/**
 * Replays a session under engines, by default all that are built in, and compares tokens, cache reads and cost with the
 * recorded run, as `ctx simulate --json` does.
 */
export function simulateEngines(
  session: OpenSession,
  engines: readonly SimulationEngine[] = builtInEngines.map(({ name, create }) => ({ name, make: create })),
  { cache = DEFAULT_CACHE_OPTIONS, ...options }: SimulationSettings = {},
): Promise<Simulation> {
  return simulateSession(session, engines, { drive: engineOptions(session, options), cache, recordedMisses: false });
}
