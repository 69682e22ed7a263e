import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { toVisible } from '#base/visible.js';
import { listFileWarnings } from '#cli/sessions/file-result.js';
import { readAndSimulate, type SimulatedOf, simulateSession } from '#cli/sessions/jobs/simulate.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import threePhaseAssembly from '#lab/builtin/three-phase.js';
import { isEngineFile } from '#lab/index.js';
import { describeLoadHint } from '#lab/plugin-process/failure.js';
import type { SimulatedEngine, Simulation, SimulationSummary, Sums } from '#lab/simulate/document.js';
import { listEarlierCompactions } from '#lab/simulate/earlier-compactions.js';
import { type SimulateOptions, type SimulationEngine, toSimulationOptions } from '#lab/simulate/simulate.js';
import { type SessionSums, summarizeSimulations, toSessionSums } from '#lab/simulate/summary.js';
import { addSums } from '#lab/simulate/sums.js';
import type { Io } from '#platform/io.js';
import { activePath } from '#session/tree/tree.js';
import { countTurns } from '#session/tree/turns.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { ReadConfig } from '../../config/read-config.js';
import type { Outcome, OutcomeEnd } from '../define.js';
import { openEngine } from '../engine/open-engine.js';
import { loadSubagents } from '../engine/subagents.js';
import { toTimeLimit } from '../shared-flags.js';
import { writeSimulationCsv, writeSimulationCsvHead } from './csv.js';
import type { SimulateCall } from './flags.js';
import { renderSimulationSummary } from './summary.js';
import { describeVerdict } from './verdict.js';
import { renderSimulation } from './view.js';

/** The files, engines and options of a simulation. */
export interface SimulateWork {
  readonly files: readonly NamedFile[];
  /** The names of the engines, the recorded run first. */
  readonly names: readonly string[];
  readonly options: SimulateOptions;
  readonly config: ReadConfig;
  /** Whether earlier compactions are simulated too. */
  readonly seeksCheaper: boolean;
}

/** Simulates sessions, and reports as it goes. */
export function simulateSessions(input: SimulateCall, work: SimulateWork): Outcome {
  const tally = new Tally();
  const end = (): OutcomeEnd => tally.end(work.files);
  if (input.format === 'csv') return { kind: 'pieces', pieces: streamCsv(input, work, tally), end };
  return { kind: 'stream', batches: streamReports(input, work, tally), end };
}

async function* streamCsv(input: SimulateCall, work: SimulateWork, tally: Tally): AsyncGenerator<string> {
  yield writeSimulationCsvHead();
  for await (const simulation of streamSimulations(input, work, tally)) yield writeSimulationCsv(simulation);
}

async function* streamReports(
  input: SimulateCall,
  work: SimulateWork,
  tally: Tally,
): AsyncGenerator<readonly Printable[]> {
  const { io, flags, format } = input;
  const isMany = work.files.length > 1;
  const layout = { isDrawn: flags.chart ?? io.stdout.isTerminal, isFull: flags.full ?? false };
  for await (const simulation of streamSimulations(input, work, tally)) {
    if (isMany && format !== 'json' && !flags.each) continue;
    const data = layout.isFull ? simulation : leaveOutLists(simulation);
    yield [{ data, doc: (view) => [...renderSimulation(simulation, layout, view), ...(isMany ? [GAP] : [])] }];
  }
  // The summary of one session has its figures again.
  if (!isMany && (format !== 'json' || !layout.isFull)) return;
  const { summary, billed } = tally.summary(work);
  yield [{ data: summary, doc: (view) => renderSimulationSummary(summary, { billed, isFull: layout.isFull }, view) }];
}

/** A simulation without the lists that grow with the session, and that the screen does not have. */
function leaveOutLists(simulation: Simulation): Simulation {
  const { requests, engines } = simulation;
  const leftOut = {
    requests: requests.length,
    overflowed: sumBy(engines, ({ overflowed }) => overflowed.length),
    shrinks: sumBy(engines, ({ shrinks }) => shrinks.length),
    rereads: sumBy(engines, ({ rereads }) => rereads.length),
  };
  return { ...simulation, requests: [], engines: engines.map((engine) => ({ ...engine, ...NO_LISTS })), leftOut };
}

const NO_LISTS = {
  series: { tokens: [], cachedTokens: [], rebilledTokens: [], costs: [] },
  overflowed: [],
  shrinks: [],
  rereads: [],
} satisfies Partial<SimulatedEngine>;

const GAP = { kind: 'gap' } as const;

/** The sessions that can be read, in the order of their files. Throws a CtxError (input) if none can. */
async function* streamSimulations(input: SimulateCall, work: SimulateWork, tally: Tally): AsyncGenerator<Simulation> {
  await using progress = startProgress(input.io, work.files.length, 'sessions');
  for await (const done of runSimulations(input, work, () => progress.step())) {
    tally.take(done);
    if (!done.ok) continue;
    refuseNoEngine(done.simulation);
    await progress.clear();
    yield done.simulation;
    progress.again();
  }
  tally.refuseNothing();
}

/**
 * Runs what may have processes of its own in this thread: the user's engines and injectors. Other engines run in
 * several.
 */
async function* runSimulations(
  input: SimulateCall,
  work: SimulateWork,
  onDone: () => void,
): AsyncGenerator<SimulatedOf> {
  const { files, names, options, config } = work;
  const isAssembled = config.config.assembly !== undefined && names.includes(threePhaseAssembly.name);
  // A single session runs in this thread, which can show its progress.
  if (isAssembled || names.some(isEngineFile) || files.length === 1) {
    for (const { file } of files) {
      yield await simulateHere(input, file, work);
      onDone();
    }
    return;
  }
  const sizes = files.map(({ size }) => size);
  const { seeksCheaper } = work;
  const inputs = files.map(({ file }) => ({ file, engines: names, options, seeksCheaper }));
  yield* runJobsOrThrow(input.io, { job: 'simulate', inputs, sizes, onDone });
}

function simulateHere({ io, flags }: SimulateCall, file: string, work: SimulateWork): Promise<SimulatedOf> {
  const { names, options, files, config, seeksCheaper } = work;
  const timeLimit = toTimeLimit(flags['time-limit']);
  return io.untilInterrupted(async (signal) => {
    // An engine ends the processes of its injectors with it, so these engines are for one session.
    const opened = await Promise.all(names.map((name) => openEngine(name, { io, config, timeLimit, signal })));
    const engines = opened.map((engine) => ({ ...engine, onFailure: buildDebugPrinter(io) }));
    return readAndSimulate(io.files, file, async (session) => {
      const { host = {} } = options.drive;
      const children = loadSubagents(io.files, { session, path: activePath(session.tree), host });
      const drive = { ...options.drive, signal, children };
      const earlier = seeksCheaper ? listEarlierCompactions(session, options.drive.settings).length : 0;
      const total = countTurns(activePath(session.tree)).requests * (names.length + earlier);
      await using progress = files.length === 1 ? startProgress(io, total, 'requests') : null;
      return await simulateSession(
        session,
        engines,
        { ...options, drive },
        { seeksCheaper, onRequest: () => progress?.step() },
      );
    });
  });
}

/** Prints where an engine failed, with CTX_DEBUG. */
function buildDebugPrinter({ env, stderr }: Io): NonNullable<SimulationEngine['onFailure']> {
  return ({ stack }) => {
    if (stack === null || env.CTX_DEBUG !== '1') return;
    void stderr.write(`${toVisible(stack)}\n`).catch(() => false);
  };
}

/** Throws if an engine cannot be created, since it would fail for every session. */
function refuseNoEngine({ engines }: Simulation): void {
  const broken = engines.find(({ failure }) => failure?.method === 'create' && failure.kind !== 'cancelled');
  if (!broken?.failure) return;
  throw new CtxError('input', `the engine cannot be loaded: ${broken.failure.message}`, {
    where: broken.name,
    hint: describeLoadHint(
      broken.failure,
      'write export default { info, ingest, assemble, compact }, or a function that makes one',
    ),
  });
}

/** Collects what the end of the report needs of each session. */
class Tally {
  private readonly sessions: SessionSums[] = [];
  private readonly recorded: Sums[] = [];
  private readonly unreadable: { file: string; error: string }[] = [];
  private readonly damaged: string[] = [];
  private hasFailed = false;

  take(done: SimulatedOf): void {
    if (!done.ok) {
      this.unreadable.push({ file: done.file, error: done.error });
      return;
    }
    const { simulation, isDamaged, file } = done;
    this.sessions.push(toSessionSums(simulation));
    if (simulation.recorded) this.recorded.push(simulation.recorded);
    if (isDamaged) this.damaged.push(file);
    if (simulation.engines.some(({ failure, breaches }) => failure !== null || breaches.length > 0))
      this.hasFailed = true;
  }

  refuseNothing(): void {
    const [first] = this.unreadable;
    if (this.sessions.length > 0 || !first) return;
    throw new CtxError('input', `no session could be simulated: ${first.error}`, { where: first.file });
  }

  summary({ names, options }: SimulateWork): { readonly summary: SimulationSummary; readonly billed: Sums | null } {
    const { sessions, unreadable, recorded } = this;
    const summed = summarizeSimulations({ sessions, unreadable, names, options: toSimulationOptions(options) });
    return {
      summary: { ...summed, verdict: describeVerdict(summed.engines, summed) },
      billed: recorded.length === 0 ? null : addSums(recorded),
    };
  }

  end(files: readonly NamedFile[]): OutcomeEnd {
    const [only, ...others] = files;
    const problems = listFileWarnings(this.unreadable, this.damaged);
    const exitCode = this.hasFailed ? 1 : 0;
    return { problems, exitCode, file: others.length === 0 ? only?.file : undefined };
  }
}
