import os from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Shared, StartPartScan } from './part.js';

/** Starts a scan of a part of a file on another thread; null on a machine with one processor. */
export function partScanner(): StartPartScan | null {
  return os.availableParallelism() < 2 ? null : startPartScan;
}

function startPartScan(shared: Shared): Promise<void> {
  // The program stands beside this file.
  const worker = new Worker(new URL('part-scan.js', import.meta.url), { workerData: shared });
  return new Promise((resolve) => {
    // What it has not done by then, however it ended, is left to the thread that waits.
    worker.once('message', () => resolve());
    worker.once('error', () => resolve());
    worker.once('exit', () => resolve());
  });
}
