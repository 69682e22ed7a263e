// What the other thread runs: no more than it needs, since the time until it begins is time without it.
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from '../open-file.js';
import { type Shared, scanFromEnd } from './part.js';

async function main(shared: Shared): Promise<void> {
  scanFromEnd(await openFile(shared.file), shared);
  parentPort?.postMessage('done');
}

void main(workerData as Shared);
