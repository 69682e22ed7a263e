import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { startProgress } from '#cli/sessions/progress.js';
import { describeLoadHint } from '#lab/plugin-process/failure.js';
import type { SimulatedEngine, Simulation } from '#lab/simulate/document.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { Outcome, OutcomeEnd } from '../define.js';
import { writeSimulationCsv, writeSimulationCsvHead } from './csv.js';
import type { SimulateCall } from './flags.js';
import { runSimulations, type SimulateWork } from './run-simulations.js';
import { renderSimulationSummary } from './summary.js';
import { SimulationTally } from './tally.js';
import { renderSimulation } from './view.js';

/** Simulates sessions, and reports as it goes. */
export function simulateSessions(input: SimulateCall, work: SimulateWork): Outcome {
  const tally = new SimulationTally();
  const end = (): OutcomeEnd => tally.buildEnd(work.files);
  if (input.format === 'csv') return { kind: 'pieces', pieces: streamCsv(input, work, tally), end };
  return { kind: 'stream', batches: streamReports(input, work, tally), end };
}

async function* streamCsv(input: SimulateCall, work: SimulateWork, tally: SimulationTally): AsyncGenerator<string> {
  yield writeSimulationCsvHead();
  for await (const simulation of streamSimulations(input, work, tally)) yield writeSimulationCsv(simulation);
}

async function* streamReports(
  input: SimulateCall,
  work: SimulateWork,
  tally: SimulationTally,
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
  const { summary, billed } = tally.summarize(work);
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
async function* streamSimulations(
  input: SimulateCall,
  work: SimulateWork,
  tally: SimulationTally,
): AsyncGenerator<Simulation> {
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
