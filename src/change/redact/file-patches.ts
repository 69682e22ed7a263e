import { Buffer } from 'node:buffer';
import type { RopePiece } from '../bytes/rope.js';

/** The pieces of a file after replacing stretches, in order. Unchanged pieces are held as offsets only. */
export class FilePatches {
  readonly pieces: RopePiece[] = [];
  private from = 0;
  /** Many stretches are replaced by the same text. */
  private readonly bytesByText = new Map<string, Buffer>();

  replace(start: number, end: number, text: string): void {
    this.keepUpTo(start);
    const bytes = this.bytesByText.get(text) ?? Buffer.from(text);
    if (text.length <= LONGEST_SHARED) this.bytesByText.set(text, bytes);
    this.pieces.push({ bytes });
    this.from = end;
  }

  /** Keeps the rest of a file of `size` bytes. */
  finish(size: number): readonly RopePiece[] {
    this.keepUpTo(size);
    return this.pieces;
  }

  private keepUpTo(end: number): void {
    if (end > this.from) this.pieces.push({ from: this.from, length: end - this.from });
    this.from = end;
  }
}

const LONGEST_SHARED = 200;
