import { Buffer } from 'node:buffer';
import type { Piece } from '../bytes/rope.js';

/** The pieces of a file of which some stretches are replaced, in order. Of what stays only the places are held. */
export class Patches {
  readonly pieces: Piece[] = [];
  private from = 0;
  /** Many stretches are replaced by the same. */
  private readonly known = new Map<string, Buffer>();

  replace(start: number, end: number, text: string): void {
    this.keepUpTo(start);
    const bytes = this.known.get(text) ?? Buffer.from(text);
    if (text.length <= LONGEST_SHARED) this.known.set(text, bytes);
    this.pieces.push({ bytes });
    this.from = end;
  }

  /** All that is left of a file of so many bytes stays. */
  end(size: number): readonly Piece[] {
    this.keepUpTo(size);
    return this.pieces;
  }

  private keepUpTo(end: number): void {
    if (end > this.from) this.pieces.push({ from: this.from, length: end - this.from });
    this.from = end;
  }
}

const LONGEST_SHARED = 200;
