import os from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SharedScan, StartPartScan } from './scan-in-parallel.js';

// Apart from scan-in-parallel.ts, because every start of the program loads that one.

/** The function that scans a part of a file on another thread; null on a machine with one processor. */
export function findPartScanner(): StartPartScan | null {
  return os.availableParallelism() < 2 ? null : startPartScan;
}

function startPartScan(shared: SharedScan): Promise<void> {
  // The program is next to this file.
  const worker = new Worker(new URL('part-scan.js', import.meta.url), { workerData: shared });
  return new Promise((resolve) => {
    // Pieces that the worker has not scanned, for any reason, are left to the waiting thread.
    worker.once('message', () => resolve());
    worker.once('error', () => resolve());
    worker.once('exit', () => resolve());
  });
}
