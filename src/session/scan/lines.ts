import { Buffer } from 'node:buffer';
import type { ByteSource } from './byte-source.js';

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

/** The size of pieces that a source reads into its own memory. */
const PIECE_BYTES = 1 << 18;

/** Reads a range of a source in pieces, each of them valid until the next one is requested. */
export function* readInPieces(source: ByteSource, { offset, length }: LineSpan): Generator<Uint8Array> {
  const end = offset + length;
  for (let start = offset; start < end; start += PIECE_BYTES) {
    yield source.read(start, Math.min(start + PIECE_BYTES, end));
  }
}
