import os from 'node:os';
import { Tinypool } from 'tinypool';

/** Other threads of this process, which do the jobs of src/cli/sessions/. */
export interface Threads {
  /** Waits for a free thread. Rejects with what the job threw. */
  run(job: string, input: unknown): Promise<unknown>;
  /** How many jobs are done at once. */
  readonly count: number;
  /** Ends the threads, whatever they are at. */
  end(): Promise<void>;
}

const MOST_THREADS = 4;

/** Null on a machine that does only one thing at a time. */
export function startThreads(): Threads | null {
  const processors = os.availableParallelism();
  if (processors < 2) return null;
  const count = Math.min(processors, MOST_THREADS);
  const pool = new Tinypool({
    // The program stands beside this file; what it exports by default does the jobs.
    filename: new URL('main.js', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
  });
  // A thread that cannot even start has no job to fail, so every job fails.
  pool.on('error', () => void pool.destroy());
  return {
    count,
    run: (job, input) => pool.run({ job, input }),
    end: () => pool.destroy(),
  };
}
