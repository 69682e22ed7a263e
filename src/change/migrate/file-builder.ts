import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { NEWLINE } from '../bytes/ascii.js';
import { listMemberEdits, type ObjectChange } from '../bytes/member-edits.js';
import { RopeBuilder } from '../bytes/rope-builder.js';
import { Rope } from '../bytes/rope.js';

/** Builds a file from lines of another one, in any order, and new lines. */
export class FileBuilder {
  private readonly rope = new RopeBuilder();

  constructor(private readonly source: ByteSource) {}

  addEntry(entry: JsonObject): void {
    this.rope.add(`${JSON.stringify(entry)}\n`);
  }

  /** Adds the line of an entry, which is copied where nothing changes. */
  addLine({ offset, length }: Head, change: ObjectChange | null): void {
    const bytes = this.source.read(offset, offset + length);
    let from = 0;
    for (const { start, end, text } of change ? listMemberEdits(bytes, change) : []) {
      this.rope.copy(offset + from, start - from);
      this.rope.add(text);
      from = end;
    }
    this.rope.copy(offset + from, length - from);
    if (bytes[length - 1] !== NEWLINE) this.rope.add('\n');
  }

  finish(): ByteSource {
    return new Rope(this.source, this.rope.pieces);
  }
}
