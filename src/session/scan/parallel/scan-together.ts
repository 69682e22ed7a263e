import type { ByteSource } from '../bytes.js';
import type { Scan } from '../scan.js';
import { type Reading, recordsOf, Scanning, scan, TOP } from '../scanning.js';
import { endOfPiece, foundIn, type StartPartScan, shared, takePiece } from './part.js';

/** Another thread takes longer to start than to read less. */
const WORTH_A_THREAD = 200_000_000;

interface Wanted extends Reading {
  partScanner(): Promise<StartPartScan | null>;
  /** Bytes of a file that is scanned in two threads. */
  readonly worthAThread?: number;
  /** Bytes of what a thread takes at once. */
  readonly pieceBytes?: number;
}

/** Scans a big file in two threads, any other in this one. What is found is the same. */
export async function scanTogether(
  source: ByteSource,
  file: string,
  { partScanner, worthAThread = WORTH_A_THREAD, pieceBytes, ...reading }: Wanted,
): Promise<Scan> {
  const isWorthIt = source.canBeReopened && source.size >= worthAThread && !source.isDoubted;
  const start = isWorthIt ? await partScanner() : null;
  if (!start) return scan(source, file, reading);
  const both = shared(file, source.size, pieceBytes);
  const elsewhere = start(both);
  const scanning = new Scanning(source, file, { ...TOP, ...reading });
  const takeHere = (piece: number): void => {
    const end = endOfPiece(source, both, piece, scanning.end);
    for (const records of recordsOf(source, scanning.end, end)) scanning.take(records);
  };
  let piece = 0;
  for (; takePiece(both); piece += 1) takeHere(piece);
  await elsewhere;
  for (; piece < both.counts.length; piece += 1) {
    const found = foundIn(both, piece);
    if (found) scanning.take(found);
    else takeHere(piece);
  }
  scanning.takeTail();
  return scanning.scan();
}
