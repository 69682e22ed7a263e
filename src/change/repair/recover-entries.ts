import { isObject, type JsonObject, parseJson } from '#base/json.js';
import type { RawId } from '#session/heads/head.js';
import type { FileEditor } from '../bytes/file-editor.js';
import { isByteOrderMark, readRepairedText } from '../bytes/flaws.js';
import { type PartialJson, readPartialJson } from '../bytes/partial-json.js';
import { closeEntry, readEntryStart } from './close-entry.js';
import { noteClosed, noteFlaws, noteRemoved } from './repair-notes.js';
import { findUnreadableCause } from './unreadable-entries.js';

/** Consecutive lines without an entry. */
export interface DamagedLines {
  readonly bytes: Uint8Array;
  /** Where they begin in the file. */
  readonly offset: number;
}

/** State that all runs of a file share. */
export interface RecoveryState {
  readonly editing: FileEditor;
  /** The parents that lost entries had, by the id of the entry. */
  readonly lostParents: Map<RawId, unknown>;
  /** Bytes that may still be read: a hostile file could make it read every byte a thousand times. */
  budget: number;
}

/** Recovers entries from damaged lines where possible, and drops the rest. */
export function recoverEntries(run: DamagedLines, shared: RecoveryState): void {
  new RunRepairer(run, shared).repair();
}

const [NEWLINE, SPACE, TAB, RETURN, NUL, BRACE] = [0x0a, 0x20, 0x09, 0x0d, 0x00, 0x7b];
const ENTRY_START = '{"type":';
const MARK_BYTES = 3;

class RunRepairer {
  private at = 0;
  private readonly buffer: Buffer;
  /** Whether the line so far has an entry: the next one has to begin a line of its own. */
  private isBehindEntry = false;

  constructor(
    private readonly run: DamagedLines,
    private readonly shared: RecoveryState,
  ) {
    const { bytes } = run;
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  repair(): void {
    const { bytes, offset } = this.run;
    const { editing } = this.shared;
    while (this.skipGap()) {
      if (this.shared.budget <= 0) return editing.loseTo(offset + bytes.length, 'malformed-line');
      if (bytes[this.at] !== BRACE) this.loseJunk();
      else this.takeEntry();
    }
    editing.keepTo(offset + bytes.length);
    // The file ends here, without a newline.
    if (this.isBehindEntry) editing.add('\n');
  }

  /** Goes to the next byte that is more than a gap between entries. */
  private skipGap(): boolean {
    const { bytes } = this.run;
    for (; this.at < bytes.length; this.at += 1) {
      const byte = bytes[this.at] ?? 0;
      if (byte === NEWLINE) this.isBehindEntry = false;
      else if (byte === NUL || isByteOrderMark(bytes, this.at)) this.leaveOut(byte === NUL);
      else if (byte !== SPACE && byte !== TAB && byte !== RETURN) return true;
    }
    return false;
  }

  /** NUL bytes, or a byte order mark; ends on the last byte of them. */
  private leaveOut(isNul: boolean): void {
    const { bytes, offset } = this.run;
    const { editing } = this.shared;
    const start = this.at;
    if (isNul) while (bytes[this.at + 1] === NUL) this.at += 1;
    else this.at += MARK_BYTES - 1;
    const place = { offset: offset + start, length: this.at + 1 - start };
    editing.keepTo(place.offset);
    editing.leaveOutTo(place.offset + place.length);
    noteRemoved(editing, isNul ? 'nul-bytes' : 'byte-order-mark', place);
  }

  private takeEntry(): void {
    const value = this.read(this.at);
    const entry = value.state === 'whole' ? parseJson(this.textOf(value)) : undefined;
    if (isObject(entry) && typeof entry['type'] === 'string') this.keep(value, entry);
    else this.closeOrLose();
  }

  private keep(value: PartialJson, entry: JsonObject): void {
    const code = findUnreadableCause(entry);
    if (code !== null) {
      this.rememberParent(entry);
      return this.lose(value.end, code);
    }
    this.beginLine(entry['id']);
    noteFlaws(this.shared.editing, this.place(value.end), { flaws: value.flaws, id: entry['id'] });
    this.keepTo(value, value.end);
    this.at = value.end;
    this.isBehindEntry = true;
  }

  /** The beginning of an entry, up to the next one on the line or to the end of the line. */
  private closeOrLose(): void {
    const { bytes, offset } = this.run;
    const { editing } = this.shared;
    const lineEnd = this.lineEnd();
    const next = this.nextEntry(lineEnd);
    const isTail = lineEnd === bytes.length;
    const code = next !== null ? 'glued-lines' : isTail ? 'torn-tail' : 'malformed-line';
    const end = next ?? lineEnd;
    const closed = closeEntry(bytes, this.at, end);
    if (!closed) {
      this.rememberParent(readEntryStart(bytes, this.at, end));
      return this.lose(end, code);
    }
    this.beginLine(closed.entry['id']);
    noteClosed(editing, this.place(end), { code, closed, lost: end - closed.end });
    this.keepTo(closed.value, closed.end);
    editing.add(closed.closing);
    this.isBehindEntry = true;
    editing.loseTo(offset + end, code);
    this.at = end;
  }

  private rememberParent({ id, parentId }: JsonObject): void {
    if (typeof id === 'string' && id !== '') this.shared.lostParents.set(id, parentId);
  }

  private loseJunk(): void {
    const lineEnd = this.lineEnd();
    const isScalar =
      parseJson(readRepairedText(this.run.bytes, { start: this.at, end: lineEnd, flaws: [] })) !== undefined;
    const isTail = lineEnd === this.run.bytes.length;
    const code = isScalar ? 'not-an-object' : isTail ? 'torn-tail' : 'malformed-line';
    this.lose(this.nextEntry(lineEnd) ?? lineEnd, code);
  }

  /** Drops the bytes before `end`, with the newline if nothing else is on the line. */
  private lose(end: number, code: string): void {
    const { bytes, offset } = this.run;
    const { editing } = this.shared;
    const isLine = !this.isBehindEntry && bytes[end] === NEWLINE;
    editing.keepTo(offset + this.at);
    this.at = isLine ? end + 1 : end;
    editing.loseTo(offset + this.at, code);
  }

  /** Where the next entry on this line begins; null where there is none. */
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
    return end === -1 ? this.run.bytes.length : end;
  }

  private read(start: number): PartialJson {
    const value = readPartialJson(this.run.bytes, start);
    this.shared.budget -= value.end - start;
    return value;
  }

  private textOf({ end, flaws }: PartialJson): string {
    return readRepairedText(this.run.bytes, { start: this.at, end, flaws });
  }

  private place(end: number): { offset: number; length: number } {
    return { offset: this.run.offset + this.at, length: end - this.at };
  }

  private beginLine(id: unknown): void {
    const { editing } = this.shared;
    editing.keepTo(this.run.offset + this.at);
    if (!this.isBehindEntry) return;
    editing.add('\n');
    editing.note('glued-lines', { ...this.place(this.at), id }, 'moved to its own line');
  }

  /** Keeps the bytes before `end`, with their flaws repaired. */
  private keepTo({ flaws }: PartialJson, end: number): void {
    const { editing } = this.shared;
    const { offset } = this.run;
    for (const { at, length, text } of flaws) {
      if (at >= end) break;
      editing.keepTo(offset + at);
      editing.add(text);
      editing.leaveOutTo(offset + at + length);
    }
    editing.keepTo(offset + end);
  }
}

/** Whether an object with these members is an entry or a header, and not a part of one. */
function isEntry(keys: readonly string[]): boolean {
  const has = (key: string): boolean => keys.includes(key);
  return has('parentId') || (has('timestamp') && (has('message') || has('cwd') || has('version')));
}
