import type { Threads } from './threads.js';
import type { ByteSource } from './session/bytes.js';
import { RECORD_WORDS, recordsIn } from './session/line-scanner.js';
import type { Scan } from './session/scan.js';
import { type Reading, recordsOf, Scanning, SHORT_LINE_BYTES, TOP } from './session/scanning.js';
import { behindNewline } from './session/tail.js';

/** Another thread takes longer to start than to read less. */
const WORTH_A_THREAD = 200_000_000;
/** This thread also puts the lines of both in order, but begins earlier. */
const OWN_SHARE = 0.5;
/** A thread that has started is only given its work when this one pauses. */
const BETWEEN_PAUSES = 16_000_000;

interface Wanted extends Reading {
  startThreads(most: number): Promise<Threads | null>;
}

/** Scans a big file in two threads, any other in this one. What is found is the same. */
export async function scanTogether(
  source: ByteSource,
  file: string,
  { startThreads, ...reading }: Wanted,
): Promise<Scan> {
  const isWorthIt = source.canBeReopened && source.size >= WORTH_A_THREAD && !source.isDoubted;
  const threads = isWorthIt ? await startThreads(1) : null;
  const middle = threads ? behindNewline(source, Math.floor(source.size * OWN_SHARE)) : source.size;
  const part = { file, start: middle, end: source.size, words: sharedWords(threads ? source.size - middle : 0) };
  // The job of that name is scanPart, below.
  const other = threads?.run('scan', part) as Promise<number> | undefined;
  const elsewhere = other?.catch(() => FAILED);
  const scanning = new Scanning(source, file, { ...TOP, ...reading });
  let pauseAt = 0;
  for (const records of recordsOf(source, 0, middle)) {
    scanning.take(records);
    if (!threads || scanning.end < pauseAt) continue;
    pauseAt = scanning.end + BETWEEN_PAUSES;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  // A thread that failed leaves its part to this one.
  const count = (await elsewhere) ?? FAILED;
  const rest = count === FAILED ? recordsOf(source, middle, source.size) : [recordsIn(part.words, count)];
  for (const records of rest) scanning.take(records);
  scanning.takeTail();
  // Nobody has to wait for that.
  void threads?.end();
  return scanning.scan();
}

/** Room for the records of so many bytes that both threads see; what is not used takes no memory. */
function sharedWords(bytes: number): Uint32Array {
  const records = Math.ceil(bytes / SHORT_LINE_BYTES);
  return new Uint32Array(new SharedArrayBuffer(records * RECORD_WORDS * Uint32Array.BYTES_PER_ELEMENT));
}

const FAILED = -1;

/** The lines from `start`, where one begins, to the end of a file of `end` bytes, and where their records go. */
export interface PartPlace {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly words: Uint32Array;
}

/** Writes down the records of a part of a file, and gives their number; FAILED where there is no room for them. */
export function scanPart(source: ByteSource, { start, end, words }: PartPlace): number {
  // What has grown since is somebody else's to see, and what has shrunk cannot be read.
  if (source.size < end) return FAILED;
  let length = 0;
  for (const { count, words: found } of recordsOf(source, start, end)) {
    if (length + count * RECORD_WORDS > words.length) return FAILED;
    words.set(found.subarray(0, count * RECORD_WORDS), length);
    length += count * RECORD_WORDS;
  }
  return length / RECORD_WORDS;
}
