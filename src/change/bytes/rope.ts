import { findFirstPast } from '#base/lists.js';
import { type ByteSource } from '#session/scan/byte-source.js';
import { buildReadAhead } from '#session/scan/read-ahead.js';

/** A part of a file that is put together: bytes of another source, or new ones. */
export type RopePiece = { readonly from: number; readonly length: number } | { readonly bytes: Uint8Array };

/**
 * A file put together from pieces of a source, which is read only when a piece of it is. The origin of a byte is its
 * offset in the source; a new byte has none.
 */
export class Rope implements ByteSource {
  readonly size: number;
  readonly isStrict: boolean;
  readonly read: ByteSource['read'];
  /** The place where each piece begins. */
  private readonly starts: Float64Array;
  /** The piece that was read last: most reads go on there. */
  private last = 0;

  constructor(
    readonly source: ByteSource,
    readonly pieces: readonly RopePiece[],
  ) {
    this.starts = new Float64Array(pieces.length);
    let size = 0;
    for (const [at, piece] of pieces.entries()) {
      this.starts[at] = size;
      size += lengthOf(piece);
    }
    this.size = size;
    this.isStrict = source.isStrict ?? false;
    this.read = buildReadAhead(this.readInto, size);
  }

  readonly readInto = (target: Uint8Array, start: number): void => {
    let filled = 0;
    for (let at = this.findPiece(start); filled < target.length && at < this.pieces.length; at += 1) {
      const piece = this.pieces[at];
      if (!piece) break;
      const skipped = start + filled - (this.starts[at] ?? 0);
      const part = target.subarray(filled, filled + lengthOf(piece) - skipped);
      if ('bytes' in piece) part.set(piece.bytes.subarray(skipped, skipped + part.length));
      else this.source.readInto(part, piece.from + skipped);
      filled += part.length;
      this.last = at;
    }
  };

  /** Does nothing: the source belongs to the caller. */
  close(): void {}

  /** The origin after that of the last byte before `offset` that has one; 0 if none has. */
  findEndOrigin(offset: number): number {
    for (let at = this.findPiece(Math.max(0, offset - 1)); at >= 0; at -= 1) {
      const piece = this.pieces[at];
      if (piece && !('bytes' in piece)) return piece.from + Math.min(piece.length, offset - (this.starts[at] ?? 0));
    }
    return 0;
  }

  /** The origin of a byte, or of the next byte that has one; the end of the source if none follows. */
  findOrigin(offset: number): number {
    for (let at = this.findPiece(offset); at < this.pieces.length; at += 1) {
      const piece = this.pieces[at];
      if (piece && !('bytes' in piece)) return piece.from + Math.max(0, offset - (this.starts[at] ?? 0));
    }
    return this.source.size;
  }

  private findPiece(offset: number): number {
    const { starts } = this;
    const isHere = (at: number): boolean => (starts[at] ?? 0) <= offset && offset < (starts[at + 1] ?? this.size);
    if (isHere(this.last)) return this.last;
    return Math.max(0, findFirstPast(starts.length, (at) => (starts[at] ?? 0) > offset) - 1);
  }
}

function lengthOf(piece: RopePiece): number {
  return 'bytes' in piece ? piece.bytes.length : piece.length;
}
