import { FAILED, type StartPartScan } from './part-scan/part.js';
import type { ByteSource } from './session/bytes.js';
import { RECORD_WORDS, recordsIn } from './session/line-scanner.js';
import type { Scan } from './session/scan.js';
import { type Reading, recordsOf, Scanning, SHORT_LINE_BYTES, TOP } from './session/scanning.js';
import { behindNewline } from './session/tail.js';

/** Another thread takes longer to start than to read less. */
const WORTH_A_THREAD = 200_000_000;
/** This thread also puts the lines of both in order, but begins earlier. */
const OWN_SHARE = 0.5;

interface Wanted extends Reading {
  partScanner(): Promise<StartPartScan | null>;
  /** Bytes of a file that is scanned in two threads. */
  readonly worthAThread?: number;
}

/** Scans a big file in two threads, any other in this one. What is found is the same. */
export async function scanTogether(
  source: ByteSource,
  file: string,
  { partScanner, worthAThread = WORTH_A_THREAD, ...reading }: Wanted,
): Promise<Scan> {
  const isWorthIt = source.canBeReopened && source.size >= worthAThread && !source.isDoubted;
  const start = isWorthIt ? await partScanner() : null;
  const middle = start ? behindNewline(source, Math.floor(source.size * OWN_SHARE)) : source.size;
  const part = { file, start: middle, end: source.size, words: sharedWords(source.size - middle) };
  const elsewhere = start ? start(part) : FAILED;
  const scanning = new Scanning(source, file, { ...TOP, ...reading });
  for (const records of recordsOf(source, 0, middle)) scanning.take(records);
  // A thread that failed leaves its part to this one.
  const count = await elsewhere;
  const rest = count === FAILED ? recordsOf(source, middle, source.size) : [recordsIn(part.words, count)];
  for (const records of rest) scanning.take(records);
  scanning.takeTail();
  return scanning.scan();
}

/** Room for the records of so many bytes that both threads see; what is not used takes no memory. */
function sharedWords(bytes: number): Uint32Array {
  const records = Math.ceil(bytes / SHORT_LINE_BYTES);
  return new Uint32Array(new SharedArrayBuffer(records * RECORD_WORDS * Uint32Array.BYTES_PER_ELEMENT));
}
