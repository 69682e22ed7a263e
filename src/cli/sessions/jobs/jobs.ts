import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { SessionWords } from '#analysis/search/word-index.js';
import type { SessionTables, TablesInput } from '#cli/tables/session-tables.js';
import type { Files } from '#platform/files/files.js';
import { nodeFiles } from '#platform/files/node-files.js';
import type { CacheMissesInput, CacheMissesResult } from './cache-misses.js';
import type { CheckInput } from './check-file.js';
import type { MayHoldInput } from './may-hold.js';
import type { OverheadInput, OverheadResult } from './overhead.js';
import type { SimulatedOf, SimulateInput } from './simulate.js';
import type { StatsInput, StatsResult, UsageInput, UsageResult } from './stats.js';
import type { SessionSummary } from './summarize-session.js';

/** The kinds of work for other threads, by name. Inputs and outputs are plain data. */
export interface Jobs {
  readonly summarize: { readonly input: string; readonly output: SessionSummary };
  readonly stats: { readonly input: StatsInput; readonly output: readonly StatsResult[] };
  readonly usage: { readonly input: UsageInput; readonly output: readonly UsageResult[] };
  readonly simulate: { readonly input: SimulateInput; readonly output: SimulatedOf };
  readonly tables: { readonly input: TablesInput; readonly output: SessionTables };
  readonly cache: { readonly input: CacheMissesInput; readonly output: readonly CacheMissesResult[] };
  readonly overhead: { readonly input: OverheadInput; readonly output: readonly OverheadResult[] };
  readonly check: { readonly input: CheckInput; readonly output: CheckedFile };
  readonly words: { readonly input: string; readonly output: SessionWords };
  readonly mayHold: { readonly input: MayHoldInput; readonly output: boolean };
}

type Job<Name extends keyof Jobs> = (files: Files, input: Jobs[Name]['input']) => Promise<Jobs[Name]['output']>;

/** Each job loads its code when it is first done. */
export const jobs: { readonly [Name in keyof Jobs]: Job<Name> } = {
  summarize: async (files, file) => (await import('./summarize-session.js')).summarizeSession(files, file),
  stats: async (files, input) => (await import('./stats.js')).countFamilyStats(files, input),
  usage: async (files, input) => (await import('./stats.js')).countFamilyUsage(files, input),
  simulate: async (files, input) => (await import('./simulate.js')).simulateFile(files, input),
  cache: async (files, input) => (await import('./cache-misses.js')).readFamilyMisses(files, input),
  overhead: async (files, input) => (await import('./overhead.js')).readFamilyOverhead(files, input),
  tables: async (files, input) => (await import('#cli/tables/session-tables.js')).readTables(files, input),
  words: async (files, file) => (await import('./read-words.js')).readWords(files, file),
  mayHold: async (files, input) => (await import('./may-hold.js')).mayHold(files, input),
  check: async (files, input) => {
    const { checkFile } = await import('./check-file.js');
    const { openSession } = await import('#context/open.js');
    return checkFile(input, (file) => openSession(file, files, { withoutHeader: true, withShapes: true }));
  },
};

/** The result of one job. */
export type JobResult<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: string; readonly cause: unknown };

export type InputsOf<Name extends keyof Jobs> = readonly Jobs[Name]['input'][];
export type JobResultOf<Name extends keyof Jobs> = JobResult<Jobs[Name]['output']>;

/** One job for each of many inputs. */
export interface Batch<Name extends keyof Jobs> {
  readonly job: Name;
  readonly inputs: readonly Jobs[Name]['input'][];
  /** The bytes of each input; absent if only this thread can read them. */
  readonly sizes?: readonly number[] | undefined;
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

/** The newest task of this thread, which may be given the next one before it ends. */
let newest: Promise<unknown> = Promise.resolve();

/** The work of a thread. */
export default function work<Name extends keyof Jobs>(task: {
  readonly job: Name;
  readonly inputs: readonly Jobs[Name]['input'][];
}): Promise<readonly JobResultOf<Name>[]> {
  const results = newest.then(() => runJobsHere(nodeFiles, task.job, task.inputs));
  newest = results;
  return results;
}

/** Does jobs in this thread, one after the other. */
export async function runJobsHere<Name extends keyof Jobs>(
  files: Files,
  name: Name,
  inputs: InputsOf<Name>,
): Promise<readonly JobResultOf<Name>[]> {
  const results: JobResultOf<Name>[] = [];
  for (const input of inputs) results.push(await settle(jobs[name](files, input)));
  return results;
}

export async function settle<Output>(running: Promise<Output>): Promise<JobResult<Output>> {
  try {
    return { ok: true, output: await running };
  } catch (error) {
    return toFailure(error);
  }
}

export function toFailure(error: unknown): JobResult<never> {
  return { ok: false, error: error instanceof Error ? error.message : String(error), cause: error };
}
