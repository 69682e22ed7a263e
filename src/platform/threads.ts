import os from 'node:os';
import { Tinypool } from 'tinypool';

/** Worker threads for the jobs of src/cli/sessions/. */
export interface Threads {
  /** Waits for a free thread, which does a job for each input. Rejects if the thread ends before. */
  run(job: string, inputs: readonly unknown[]): Promise<readonly unknown[]>;
  readonly count: number;
  /** Ends the threads in any state. */
  end(): Promise<void>;
}

const MOST_THREADS = 4;

/** Null on a machine with one processor. */
export function startThreads(): Threads | null {
  const processors = os.availableParallelism();
  if (processors < 2) return null;
  const count = Math.min(processors, MOST_THREADS);
  const pool = new Tinypool({
    // The program is next to this file; its default export runs the jobs.
    filename: new URL('main.js', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  // A thread that cannot start has no job to fail, so every job fails.
  pool.on('error', () => void pool.destroy());
  return {
    count,
    run: (job, inputs) => pool.run({ job, inputs }) as Promise<readonly unknown[]>,
    end: () => pool.destroy(),
  };
}
