import { Buffer } from 'node:buffer';

/** Random access to the bytes of a session, at a size that stays fixed while it is read. */
export interface ByteSource {
  readonly size: number;
  /** A file that can be opened again by its name, and then holds the same. */
  readonly canBeReopened?: boolean;
  /** Take no shortcuts: every line is to be parsed. What is found is the same. */
  readonly isStrict?: boolean;
  /** The bytes from `start` up to `end` (exclusive). The view is valid until the next call. */
  read(start: number, end: number): Uint8Array;
  /** Fills a part of somebody's memory with the bytes from `start` on. */
  readInto(target: Uint8Array, start: number): void;
  /** Gives back what reading holds. Nothing can be read afterwards. */
  close(): void;
}

export function bytesIn(data: Uint8Array): ByteSource {
  return {
    size: data.byteLength,
    read: (start, end) => data.subarray(start, end),
    readInto: (target, start) => target.set(data.subarray(start, start + target.length)),
    close: () => {},
  };
}

/** A run of bytes of the file: whole lines, newlines included. */
export interface LineSpan {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** One physical line. `length` counts its newline, which a torn last line lacks. */
export interface RawLine extends LineSpan {
  readonly terminated: boolean;
}

const NEWLINE = 0x0a;
const BLOCK_BYTES = 1 << 20;
/** Most lines are shorter. */
const SHORT_BLOCK_BYTES = 1 << 14;

/**
 * Splits on byte 0x0A and nothing else, as Pi does: U+2028, U+2029, NEL and a carriage return are
 * text. Memory is one block, whatever the length of a line.
 */
export function* linesOf(source: ByteSource, from = 0, to = source.size): Generator<RawLine> {
  let number = 1;
  let start = from;
  for (let blockStart = from; blockStart < to; blockStart += BLOCK_BYTES) {
    const blockEnd = Math.min(blockStart + BLOCK_BYTES, to);
    for (const at of newlinesIn(source.read(blockStart, blockEnd))) {
      const end = blockStart + at + 1;
      yield { line: number, offset: start, length: end - start, terminated: true };
      number += 1;
      start = end;
    }
  }
  if (start < to) yield { line: number, offset: start, length: to - start, terminated: false };
}

/** The places of all newlines of a block. */
export function newlinesIn(block: Uint8Array): number[] {
  // Node searches its own buffers several times faster.
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const found: number[] = [];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) found.push(at);
  return found;
}

/** Where the line begins that stands behind the first newline from `from` on and before `to`; null where there is none. */
export function behindNewline(source: ByteSource, from: number, to = source.size): number | null {
  for (let at = from; at < to; at += SHORT_BLOCK_BYTES) {
    const { buffer, byteOffset, byteLength } = source.read(at, Math.min(at + SHORT_BLOCK_BYTES, to));
    const newline = Buffer.from(buffer, byteOffset, byteLength).indexOf(NEWLINE);
    if (newline !== -1) return at + newline + 1;
  }
  return null;
}

/** Fresh memory is slow, so most reads share a piece of it. */
const SHARED_BYTES = 1 << 18;
/** Who reads on where the last piece ended, or a little further down, will go on: so much is read at once then. */
const AHEAD_BYTES = 1 << 16;

/** Reads pieces of a source of `size` bytes: one after another with few calls, and others as they are. */
export function readingAhead(readInto: ByteSource['readInto'], size: number): ByteSource['read'] {
  const shared = new Uint8Array(Math.min(SHARED_BYTES, size));
  let held = { start: 0, end: 0 };
  const fill = (start: number, end: number): void => {
    held = { start: 0, end: 0 };
    readInto(shared.subarray(0, end - start), start);
    held = { start, end };
  };
  return (start, end) => {
    if (end - start > SHARED_BYTES) {
      const bytes = new Uint8Array(end - start);
      readInto(bytes, start);
      return bytes;
    }
    if (start < held.start || end > held.end) {
      const goesOn = start >= held.start && start < held.end + AHEAD_BYTES;
      fill(start, goesOn ? Math.max(end, Math.min(start + AHEAD_BYTES, size)) : end);
    }
    return shared.subarray(start - held.start, end - held.start);
  };
}
