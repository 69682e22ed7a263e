import { toVisible } from '#base/visible.js';
import { readAndSimulate, type SimulatedOf, simulateSession } from '#cli/sessions/jobs/simulate.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import threePhaseAssembly from '#lab/builtin/three-phase.js';
import { isEngineFile } from '#lab/index.js';
import { listEarlierCompactions } from '#lab/simulate/earlier-compactions.js';
import type { SimulateOptions, SimulationEngine } from '#lab/simulate/simulate.js';
import type { Io } from '#platform/io.js';
import { activePath } from '#session/tree/tree.js';
import { countTurns } from '#session/tree/turns.js';
import type { ReadConfig } from '../../config/read-config.js';
import { openEngine } from '../engine/open-engine.js';
import { loadSubagents } from '../engine/subagents.js';
import { toTimeLimit } from '../shared-flags.js';
import type { SimulateCall } from './flags.js';

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

/**
 * Runs what may have processes of its own in this thread: the user's engines and injectors. Other engines run in
 * several.
 */
export async function* runSimulations(
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

/** Simulates a session in this thread. One that is alone shows the progress of its requests. */
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
