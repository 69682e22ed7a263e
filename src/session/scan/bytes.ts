import { Buffer } from 'node:buffer';
import { once } from '#base/memoize.js';

/** Random access to the bytes of a session, whose size is fixed while it is read. */
export interface ByteSource {
  readonly size: number;
  /** A file that can be reopened by its name, with the same content. */
  readonly canBeReopened?: boolean;
  /** The content of a compressed file, to which no program appends. */
  readonly isFixed?: boolean;
  /** Disables shortcuts: every line is parsed, with the same result. */
  readonly isStrict?: boolean;
  /** Where the files begin that it joins; left out for a single one. */
  readonly parts?: readonly number[];
  /** The bytes from `start` up to `end` (exclusive). The view is valid until the next call. */
  read(start: number, end: number): Uint8Array;
  /** Copies the bytes from `start` on into the caller's memory. */
  readInto(target: Uint8Array, start: number): void;
  /** Releases its resources. Nothing can be read afterwards. */
  close(): void;
}

export function toByteSource(data: Uint8Array): ByteSource {
  return {
    size: data.byteLength,
    read: (start, end) => data.subarray(start, end),
    readInto: (target, start) => target.set(data.subarray(start, start + target.length)),
    close: () => {},
  };
}

/** The first bytes of a source, up to `end`. */
export interface SourceBeginning {
  readonly source: ByteSource;
  readonly end: number;
}

/** The beginnings of several sources, one after another. Closing it closes all of them. */
export function joinSources(pieces: readonly SourceBeginning[]): ByteSource {
  const parts = pieces.map((_, at) => pieces.slice(0, at).reduce((sum, { end }) => sum + end, 0));
  const size = pieces.reduce((sum, { end }) => sum + end, 0);
  const readInto = (target: Uint8Array, start: number): void => {
    for (const [at, { source, end }] of pieces.entries()) {
      const first = parts[at] ?? 0;
      const [from, to] = [Math.max(start, first), Math.min(start + target.length, first + end)];
      if (from < to) source.readInto(target.subarray(from - start, to - start), from - first);
    }
  };
  const read = (start: number, end: number): Uint8Array => {
    const at = parts.findLastIndex((first) => first <= start);
    const first = parts[at] ?? 0;
    if (pieces[at] && end <= first + pieces[at].end) return pieces[at].source.read(start - first, end - first);
    const bytes = new Uint8Array(end - start);
    readInto(bytes, start);
    return bytes;
  };
  const isStrict = pieces.some(({ source }) => source.isStrict);
  return { size, parts, isStrict, read, readInto, close: () => pieces.forEach(({ source }) => source.close()) };
}

/** Joined sources with another last one. Closing it leaves those before open. */
export function replaceLastSource(whole: ByteSource, last: ByteSource): ByteSource {
  const { parts = [0] } = whole;
  const before = { source: { ...whole, close() {} }, end: parts.at(-1) ?? 0 };
  return { ...joinSources([before, { source: last, end: last.size }]), parts };
}

/** A range of bytes of the file: whole lines, including newlines. */
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
/** Large enough for most lines. */
const SHORT_BLOCK_BYTES = 1 << 14;

/**
 * Splits on byte 0x0A and nothing else, as Pi does: U+2028, U+2029, NEL and a carriage return are
 * text. Memory is one block, whatever the length of a line.
 */
export function* readLines(source: ByteSource, from = 0, to = source.size): Generator<RawLine> {
  let number = 1;
  let start = from;
  for (let blockStart = from; blockStart < to; blockStart += BLOCK_BYTES) {
    const blockEnd = Math.min(blockStart + BLOCK_BYTES, to);
    for (const at of findNewlines(source.read(blockStart, blockEnd))) {
      const end = blockStart + at + 1;
      yield { line: number, offset: start, length: end - start, terminated: true };
      number += 1;
      start = end;
    }
  }
  if (start < to) yield { line: number, offset: start, length: to - start, terminated: false };
}

/** The positions of all newlines in a block. */
export function findNewlines(block: Uint8Array): number[] {
  // Node searches its own buffers several times faster.
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const found: number[] = [];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) found.push(at);
  return found;
}

/** The start of the line after the first newline from `from` on and before `to`; null if there is none. */
export function findLineStart(source: ByteSource, from: number, to = source.size): number | null {
  for (let at = from; at < to; at += SHORT_BLOCK_BYTES) {
    const { buffer, byteOffset, byteLength } = source.read(at, Math.min(at + SHORT_BLOCK_BYTES, to));
    const newline = Buffer.from(buffer, byteOffset, byteLength).indexOf(NEWLINE);
    if (newline !== -1) return at + newline + 1;
  }
  return null;
}

/** New memory is slow, so most reads share a block of it. */
const SHARED_BYTES = 1 << 20;
/** The read-ahead for a reader that continues where its last read ended, or a little later. */
const AHEAD_BYTES = 1 << 16;

/** Reads pieces of a source of `size` bytes: consecutive ones with few calls, and others directly. */
export function buildReadAhead(readInto: ByteSource['readInto'], size: number): ByteSource['read'] {
  const block = once(() => new Uint8Array(Math.min(SHARED_BYTES, size)));
  let held = { start: 0, end: 0 };
  const fill = (start: number, end: number): void => {
    held = { start: 0, end: 0 };
    readInto(block().subarray(0, end - start), start);
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
    return block().subarray(start - held.start, end - held.start);
  };
}
