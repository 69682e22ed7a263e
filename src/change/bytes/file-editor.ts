import { formatId, type RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { RopeBuilder } from './rope-builder.js';
import { Rope } from './rope.js';

/** Bytes of the original file that are not in the new one. */
export interface DiscardedBytes {
  /** The rule of `ctx check` that finds the problem, if there is one. */
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

/** An edited file. Offsets are those of the file before. */
export interface EditedFile {
  /** The original file if nothing was changed. */
  readonly result: ByteSource;
  readonly repairs: readonly Repair[];
  readonly discarded: readonly DiscardedBytes[];
}

/** A place in a file, with the id of the entry there. */
export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
  /** The id as it is in the file: any JSON value. */
  readonly id?: unknown;
}

/**
 * Copies a file from its beginning to its end, with changes. Every byte is kept, skipped or discarded. A repair explains
 * skipped bytes; discarded bytes are listed.
 */
export class FileEditor {
  private cursor = 0;
  private readonly rope = new RopeBuilder();
  private readonly repairs: Repair[] = [];
  private readonly discarded: DiscardedBytes[] = [];

  constructor(private readonly source: ByteSource) {}

  /** Keeps the bytes before `offset`. */
  keepTo(offset: number): void {
    if (offset <= this.cursor) return;
    this.rope.copy(this.cursor, offset - this.cursor);
    this.cursor = offset;
  }

  add(text: string): void {
    this.rope.add(text);
  }

  /** Inserts a copy of bytes from further down in the file. */
  copyFrom({ offset, length }: ByteSpan): void {
    this.rope.copy(offset, length);
  }

  /** Leaves out the bytes before `offset`. */
  skipTo(offset: number): void {
    this.cursor = Math.max(this.cursor, offset);
  }

  /** Leaves out the bytes before `offset`, and lists them under the rule that finds the problem. */
  discardTo(offset: number, code: string): void {
    const length = offset - this.cursor;
    if (length <= 0) return;
    const last = this.discarded.at(-1);
    if (last && last.code === code && last.offset + last.length === this.cursor) {
      this.discarded[this.discarded.length - 1] = { code, offset: last.offset, length: last.length + length };
    } else this.discarded.push({ code, offset: this.cursor, length });
    this.cursor = offset;
  }

  note(code: string, { offset, length, id }: ByteSpan, message: string): void {
    const entryId = typeof id === 'object' ? null : formatId(id as RawId);
    this.repairs.push({ code, message, entryId, offset, length });
  }

  finish(): EditedFile {
    this.keepTo(this.source.size);
    const { source, repairs, discarded } = this;
    return { result: this.isUnchanged() ? source : new Rope(source, this.rope.pieces), repairs, discarded };
  }

  private isUnchanged(): boolean {
    const { pieces } = this.rope;
    const { size } = this.source;
    if (size === 0) return pieces.length === 0;
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined && 'from' in only && only.from === 0 && only.length === size;
  }
}
