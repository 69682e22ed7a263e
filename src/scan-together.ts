import type { Threads } from './threads.js';
import type { ByteSource } from './session/bytes.js';
import { RECORD_WORDS, type Records } from './session/line-scanner.js';
import type { Scan } from './session/scan.js';
import { recordsOf, Scanning } from './session/scanning.js';
import { behindNewline } from './session/tail.js';

/** Another thread takes longer to start than to read less. */
const WORTH_A_THREAD = 200_000_000;
/** This thread also puts the lines of both in order, but begins earlier. */
const OWN_SHARE = 0.5;
/** A thread that has started is only given its work when this one pauses. */
const BETWEEN_PAUSES = 16_000_000;

/** Scans a big file in two threads, any other in this one. What is found is the same. */
export async function scanTogether(
  source: ByteSource,
  file: string,
  startThreads: (most: number) => Promise<Threads | null>,
): Promise<Scan> {
  const threads = source.size < WORTH_A_THREAD || source.isDoubted ? null : await startThreads(1);
  const middle = threads ? behindNewline(source, Math.floor(source.size * OWN_SHARE)) : source.size;
  // The job of that name is scanPart, below.
  const other = threads?.run('scan', { file, start: middle, end: source.size }) as Promise<Part> | undefined;
  const elsewhere = other?.catch(() => null);
  const scanning = new Scanning(source, file);
  let pauseAt = 0;
  for (const records of recordsOf(source, 0, middle)) {
    scanning.take(records);
    if (!threads || scanning.end < pauseAt) continue;
    pauseAt = scanning.end + BETWEEN_PAUSES;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  // A thread that failed leaves its part to this one.
  const rest = (await elsewhere) ?? recordsOf(source, middle, source.size);
  for (const records of rest) scanning.take(records);
  scanning.takeTail();
  await threads?.end();
  return scanning.scan();
}

type Part = readonly Records[];

/** The lines from `start`, where one begins, to the end of a file of `end` bytes. */
export interface PartPlace {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** The records of a part of a file, for another thread. Throws where the file has another size by now. */
export function scanPart(source: ByteSource, { start, end }: PartPlace): Part {
  if (source.size !== end) throw new Error('the file has changed');
  return Array.from(recordsOf(source, start, end), copyOf);
}

function copyOf({ count, words }: Records): Records {
  const copy = words.slice(0, count * RECORD_WORDS);
  return { count, words: copy, doubles: new Float64Array(copy.buffer) };
}
