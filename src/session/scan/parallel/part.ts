import { behindNewline, type ByteSource } from '../bytes.js';
import { RECORD_WORDS, type Records, recordsIn } from '../line-scanner.js';
import type { Scan } from '../scan.js';
import { FILE_START, recordsOf, scan, Scanning, type ScanOptions } from '../scanning.js';

/** For fewer bytes, starting another thread takes longer than reading them. */
const WORTH_A_THREAD = 200_000_000;

interface ParallelOptions extends ScanOptions {
  partScanner(): Promise<StartPartScan | null>;
  /** The minimum size of a file that is scanned in two threads. */
  readonly worthAThread?: number;
  /** The size of the piece that a thread takes at once. */
  readonly pieceBytes?: number;
}

/** Scans a large file in two threads, any other in this one. The result is the same. */
export async function scanParallel(
  source: ByteSource,
  file: string,
  { partScanner, worthAThread = WORTH_A_THREAD, pieceBytes, ...reading }: ParallelOptions,
): Promise<Scan> {
  const isWorthIt = source.canBeReopened && source.size >= worthAThread && !source.isStrict;
  const start = isWorthIt ? await partScanner() : null;
  if (!start) return scan(source, file, reading);
  const both = sharedFor(file, source.size, pieceBytes);
  const elsewhere = start(both);
  const scanning = new Scanning(source, file, { ...FILE_START, ...reading });
  const takeHere = (piece: number): void => {
    const end = endOfPiece(source, both, piece, scanning.end);
    for (const records of recordsOf(source, scanning.end, end)) scanning.take(records);
  };
  let piece = 0;
  for (; claimPiece(both); piece += 1) takeHere(piece);
  await elsewhere;
  for (; piece < both.counts.length; piece += 1) {
    const found = foundIn(both, piece);
    if (found) scanning.take(found);
    else takeHere(piece);
  }
  scanning.takeTail();
  return scanning.scan();
}

/** Large enough to make the overhead negligible, small enough to keep the wait for the last piece short. */
const PIECE_BYTES = 1 << 23;
/** Enough for lines a quarter as long as most; a piece of shorter lines is scanned by the main thread. */
const LEAST_LINE_BYTES = 500;

/**
 * A file that two threads scan: one takes pieces from its beginning, the other from its end, until none are left.
 * So neither waits for the other, however late or slow it is. All fields except the numbers are shared memory.
 */
export interface Shared {
  readonly file: string;
  readonly size: number;
  readonly pieceBytes: number;
  /** The number of pieces that were taken. */
  readonly taken: Int32Array;
  /** The number of records in each piece; FAILED if it is unknown. */
  readonly counts: Int32Array;
  /** The records of each piece, at its own position. */
  readonly words: Uint32Array;
}

/** Starts another thread that takes pieces from the end, and resolves when it stops. */
export type StartPartScan = (shared: Shared) => Promise<void>;

export const FAILED = -1;

function sharedFor(file: string, size: number, pieceBytes = PIECE_BYTES): Shared {
  const pieces = Math.ceil(size / pieceBytes);
  const words = new Uint32Array(sharedBytes(pieces * wordsOfPiece(pieceBytes)));
  const counts = new Int32Array(sharedBytes(pieces)).fill(FAILED);
  return { file, size, pieceBytes, taken: new Int32Array(sharedBytes(1)), counts, words };
}

/** Unused memory takes no space. */
function sharedBytes(words: number): SharedArrayBuffer {
  return new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT);
}

function wordsOfPiece(pieceBytes: number): number {
  // Both typed arrays of it need aligned offsets.
  return Math.ceil(pieceBytes / LEAST_LINE_BYTES) * RECORD_WORDS;
}

/** Takes one more piece; false if none is left. */
function claimPiece({ taken, counts }: Shared): boolean {
  return Atomics.add(taken, 0, 1) < counts.length;
}

/** The end of the lines that begin in a piece, from `start` on. */
function endOfPiece(source: ByteSource, { size, pieceBytes }: Shared, piece: number, start: number): number {
  const end = (piece + 1) * pieceBytes;
  // One long line may span many pieces, and is searched once.
  return start > end ? start : (behindNewline(source, Math.min(end, size), size) ?? size);
}

/** The records of a piece that the other thread scanned; null if it failed. */
function foundIn({ counts, words, pieceBytes }: Shared, piece: number): Records | null {
  const count = counts[piece] ?? FAILED;
  const room = wordsOfPiece(pieceBytes);
  return count === FAILED ? null : recordsIn(words.subarray(piece * room, (piece + 1) * room), count);
}

/** Takes pieces from the end of the file, and stores their records. */
export function scanFromEnd(source: ByteSource, file: Shared): void {
  // Data appended later is not part of this scan, and a truncated file cannot be read.
  if (source.size < file.size) return;
  let end = file.size;
  for (let piece = file.counts.length - 1; claimPiece(file); piece -= 1) {
    const from = piece * file.pieceBytes;
    const start = piece === 0 ? 0 : (behindNewline(source, from, Math.min(from + file.pieceBytes, end)) ?? end);
    file.counts[piece] = scanPiece(source, file, { piece, start, end });
    end = start;
  }
}

function scanPiece(
  source: ByteSource,
  { words, pieceBytes }: Shared,
  { piece, start, end }: { readonly piece: number; readonly start: number; readonly end: number },
): number {
  const room = wordsOfPiece(pieceBytes);
  let length = 0;
  for (const { count, words: found } of recordsOf(source, start, end)) {
    if (length + count * RECORD_WORDS > room) return FAILED;
    words.set(found.subarray(0, count * RECORD_WORDS), piece * room + length);
    length += count * RECORD_WORDS;
  }
  return length / RECORD_WORDS;
}
