// The program of the other thread: it loads as little as possible, to start early.
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from '../open-file.js';
import { scanFromEnd, type SharedScan } from './scan-in-parallel.js';

async function main(shared: SharedScan): Promise<void> {
  scanFromEnd(await openFile(shared.file), shared);
  parentPort?.postMessage('done');
}

void main(workerData as SharedScan);
