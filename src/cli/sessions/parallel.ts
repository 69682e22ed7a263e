import type { Files } from '#platform/files/files.js';
import type { Io } from '#platform/io.js';
import {
  type Batch,
  type InputsOf,
  type JobResultOf,
  type Jobs,
  jobs,
  runJobsHere,
  settle,
  toFailure,
} from './jobs/jobs.js';

type Results<Name extends keyof Jobs> = AsyncGenerator<readonly JobResultOf<Name>[]>;

/**
 * Runs jobs, in several threads if that is worth it. The results come in the order of the inputs, as soon as they are
 * ready; a failed job is a result too. The threads end when the consumer stops.
 */
export async function* runJobs<Name extends keyof Jobs>(io: Io, batch: Batch<Name>): Results<Name> {
  const index = batch.isRemembered ? await io.openIndex() : null;
  if (index === null) return yield* computeJobs(io, batch);
  const { reuseResults } = await import('./result-index.js');
  yield* reuseResults(io, index, batch, (left) => computeJobs(io, { ...batch, ...left }));
}

/** Runs jobs, and yields their outputs one by one. Throws the error of the first job that failed. */
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

async function* computeJobs<Name extends keyof Jobs>(io: Io, batch: Batch<Name>): Results<Name> {
  const { job, inputs, sizes = [], isLarge = false, isLight = false, onDone = () => {} } = batch;
  const here = isLight ? (_: string, pack: readonly unknown[]) => answerBetween(io.files, job, pack) : undefined;
  const threads = (batch.isWorthThreads ?? isWorthThreads(job, sizes)) ? await io.startThreads(here) : null;
  try {
    if (threads) {
      const run = async (pack: InputsOf<Name>): Promise<readonly JobResultOf<Name>[]> => {
        // A thread does what this one would do, with the same code.
        const results = await threads.run(job, pack).catch((error: unknown) => pack.map(() => toFailure(error)));
        for (const _ of pack) onDone();
        return results as readonly JobResultOf<Name>[];
      };
      const packs = isLarge ? inputs.map((input) => [input]) : splitIntoPacks(inputs, threads.count);
      const ahead = threads.count * (isLarge ? LARGE_AHEAD_OF_EACH : AHEAD_OF_EACH);
      for await (const ready of runInOrder(packs, run, ahead)) yield ready.flat();
    } else {
      yield* runInOrder(inputs, (input) => settle(jobs[job](io.files, input)).finally(onDone), 1);
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
  cache: 3e6,
  overhead: 3e6,
  tables: 10e6,
  check: 5e6,
  words: 5e6,
  mayHold: 50e6,
};

/** Whether inputs of these sizes are worth threads: one thread does the largest, the others must have enough to do. */
export function isWorthThreads(job: keyof Jobs, sizes: readonly number[]): boolean {
  const sum = sizes.reduce((all, size) => all + size, 0);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  return sum - largest >= BIG_BYTES[job];
}

/**
 * The number of packs per thread that start before the oldest one ends: enough to keep threads busy during a long one.
 */
const AHEAD_OF_EACH = 8;
const LARGE_AHEAD_OF_EACH = 2;
/** The packs that each thread takes at least, so that the threads end at about the same time. */
const PACKS_OF_EACH = 16;
const MOST_TOGETHER = 16;

/** Passing a job to a thread takes time, so that a thread takes several of many jobs at once. */
function splitIntoPacks<Input>(inputs: readonly Input[], threads: number): readonly (readonly Input[])[] {
  const size = Math.min(MOST_TOGETHER, Math.ceil(inputs.length / (threads * PACKS_OF_EACH)));
  return Array.from({ length: Math.ceil(inputs.length / size) }, (_, at) => inputs.slice(at * size, (at + 1) * size));
}

interface Run<Result> {
  readonly isFilled: Promise<void>;
  result?: { readonly value: Result };
}

/** Starts up to `ahead` jobs at once, and yields the results in order. */
async function* runInOrder<Input, Result>(
  inputs: readonly Input[],
  begin: (input: Input) => Promise<Result>,
  ahead: number,
): AsyncGenerator<readonly Result[]> {
  const begun: Run<Result>[] = [];
  let next = 0;
  for (;;) {
    for (const input of inputs.slice(next, next + ahead - begun.length)) {
      begun.push(startRun(begin(input)));
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
function startRun<Result>(running: Promise<Result>): Run<Result> {
  const fill = async (): Promise<void> => {
    const value = await running;
    run.result = { value };
  };
  const run: Run<Result> = { isFilled: fill() };
  return run;
}

/** Does jobs in this thread, which answers the others after each of them. */
async function answerBetween<Name extends keyof Jobs>(files: Files, name: Name, inputs: readonly unknown[]) {
  const results: JobResultOf<Name>[] = [];
  for (const input of inputs as InputsOf<Name>) {
    await new Promise(setImmediate);
    results.push(...(await runJobsHere(files, name, [input])));
  }
  return results;
}
