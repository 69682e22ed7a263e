import { buildSession, readSession } from './read-session.js';
import type { ByteSource } from './scan/byte-source.js';
import { IncrementalScan, scanRecords, type ScanStart } from './scan/incremental-scan.js';
import { buildUnverifiedRecord } from './scan/line-scanner.js';
import { findLineStart, findNewlines, readLines } from './scan/lines.js';
import type { Session } from './session.js';

/** The size of the first read, and the factor by which it grows when it was not enough. */
const FIRST_BYTES = 1 << 21;
const GROWTH = 4;
const BLOCK_BYTES = 1 << 20;
/** The size of the beginning in which the header is searched; if it comes later, everything is read. */
const HEADER_BYTES = 1 << 16;

/**
 * Reads only the last lines of a session, until `isEnough` is satisfied, or the whole of it if they are not
 * sufficient. The tree ends at parents before these lines, and only problems of these lines are known.
 * A later line of the same id wins, so earlier lines cannot change the result.
 */
export function readTail(source: ByteSource, file: string, isEnough: (tail: Session) => boolean): Session {
  const top = source.isStrict ? null : readTop(source, file);
  // Version 1 counts its entries from the beginning.
  if (top === null || !(top.version >= 2)) return readSession(source, file);
  let above: { readonly offset: number; readonly lines: number } | null = null;
  for (let size = FIRST_BYTES; size < source.size - top.end; size *= GROWTH) {
    const offset = findLineStart(source, source.size - size) ?? source.size;
    const lines: number = above
      ? above.lines - countLines(source, offset, above.offset)
      : countLines(source, 0, offset);
    above = { offset, lines };
    const tail = buildTail(source, file, { offset, line: lines + 1, first: top.first });
    if (tail.tree.leaf && isEnough(tail)) return tail;
  }
  return readSession(source, file);
}

function buildTail(source: ByteSource, file: string, beginning: ScanStart): Session {
  const scanning = new IncrementalScan(source, file, beginning);
  for (const records of scanRecords(source, beginning.offset, source.size)) scanning.take(records);
  scanning.takeTail();
  return buildSession(scanning.result(), source, file);
}

interface Top {
  readonly first: ScanStart['first'];
  readonly version: number;
  readonly end: number;
}

/** null if anything precedes the header. */
function readTop(source: ByteSource, file: string): Top | null {
  const size = Math.min(HEADER_BYTES, source.size);
  const scanning = new IncrementalScan({ ...source, size }, file);
  for (const { length, terminated } of readLines(source, 0, size)) {
    if (!terminated) return null;
    scanning.take(buildUnverifiedRecord(length));
    if (scanning.hasHeader) break;
  }
  if (!scanning.hasHeader) return null;
  const { header, headerSpan } = scanning.result();
  if (headerSpan.line !== 1) return null;
  return { first: { header, headerSpan }, version: header.version, end: scanning.end };
}

function countLines(source: ByteSource, from: number, to: number): number {
  let lines = 0;
  const block = new Uint8Array(BLOCK_BYTES);
  for (let at = from; at < to; at += BLOCK_BYTES) {
    const part = block.subarray(0, Math.min(BLOCK_BYTES, to - at));
    source.readInto(part, at);
    lines += findNewlines(part).length;
  }
  return lines;
}
