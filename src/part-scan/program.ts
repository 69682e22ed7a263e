// What the other thread runs: no more than it needs, since the time until it begins is time without it.
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from '../open-file.js';
import { type Shared, scanFromEnd } from './part.js';

const shared = workerData as Shared;
void openFile(shared.file).then((source) => {
  scanFromEnd(source, shared);
  parentPort?.postMessage('done');
});
