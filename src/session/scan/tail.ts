import { readSession, type Session, sessionOf } from '../session.js';
import { behindNewline, type ByteSource, linesOf, newlinesIn } from './bytes.js';
import { unverified } from './line-scanner.js';
import { type ScanStart, recordsOf, Scanning } from './scanning.js';

/** So much is read first, and so many times more whenever it was not enough. */
const FIRST_BYTES = 1 << 21;
const GROWTH = 4;
const BLOCK_BYTES = 1 << 20;
/** The header is looked for in so much of the beginning; where it stands further down, all is read. */
const HEADER_BYTES = 1 << 16;

/**
 * A session of which only the last lines are read, as many as `isEnough` asks for; the whole of it if there is no
 * less. Its tree ends at parents that stand further up, and it knows only the problems of the lines that were read.
 * A later line of the same id wins, so nothing further up can change what is found.
 */
export function readTail(source: ByteSource, file: string, isEnough: (tail: Session) => boolean): Session {
  const top = source.isStrict ? null : readTop(source, file);
  // Version 1 counts its entries from the top.
  if (top === null || !(top.version >= 2)) return readSession(source, file);
  let above: { readonly offset: number; readonly lines: number } | null = null;
  for (let size = FIRST_BYTES; size < source.size - top.end; size *= GROWTH) {
    const offset = behindNewline(source, source.size - size) ?? source.size;
    const lines: number = above
      ? above.lines - countLines(source, offset, above.offset)
      : countLines(source, 0, offset);
    above = { offset, lines };
    const tail = sessionFrom(source, file, { offset, line: lines + 1, first: top.first });
    if (tail.tree.leaf && isEnough(tail)) return tail;
  }
  return readSession(source, file);
}

function sessionFrom(source: ByteSource, file: string, beginning: ScanStart): Session {
  const scanning = new Scanning(source, file, beginning);
  for (const records of recordsOf(source, beginning.offset, source.size)) scanning.take(records);
  scanning.takeTail();
  return sessionOf(scanning.scan(), source, file);
}

interface Top {
  readonly first: ScanStart['first'];
  readonly version: number;
  /** Behind the header. */
  readonly end: number;
}

/** null where anything but titles stands above the header. */
function readTop(source: ByteSource, file: string): Top | null {
  const size = Math.min(HEADER_BYTES, source.size);
  const scanning = new Scanning({ ...source, size }, file);
  for (const { length, terminated } of linesOf(source, 0, size)) {
    if (!terminated) return null;
    scanning.take(unverified(length));
    if (scanning.hasHeader) break;
  }
  if (!scanning.hasHeader) return null;
  const { header, headerSpan, titles } = scanning.scan();
  if (headerSpan.line !== titles.length + 1) return null;
  return { first: { header, headerSpan }, version: header.version, end: scanning.end };
}

function countLines(source: ByteSource, from: number, to: number): number {
  let lines = 0;
  const block = new Uint8Array(BLOCK_BYTES);
  for (let at = from; at < to; at += BLOCK_BYTES) {
    const part = block.subarray(0, Math.min(BLOCK_BYTES, to - at));
    source.readInto(part, at);
    lines += newlinesIn(part).length;
  }
  return lines;
}
