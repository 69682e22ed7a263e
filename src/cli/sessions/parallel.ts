import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { SessionTables, TablesInput } from '#cli/tables/session-tables.js';
import { type Files, type Io, nodeFiles } from '#platform/io.js';
import type { LiteralFinder } from '#session/find/literal-finder.js';
import type { CheckInput } from './check.js';
import type { SimulatedOf, SimulateInput } from './simulate.js';
import type { StatsInput, StatsResult, UsageInput, UsageResult } from './stats.js';
import type { SessionSummary } from './summary.js';

/** The result of one job. */
export type JobResult<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: string; readonly cause: unknown };

/** One job for each of many inputs. */
export interface Batch<Name extends keyof Jobs> {
  readonly job: Name;
  readonly inputs: readonly Jobs[Name]['input'][];
  /** The bytes of each input; absent if only this thread can read them. */
  readonly sizes?: readonly number[];
  /** Told once for each job that is done, in any order. */
  onDone?(): void;
  /** Whether results of earlier runs are taken for files that have not changed, and new ones are remembered. */
  readonly isRemembered?: boolean;
  /** Whether an input is much work with a large result, so that few of them are done ahead. */
  readonly isLarge?: boolean;
  /** Whether this is a part of work that is worth threads. */
  readonly isWorthThreads?: boolean;
  /** Whether jobs need little memory, so that this thread does some of them too. */
  readonly isLight?: boolean;
}

type Results<Name extends keyof Jobs> = AsyncGenerator<readonly JobResultOf<Name>[]>;

/**
 * Runs jobs, in several threads if that is worth it. The results come in the order of the inputs, as soon as they are
 * ready; a failed job is a result too. The threads end when the consumer stops.
 */
export async function* runJobs<Name extends keyof Jobs>(io: Io, batch: Batch<Name>): Results<Name> {
  const index = batch.isRemembered ? await io.openIndex() : null;
  if (index === null) return yield* computed(io, batch);
  const { reuseResults } = await import('./result-index.js');
  yield* reuseResults(io, index, batch, (left) => computed(io, { ...batch, ...left }));
}

/** Like `runJobs`, but yields the outputs one by one. Throws the error of the first job that failed. */
export async function* runJobsOrThrow<Name extends keyof Jobs>(
  io: Io,
  batch: Batch<Name>,
): AsyncGenerator<Jobs[Name]['output']> {
  for await (const results of runJobs(io, batch)) {
    for (const result of results) {
      if (!result.ok) throw result.cause;
      yield result.output;
    }
  }
}

async function* computed<Name extends keyof Jobs>(io: Io, batch: Batch<Name>): Results<Name> {
  const { job, inputs, sizes = [], isLarge = false, isLight = false, onDone = () => {} } = batch;
  const here = isLight ? (_: string, pack: readonly unknown[]) => doneHere(io.files, job, pack) : undefined;
  const threads = (batch.isWorthThreads ?? isWorthThreads(job, sizes)) ? await io.startThreads(here) : null;
  try {
    if (threads) {
      const run = async (pack: InputsOf<Name>): Promise<readonly JobResultOf<Name>[]> => {
        // A thread does what this one would do, with the same code.
        const results = await threads.run(job, pack).catch((error: unknown) => pack.map(() => failureOf(error)));
        for (const _ of pack) onDone();
        return results as readonly JobResultOf<Name>[];
      };
      const packs = isLarge ? inputs.map((input) => [input]) : inPacks(inputs, threads.count);
      const ahead = threads.count * (isLarge ? LARGE_AHEAD_OF_EACH : AHEAD_OF_EACH);
      for await (const ready of inOrder(packs, run, ahead)) yield ready.flat();
    } else {
      yield* inOrder(inputs, (input) => settled(jobs[job](io.files, input)).finally(onDone), 1);
    }
  } finally {
    await threads?.end();
  }
}

/** The bytes beside the largest input below which starting threads takes longer than they save. */
const BIG_BYTES: { readonly [Name in keyof Jobs]: number } = {
  summarize: 10e6,
  stats: 10e6,
  usage: 10e6,
  simulate: 0.5e6,
  tables: 10e6,
  check: 5e6,
  mayHold: 50e6,
};

/** Whether inputs of these sizes are worth threads: one thread does the largest, the others must have enough to do. */
export function isWorthThreads(job: keyof Jobs, sizes: readonly number[]): boolean {
  const sum = sizes.reduce((all, size) => all + size, 0);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  return sum - largest >= BIG_BYTES[job];
}

type InputsOf<Name extends keyof Jobs> = readonly Jobs[Name]['input'][];
export type JobResultOf<Name extends keyof Jobs> = JobResult<Jobs[Name]['output']>;

/** The number of packs per thread that start before the oldest one ends: enough to keep threads busy during a long one. */
const AHEAD_OF_EACH = 8;
const LARGE_AHEAD_OF_EACH = 2;
/** The packs that each thread takes at least, so that the threads end at about the same time. */
const PACKS_OF_EACH = 16;
const MOST_TOGETHER = 16;

/** Passing a job to a thread takes time, so that a thread takes several of many jobs at once. */
function inPacks<Input>(inputs: readonly Input[], threads: number): readonly (readonly Input[])[] {
  const size = Math.min(MOST_TOGETHER, Math.ceil(inputs.length / (threads * PACKS_OF_EACH)));
  return Array.from({ length: Math.ceil(inputs.length / size) }, (_, at) => inputs.slice(at * size, (at + 1) * size));
}

interface Slot<Result> {
  readonly isFilled: Promise<void>;
  result?: { readonly value: Result };
}

/** Starts up to `ahead` jobs at once, and yields the results in order. */
async function* inOrder<Input, Result>(
  inputs: readonly Input[],
  begin: (input: Input) => Promise<Result>,
  ahead: number,
): AsyncGenerator<readonly Result[]> {
  const begun: Slot<Result>[] = [];
  let next = 0;
  for (;;) {
    for (const input of inputs.slice(next, next + ahead - begun.length)) {
      begun.push(slotOf(begin(input)));
      next += 1;
    }
    const [oldest] = begun;
    if (!oldest) return;
    await oldest.isFilled;
    const pending = begun.findIndex(({ result }) => result === undefined);
    const ready = begun.splice(0, pending === -1 ? begun.length : pending);
    yield ready.flatMap(({ result }) => (result ? [result.value] : []));
  }
}

/** `running` never fails: a failed job has a result with its error. */
function slotOf<Result>(running: Promise<Result>): Slot<Result> {
  const fill = async (): Promise<void> => {
    const value = await running;
    slot.result = { value };
  };
  const slot: Slot<Result> = { isFilled: fill() };
  return slot;
}

async function settled<Output>(running: Promise<Output>): Promise<JobResult<Output>> {
  try {
    return { ok: true, output: await running };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): JobResult<never> {
  return { ok: false, error: error instanceof Error ? error.message : String(error), cause: error };
}

/** The kinds of work for other threads, by name. Inputs and outputs are plain data. */
export interface Jobs {
  readonly summarize: { readonly input: string; readonly output: SessionSummary };
  readonly stats: { readonly input: StatsInput; readonly output: readonly StatsResult[] };
  readonly usage: { readonly input: UsageInput; readonly output: readonly UsageResult[] };
  readonly simulate: { readonly input: SimulateInput; readonly output: SimulatedOf };
  readonly tables: { readonly input: TablesInput; readonly output: SessionTables };
  readonly check: { readonly input: CheckInput; readonly output: CheckedFile };
  readonly mayHold: { readonly input: MayHoldInput; readonly output: boolean };
}

type Job<Name extends keyof Jobs> = (files: Files, input: Jobs[Name]['input']) => Promise<Jobs[Name]['output']>;

const jobs: { readonly [Name in keyof Jobs]: Job<Name> } = {
  summarize: async (files, file) => (await import('./summary.js')).summarizeSession(files, file),
  stats: async (files, input) => (await import('./stats.js')).countFamilyStats(files, input),
  usage: async (files, input) => (await import('./stats.js')).countFamilyUsage(files, input),
  simulate: async (files, input) => (await import('./simulate.js')).simulateFile(files, input),
  tables: async (files, input) => (await import('#cli/tables/session-tables.js')).readTables(files, input),
  mayHold,
  check: async (files, input) => {
    const { checkFile } = await import('./check.js');
    const { openSession } = await import('#context/open.js');
    return checkFile(input, (file) => openSession(file, files, { withoutHeader: true, withShapes: true }));
  },
};

/** The newest task of this thread, which may be given the next one before it ends. */
let newest: Promise<unknown> = Promise.resolve();

/** The work of a thread. */
export default function work<Name extends keyof Jobs>(task: {
  readonly job: Name;
  readonly inputs: readonly Jobs[Name]['input'][];
}): ReturnType<typeof runJobsHere<Name>> {
  const results = newest.then(() => runJobsHere(nodeFiles, task.job, task.inputs));
  newest = results;
  return results;
}

/** Does jobs in this thread, which answers the others after each of them. */
async function doneHere<Name extends keyof Jobs>(files: Files, name: Name, inputs: readonly unknown[]) {
  const results: JobResultOf<Name>[] = [];
  for (const input of inputs as InputsOf<Name>) {
    await new Promise(setImmediate);
    results.push(...(await runJobsHere(files, name, [input])));
  }
  return results;
}

/** Does jobs in this thread, one after the other. */
export async function runJobsHere<Name extends keyof Jobs>(
  files: Files,
  name: Name,
  inputs: InputsOf<Name>,
): Promise<readonly JobResultOf<Name>[]> {
  const results: JobResultOf<Name>[] = [];
  for (const input of inputs) results.push(await settled(jobs[name](files, input)));
  return results;
}

/** A file, and a text of printable ASCII characters. */
interface MayHoldInput {
  readonly file: string;
  readonly literal: string;
}

/** One for all files of this thread. */
let finder: LiteralFinder | undefined;

/** Whether a session may hold a text: as it is, or with escapes. */
async function mayHold(files: Files, { file, literal }: MayHoldInput): Promise<boolean> {
  const { openSessionSource } = await import('#context/open.js');
  const source = await openSessionSource(files, file);
  try {
    finder ??= new (await import('#session/find/literal-finder.js')).LiteralFinder();
    return finder.mayHold(source, literal);
  } finally {
    source.close();
  }
}
