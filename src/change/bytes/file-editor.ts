import { formatId, type RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { Rope, type RopePiece } from './rope.js';

/** Bytes of the original file that are not in the new one. */
export interface DiscardedBytes {
  /** The rule of `ctx check` that finds the problem, as far as there is one. */
  readonly code: string;
  readonly offset: number;
  readonly length: number;
}

/** One repair of bytes of the original file. */
export interface Repair extends DiscardedBytes {
  /** The repair, in a sentence. */
  readonly message: string;
  readonly entryId: string | null;
}

/** The result of a step of the repair. The offsets are those of the file that it was given. */
export interface EditedFile {
  /** The file itself where nothing was changed. */
  readonly result: ByteSource;
  readonly repairs: readonly Repair[];
  readonly lost: readonly DiscardedBytes[];
}

/** The place of a repair, and its entry. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
  /** As it was read: it can be anything. */
  readonly id?: unknown;
}

/**
 * Copies a file from its beginning to its end, with changes: every byte is kept, lost or left out, and for what is
 * left out there is a repair.
 */
export class FileEditor {
  private cursor = 0;
  private readonly pieces: RopePiece[] = [];
  private readonly repairs: Repair[] = [];
  private readonly lost: DiscardedBytes[] = [];

  constructor(private readonly source: ByteSource) {}

  /** Everything up to here stays as it is. */
  keepTo(offset: number): void {
    const length = offset - this.cursor;
    if (length <= 0) return;
    const last = this.pieces.at(-1);
    // Pieces that follow one another are one piece.
    if (last && 'from' in last && last.from + last.length === this.cursor) this.pieces.pop();
    const from = last && 'from' in last && last.from + last.length === this.cursor ? last.from : this.cursor;
    this.pieces.push({ from, length: offset - from });
    this.cursor = offset;
  }

  add(text: string): void {
    if (text !== '') this.pieces.push({ bytes: encoder.encode(text) });
  }

  /** Inserts a copy of bytes from further down in the file. */
  addFrom({ offset, length }: ByteSpan): void {
    if (length > 0) this.pieces.push({ from: offset, length });
  }

  /** Leaves out what follows, up to here. */
  leaveOutTo(offset: number): void {
    this.cursor = Math.max(this.cursor, offset);
  }

  /** Loses what follows, up to here. */
  loseTo(offset: number, code: string): void {
    const length = offset - this.cursor;
    if (length <= 0) return;
    const last = this.lost.at(-1);
    if (last && last.code === code && last.offset + last.length === this.cursor) {
      this.lost[this.lost.length - 1] = { code, offset: last.offset, length: last.length + length };
    } else this.lost.push({ code, offset: this.cursor, length });
    this.cursor = offset;
  }

  note(code: string, { offset, length, id }: ByteSpan, message: string): void {
    const entryId = typeof id === 'object' ? null : formatId(id as RawId);
    this.repairs.push({ code, message, entryId, offset, length });
  }

  end(): EditedFile {
    this.keepTo(this.source.size);
    const { source, pieces, repairs, lost } = this;
    const [only, ...others] = pieces;
    const isWhole =
      source.size === 0
        ? pieces.length === 0
        : only && 'from' in only && others.length === 0 && only.from === 0 && only.length === source.size;
    return { result: isWhole ? source : new Rope(source, pieces), repairs, lost };
  }
}

const encoder = new TextEncoder();
