import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { listMemberEdits } from '../bytes/member-edits.js';
import { Rope, type RopePiece } from '../bytes/rope.js';
import type { LineChange } from './migrated-line.js';

const encoder = new TextEncoder();

const NEWLINE = 0x0a;

/** Puts a file together from lines of another one, in any order, and new ones. */
export class FileBuilder {
  private readonly pieces: RopePiece[] = [];

  constructor(private readonly source: ByteSource) {}

  addEntry(entry: JsonObject): void {
    this.pieces.push({ bytes: encoder.encode(`${JSON.stringify(entry)}\n`) });
  }

  /** Adds the line of an entry, which is copied where nothing changes. */
  addLine({ offset, length }: Head, change: LineChange | null): void {
    const bytes = this.source.read(offset, offset + length);
    const endsWithNewline = bytes[length - 1] === NEWLINE;
    let from = 0;
    for (const { start, end, text } of change ? listMemberEdits(bytes, change) : []) {
      this.copy(offset + from, start - from);
      if (text !== '') this.pieces.push({ bytes: encoder.encode(text) });
      from = end;
    }
    this.copy(offset + from, length - from);
    if (!endsWithNewline) this.pieces.push({ bytes: encoder.encode('\n') });
  }

  end(): ByteSource {
    return new Rope(this.source, this.pieces);
  }

  private copy(from: number, length: number): void {
    if (length <= 0) return;
    const last = this.pieces.at(-1);
    if (last && 'from' in last && last.from + last.length === from)
      this.pieces[this.pieces.length - 1] = { from: last.from, length: last.length + length };
    else this.pieces.push({ from, length });
  }
}
