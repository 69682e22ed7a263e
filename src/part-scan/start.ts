import os from 'node:os';
import { Worker } from 'node:worker_threads';
import { FAILED, type Part, type StartPartScan } from './part.js';

/** What has another thread scan a part of a file; null on a machine that does only one thing at a time. */
export function partScanner(): StartPartScan | null {
  return os.availableParallelism() < 2 ? null : startPartScan;
}

function startPartScan(part: Part): Promise<number> {
  // The program stands beside this file.
  const worker = new Worker(new URL('part-scan.js', import.meta.url), { workerData: part });
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', () => resolve(FAILED));
    worker.once('exit', () => resolve(FAILED));
  });
}
