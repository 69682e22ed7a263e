import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { Files } from '#platform/io.js';
import type { CheckInput } from './check.js';
import type { SimulatedOf, SimulateInput } from './simulate.js';
import type { StatsInput, StatsOf } from './stats.js';
import type { SessionSummary } from './summary.js';

/** Work that other threads can do, by name: what is given to it and what it gives back is plain data. */
export interface Jobs {
  readonly summarize: { readonly input: string; readonly output: SessionSummary };
  readonly stats: { readonly input: StatsInput; readonly output: readonly StatsOf[] };
  readonly simulate: { readonly input: SimulateInput; readonly output: SimulatedOf };
  readonly check: { readonly input: CheckInput; readonly output: CheckedFile };
}

type Job<Name extends keyof Jobs> = (files: Files, input: Jobs[Name]['input']) => Promise<Jobs[Name]['output']>;

const jobs: { readonly [Name in keyof Jobs]: Job<Name> } = {
  summarize: async (files, file) => (await import('./summary.js')).summarize(files, file),
  stats: async (files, input) => (await import('./stats.js')).statsOfFamily(files, input),
  simulate: async (files, input) => (await import('./simulate.js')).simulateFile(files, input),
  check: async (files, input) => {
    const { checkFile } = await import('./check.js');
    const { openSession } = await import('#context/open.js');
    return checkFile(input, (file) => openSession(file, files, { withoutHeader: true }));
  },
};

/** Does a job in this thread. */
export function doJob<Name extends keyof Jobs>(
  files: Files,
  name: Name,
  input: Jobs[Name]['input'],
): Promise<Jobs[Name]['output']> {
  return jobs[name](files, input);
}
