import type { ByteSource } from '../session/bytes.js';
import { RECORD_WORDS } from '../session/line-scanner.js';
import { recordsOf } from '../session/scanning.js';

/** The lines from `start`, where one begins, to the end of a file of `end` bytes, and where their records go. */
export interface Part {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** Memory that both threads see. */
  readonly words: Uint32Array;
}

/** Begins to scan a part at once, and gives the number of its records in the end; FAILED where that could not be done. */
export type StartPartScan = (part: Part) => Promise<number>;

/** Instead of a number of records. */
export const FAILED = -1;

/** Writes down the records of a part of a file, and gives their number; FAILED where there is no room for them. */
export function scanPart(source: ByteSource, { start, end, words }: Part): number {
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
