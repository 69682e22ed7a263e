import { isObject, type JsonObject, parseJson } from '#base/json.js';
import type { RawId } from '#session/heads/head.js';
import { BRACE, NEWLINE, NUL, RETURN, SPACE, TAB } from '../bytes/ascii.js';
import type { FileEditor } from '../bytes/file-editor.js';
import { BYTE_ORDER_MARK, isByteOrderMark, readRepairedText } from '../bytes/flaws.js';
import { type PartialJson, readPartialJson } from '../bytes/partial-json.js';
import { closeEntry, readEntryStart } from './close-entry.js';
import { noteClosed, noteFlaws, noteRemoved } from './repair-notes.js';
import { findUnreadableCause } from './unreadable-entries.js';

/** Consecutive lines without an entry. */
export interface DamagedLines {
  readonly bytes: Uint8Array;
  /** The place in the file where the lines begin. */
  readonly offset: number;
}

/** State that the recoveries of a file share. */
export interface RecoveryState {
  readonly editor: FileEditor;
  /** The parents of discarded entries, by the id of the entry. */
  readonly discardedParents: Map<RawId, unknown>;
  /** Bytes that may still be read: a hostile file could make it read every byte a thousand times. */
  budget: number;
}

/** Recovers entries from damaged lines where possible, and discards the rest. */
export function recoverEntries(lines: DamagedLines, shared: RecoveryState): void {
  new EntryRecovery(lines, shared).run();
}

const ENTRY_START = '{"type":';

/** The way through damaged lines, from entry to entry. */
class EntryRecovery {
  private at = 0;
  private readonly buffer: Buffer;
  /** Whether the line so far has an entry: the next one has to begin a line of its own. */
  private isAfterEntry = false;

  constructor(
    private readonly lines: DamagedLines,
    private readonly shared: RecoveryState,
  ) {
    const { bytes } = lines;
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): void {
    const { bytes, offset } = this.lines;
    const { editor } = this.shared;
    while (this.skipGap()) {
      if (this.shared.budget <= 0) return editor.discardTo(offset + bytes.length, 'malformed-line');
      if (bytes[this.at] !== BRACE) this.discardJunk();
      else this.takeEntry();
    }
    editor.keepTo(offset + bytes.length);
    // The file ends here, without a newline.
    if (this.isAfterEntry) editor.add('\n');
  }

  /** Goes to the next byte that is more than a gap between entries. */
  private skipGap(): boolean {
    const { bytes } = this.lines;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] ?? 0;
      if (byte === NEWLINE) this.isAfterEntry = false;
      else if (byte === NUL || isByteOrderMark(bytes, this.at)) this.skipStray(byte === NUL);
      else if (byte !== SPACE && byte !== TAB && byte !== RETURN) return true;
    }
    return false;
  }

  /** NUL bytes, or a byte order mark; ends on the last byte of them. */
  private skipStray(isNul: boolean): void {
    const { bytes, offset } = this.lines;
    const { editor } = this.shared;
    const start = this.at;
    if (isNul) while (bytes[this.at + 1] === NUL) this.at += 1;
    else this.at += BYTE_ORDER_MARK.length - 1;
    const place = { offset: offset + start, length: this.at + 1 - start };
    editor.keepTo(place.offset);
    editor.skipTo(place.offset + place.length);
    noteRemoved(editor, isNul ? 'nul-bytes' : 'byte-order-mark', place);
  }

  private takeEntry(): void {
    const value = this.read(this.at);
    const entry = value.state === 'whole' ? parseJson(this.textOf(value)) : undefined;
    if (isObject(entry) && typeof entry.type === 'string') this.keep(value, entry);
    else this.closeOrDiscard();
  }

  private keep(value: PartialJson, entry: JsonObject): void {
    const code = findUnreadableCause(entry);
    if (code !== null) {
      this.rememberParent(entry);
      return this.discard(value.end, code);
    }
    this.beginLine(entry.id);
    noteFlaws(this.shared.editor, this.place(value.end), { flaws: value.flaws, id: entry.id });
    this.keepTo(value, value.end);
    this.at = value.end;
    this.isAfterEntry = true;
  }

  /** The beginning of an entry, up to the next one on the line or to the end of the line. */
  private closeOrDiscard(): void {
    const { bytes, offset } = this.lines;
    const { editor } = this.shared;
    const lineEnd = this.lineEnd();
    const next = this.nextEntry(lineEnd);
    const code = next === null ? this.nameDamage(lineEnd) : 'glued-lines';
    const end = next ?? lineEnd;
    const closed = closeEntry(bytes, this.at, end);
    if (!closed) {
      this.rememberParent(readEntryStart(bytes, this.at, end));
      return this.discard(end, code);
    }
    this.beginLine(closed.entry.id);
    noteClosed(editor, this.place(end), { code, closed, discarded: end - closed.end });
    this.keepTo(closed.value, closed.end);
    editor.add(closed.closing);
    this.isAfterEntry = true;
    editor.discardTo(offset + end, code);
    this.at = end;
  }

  private rememberParent({ id, parentId }: JsonObject): void {
    if (typeof id === 'string' && id !== '') this.shared.discardedParents.set(id, parentId);
  }

  private discardJunk(): void {
    const lineEnd = this.lineEnd();
    const isScalar =
      parseJson(readRepairedText(this.lines.bytes, { start: this.at, end: lineEnd, flaws: [] })) !== undefined;
    const code = isScalar ? 'not-an-object' : this.nameDamage(lineEnd);
    this.discard(this.nextEntry(lineEnd) ?? lineEnd, code);
  }

  /** The last line of a file was probably never written to its end. */
  private nameDamage(lineEnd: number): 'torn-tail' | 'malformed-line' {
    return lineEnd === this.lines.bytes.length ? 'torn-tail' : 'malformed-line';
  }

  /** Drops the bytes before `end`, with the newline if nothing else is on the line. */
  private discard(end: number, code: string): void {
    const { bytes, offset } = this.lines;
    const { editor } = this.shared;
    const isLine = !this.isAfterEntry && bytes[end] === NEWLINE;
    editor.keepTo(offset + this.at);
    this.at = isLine ? end + 1 : end;
    editor.discardTo(offset + this.at, code);
  }

  /** Finds where the next entry on this line begins; null where there is none. */
  private nextEntry(lineEnd: number): number | null {
    const find = (from: number): number => this.buffer.indexOf(ENTRY_START, from);
    for (let at = find(this.at + 1); at !== -1 && at < lineEnd && this.shared.budget > 0; at = find(at + 1)) {
      const { state, members } = this.read(at);
      if (state === 'whole' && isEntry(members.map(({ key }) => key))) return at;
    }
    return null;
  }

  private lineEnd(): number {
    const end = this.buffer.indexOf(NEWLINE, this.at);
    return end === -1 ? this.lines.bytes.length : end;
  }

  private read(start: number): PartialJson {
    const value = readPartialJson(this.lines.bytes, start);
    this.shared.budget -= value.end - start;
    return value;
  }

  private textOf({ end, flaws }: PartialJson): string {
    return readRepairedText(this.lines.bytes, { start: this.at, end, flaws });
  }

  private place(end: number): { offset: number; length: number } {
    return { offset: this.lines.offset + this.at, length: end - this.at };
  }

  private beginLine(id: unknown): void {
    const { editor } = this.shared;
    editor.keepTo(this.lines.offset + this.at);
    if (!this.isAfterEntry) return;
    editor.add('\n');
    editor.note('glued-lines', { ...this.place(this.at), id }, 'moved to its own line');
  }

  /** Keeps the bytes before `end`, with their flaws repaired. */
  private keepTo({ flaws }: PartialJson, end: number): void {
    const { editor } = this.shared;
    const { offset } = this.lines;
    for (const { at, length, text } of flaws) {
      if (at >= end) break;
      editor.keepTo(offset + at);
      editor.add(text);
      editor.skipTo(offset + at + length);
    }
    editor.keepTo(offset + end);
  }
}

/** Whether an object with these members is an entry or a header, and not a part of one. */
function isEntry(keys: readonly string[]): boolean {
  const has = (key: string): boolean => keys.includes(key);
  return has('parentId') || (has('timestamp') && (has('message') || has('cwd') || has('version')));
}
