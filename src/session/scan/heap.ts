import type V8 from 'node:v8';
import { CtxError } from '#base/errors.js';

/** The share of the heap for entries; the rest is for the results. */
const MOST_FILLED = 0.45;
/** The heap is checked each time that this share of it was read. */
const STEP = 1 / 64;
/** The bytes of a session that fits in any heap. */
const FIRST_LOOK = 2 ** 20;
/** Garbage is not collected again before this share of the heap was allocated. */
const PAUSE = 1 / 16;
/** The bytes that a byte of JSON needs as text and as a value. */
const BYTES_PER_BYTE = 2;

/** The bytes that were read since the heap was checked. */
let unchecked = 0;
/** The use of the heap, in bytes, up to which garbage is not collected again. */
let collectAt = 0;

/**
 * Counts bytes of a session that are read to be parsed. Throws a CtxError (input) before they fill the heap: V8 would
 * otherwise end the process without an error message.
 */
export function countRead(file: string, bytes: number): void {
  unchecked += bytes;
  // Querying V8 loads much of Node.js, which a small session does not need.
  if (unchecked < FIRST_LOOK || unchecked < measureHeapLimit() * STEP) return;
  const needed = unchecked * BYTES_PER_BYTE;
  unchecked = 0;
  const most = measureHeapLimit() * MOST_FILLED;
  if (measureHeapUse() + needed <= Math.max(most, collectAt)) return;
  // Much of what is in use may be garbage, so it counts only once that is collected.
  collectGarbage();
  const filled = measureHeapUse() + needed;
  if (filled > most) throw buildFullHeapError(file);
  collectAt = filled + measureHeapLimit() * PAUSE;
}

let limit: number | undefined;

/**
 * Measures the limit in bytes, without the space for new objects, since the entries must fit. Each thread has its own
 * heap.
 */
function measureHeapLimit(): number {
  return (limit ??= Math.max(loadV8().getHeapStatistics().heap_size_limit - estimateYoungBytes(), LEAST_BYTES));
}

/** The limit is at least this, since the space for new objects is only estimated. */
const LEAST_BYTES = 24 * 2 ** 20;

/** The space for new objects, by the V8 of the version of Node.js: three semi-spaces of 16, 64 and 32 MB. */
function estimateYoungBytes(): number {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < 23) return 48 * 2 ** 20;
  return (major < 25 ? 192 : 96) * 2 ** 20;
}

function measureHeapUse(): number {
  return loadV8().getHeapStatistics().used_heap_size;
}

function loadV8(): typeof V8 {
  return process.getBuiltinModule('node:v8');
}

/** The function exists only in a context that is created after the flag was set. */
function collectGarbage(): void {
  loadV8().setFlagsFromString('--expose-gc');
  process.getBuiltinModule('node:vm').runInNewContext('gc')();
}

function buildFullHeapError(file: string): CtxError {
  const megabytes = Math.floor(measureHeapLimit() / 2 ** 20);
  return new CtxError('input', `this needs more memory than the ${megabytes} MB limit of Node.js`, {
    where: file,
    hint: `pass an earlier revision if the command accepts one, or set NODE_OPTIONS=--max-old-space-size=${megabytes * 2}`,
  });
}
