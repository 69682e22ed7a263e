import type V8 from 'node:v8';
import { CtxError } from '#base/errors.js';

/** The share of the heap that entries may fill: the rest is for what is made of them. */
const MOST_FILLED = 0.45;
/** The heap is looked at each time that this share of it was read. */
const STEP = 1 / 64;
/** Garbage is not collected again before this share of the heap was allocated. */
const PAUSE = 1 / 16;
/** A byte of JSON takes this many as text and as a value. */
const BYTES_PER_BYTE = 2;

let unchecked = 0;
let collectAt = 0;

/**
 * Counts bytes of a session that are read to be parsed. Throws a CtxError (input) before they fill the heap: V8 would
 * end the process, and nothing could be reported.
 */
export function countRead(file: string, bytes: number): void {
  unchecked += bytes;
  if (unchecked < heapLimit() * STEP) return;
  const needed = unchecked * BYTES_PER_BYTE;
  unchecked = 0;
  if (heapUsed() + needed <= Math.max(heapLimit() * MOST_FILLED, collectAt)) return;
  collectGarbage();
  const filled = heapUsed() + needed;
  if (filled > heapLimit() * MOST_FILLED) throw fullHeap(file);
  collectAt = filled + heapLimit() * PAUSE;
}

let limit: number | undefined;

/** In bytes, without the space for new objects: what stays has to fit. Each thread has a heap of its own. */
function heapLimit(): number {
  return (limit ??= Math.max(v8().getHeapStatistics().heap_size_limit - YOUNG_BYTES, YOUNG_BYTES / 2));
}

const YOUNG_BYTES = 48 * 2 ** 20;

function heapUsed(): number {
  return v8().getHeapStatistics().used_heap_size;
}

function v8(): typeof V8 {
  return process.getBuiltinModule('node:v8');
}

/** Only a context that is made after the flag has been set has the function. */
function collectGarbage(): void {
  v8().setFlagsFromString('--expose-gc');
  process.getBuiltinModule('node:vm').runInNewContext('gc')();
}

function fullHeap(file: string): CtxError {
  const megabytes = Math.floor(heapLimit() / 2 ** 20);
  return new CtxError('input', `this takes more memory than the ${megabytes} MB that Node.js may use`, {
    where: file,
    hint: `ask for an earlier entry where the command takes one, or set NODE_OPTIONS=--max-old-space-size=${megabytes * 2}`,
  });
}
