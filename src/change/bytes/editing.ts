import type { ByteSource } from '#session/scan/bytes.js';
import { idText, type RawId } from '#session/table/head.js';
import { type Piece, Rope } from './rope.js';

/** Something that was mended. Offsets and lengths are bytes of the file that was read. */
export interface Repair {
  /** What was wrong: the rule of `ctx check` that finds it, as far as there is one. */
  readonly code: string;
  /** What was done about it, in a sentence. */
  readonly message: string;
  readonly entryId: string | null;
  readonly offset: number;
  readonly length: number;
}

/** Bytes that are not in the new file. */
export interface Lost {
  readonly code: string;
  readonly offset: number;
  readonly length: number;
}

/** What a step of the repair makes of a file. The offsets are those of the file it was given. */
export interface Edited {
  /** The file itself where nothing was changed. */
  readonly result: ByteSource;
  readonly repairs: readonly Repair[];
  readonly lost: readonly Lost[];
}

/** Where something was mended, and of which entry. */
export interface At {
  readonly offset: number;
  readonly length: number;
  /** As it was read: it can be anything. */
  readonly id?: unknown;
}

/**
 * Copies a file from its beginning to its end, with changes: every byte is kept, lost or left out, and for what is
 * left out there is a repair.
 */
export class Editing {
  private cursor = 0;
  private readonly pieces: Piece[] = [];
  private readonly repairs: Repair[] = [];
  private readonly lost: Lost[] = [];

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

  /** Puts bytes that stand further down here as well. */
  addFrom({ offset, length }: At): void {
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

  note(code: string, { offset, length, id }: At, message: string): void {
    const entryId = typeof id === 'object' ? null : idText(id as RawId);
    this.repairs.push({ code, message, entryId, offset, length });
  }

  /** Takes the rest as it is. */
  end(): Edited {
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
