import { type ByteSource } from '../byte-source.js';
import { FILE_START, IncrementalScan, type ScanOptions, scanRecords, scanSession } from '../incremental-scan.js';
import { type LineRecords, viewRecords, WORDS_PER_RECORD } from '../line-scanner.js';
import { findLineStart } from '../lines.js';
import type { Scan } from '../scan.js';

/** The number of bytes below which starting another thread takes longer than reading. */
const WORTH_A_THREAD = 200_000_000;

interface ParallelOptions extends ScanOptions {
  partScanner(): Promise<StartPartScan | null>;
  /** The minimum size of a file that is scanned in two threads. */
  readonly worthAThread?: number;
  /** The size of the piece that a thread takes at once. */
  readonly pieceBytes?: number;
}

/** Scans a large file in two threads, any other in this one. The result is the same. */
export async function scanInParallel(
  source: ByteSource,
  file: string,
  { partScanner, worthAThread = WORTH_A_THREAD, pieceBytes, ...reading }: ParallelOptions,
): Promise<Scan> {
  const isWorthIt = source.canBeReopened && source.size >= worthAThread && !source.isStrict;
  const startThread = isWorthIt ? await partScanner() : null;
  if (!startThread) return scanSession(source, file, reading);
  const shared = buildShared(file, source.size, pieceBytes);
  const otherThread = startThread(shared);
  const scanning = new IncrementalScan(source, file, { ...FILE_START, ...reading });
  const scanHere = (piece: number): void => {
    const end = findPieceEnd(source, shared, piece, scanning.end);
    for (const records of scanRecords(source, scanning.end, end)) scanning.take(records);
  };
  let piece = 0;
  while (claimPiece(shared)) {
    scanHere(piece);
    piece += 1;
  }
  await otherThread;
  for (; piece < shared.counts.length; piece += 1) {
    const found = findRecords(shared, piece);
    if (found) scanning.take(found);
    else scanHere(piece);
  }
  scanning.takeTail();
  return scanning.result();
}

/** 8 MiB: large enough to make the overhead negligible, small enough to keep the wait for the last piece short. */
const PIECE_BYTES = 1 << 23;
/**
 * The mean length of the lines for whose records a piece has room: a quarter of that of most. A piece of shorter lines is
 * scanned by the main thread.
 */
const LEAST_LINE_BYTES = 500;

/**
 * A file that two threads scan: one takes pieces from its beginning, the other from its end, until none are left.
 * So neither waits for the other, however late or slow it is. The three arrays are shared memory.
 */
export interface SharedScan {
  readonly file: string;
  readonly size: number;
  readonly pieceBytes: number;
  /** One item: the number of pieces that were taken. */
  readonly taken: Int32Array;
  /** The number of records in each piece; FAILED_PIECE if it is unknown. */
  readonly counts: Int32Array;
  /** The records of each piece, at its own position. */
  readonly words: Uint32Array;
}

/** Starts another thread that takes pieces from the end, and resolves when it stops. */
export type StartPartScan = (shared: SharedScan) => Promise<void>;

/** The count of a piece that the other thread has not scanned, or whose records have no room. */
export const FAILED_PIECE = -1;

function buildShared(file: string, size: number, pieceBytes = PIECE_BYTES): SharedScan {
  const pieces = Math.ceil(size / pieceBytes);
  const words = new Uint32Array(allocateShared(pieces * countPieceWords(pieceBytes)));
  const counts = new Int32Array(allocateShared(pieces)).fill(FAILED_PIECE);
  return { file, size, pieceBytes, taken: new Int32Array(allocateShared(1)), counts, words };
}

/** Allocates memory of zeros. The system provides what is used of it. */
function allocateShared(words: number): SharedArrayBuffer {
  return new SharedArrayBuffer(words * Uint32Array.BYTES_PER_ELEMENT);
}

function countPieceWords(pieceBytes: number): number {
  // Whole records, so that those of each piece begin at an offset that their typed arrays may have.
  return Math.ceil(pieceBytes / LEAST_LINE_BYTES) * WORDS_PER_RECORD;
}

/** Takes one more piece; false if none is left. The order of the caller decides which one it is. */
function claimPiece({ taken, counts }: SharedScan): boolean {
  return Atomics.add(taken, 0, 1) < counts.length;
}

/** The end of the lines that begin in a piece, from `start` on. */
function findPieceEnd(source: ByteSource, { size, pieceBytes }: SharedScan, piece: number, start: number): number {
  const end = (piece + 1) * pieceBytes;
  // One long line may span many pieces, and is searched once.
  return start > end ? start : (findLineStart(source, Math.min(end, size), size) ?? size);
}

/** The records of a piece that the other thread scanned; null if it failed. */
function findRecords({ counts, words, pieceBytes }: SharedScan, piece: number): LineRecords | null {
  const count = counts[piece] ?? FAILED_PIECE;
  const room = countPieceWords(pieceBytes);
  return count === FAILED_PIECE ? null : viewRecords(words.subarray(piece * room, (piece + 1) * room), count);
}

/** Takes pieces from the end of the file, and stores their records. */
export function scanFromEnd(source: ByteSource, file: SharedScan): void {
  // Data that was appended since is not part of this scan, and a file that was truncated since cannot be read.
  if (source.size < file.size) return;
  let end = file.size;
  for (let piece = file.counts.length - 1; claimPiece(file); piece -= 1) {
    const from = piece * file.pieceBytes;
    const start = piece === 0 ? 0 : (findLineStart(source, from, Math.min(from + file.pieceBytes, end)) ?? end);
    file.counts[piece] = scanPiece(source, file, { piece, start, end });
    end = start;
  }
}

function scanPiece(
  source: ByteSource,
  { words, pieceBytes }: SharedScan,
  { piece, start, end }: { readonly piece: number; readonly start: number; readonly end: number },
): number {
  const room = countPieceWords(pieceBytes);
  let length = 0;
  for (const { count, words: found } of scanRecords(source, start, end)) {
    if (length + count * WORDS_PER_RECORD > room) return FAILED_PIECE;
    words.set(found.subarray(0, count * WORDS_PER_RECORD), piece * room + length);
    length += count * WORDS_PER_RECORD;
  }
  return length / WORDS_PER_RECORD;
}
