import type { RopePiece } from './rope.js';

/** Collects the pieces of a rope, in order. */
export class RopeBuilder {
  readonly pieces: RopePiece[] = [];

  /** Adds bytes of the source. Ranges that follow one another become one piece. */
  copy(from: number, length: number): void {
    if (length <= 0) return;
    const last = this.pieces.at(-1);
    const isNext = last !== undefined && 'from' in last && last.from + last.length === from;
    if (isNext) this.pieces[this.pieces.length - 1] = { from: last.from, length: last.length + length };
    else this.pieces.push({ from, length });
  }

  /** Adds new text. */
  add(text: string): void {
    if (text !== '') this.pieces.push({ bytes: encoder.encode(text) });
  }
}

const encoder = new TextEncoder();
