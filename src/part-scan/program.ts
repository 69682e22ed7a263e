// What the other thread runs: no more than it needs, since the time until it begins is time without it.
import { parentPort, workerData } from 'node:worker_threads';
import { openFile } from '../open-file.js';
import { type Part, scanPart } from './part.js';

const part = workerData as Part;
void openFile(part.file).then((source) => parentPort?.postMessage(scanPart(source, part)));
