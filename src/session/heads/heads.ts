import { type LineRecords, readFlag, RECORD_WORD } from '../scan/line-scanner.js';
import { HeadRows, type IdField } from './head-rows.js';
import { HeadView } from './head-view.js';
import type { Head, NewHead, RawId } from './head.js';
import { ID_KIND, NONE } from './id-index.js';
import { type ResolvedLinks, resolveParents } from './links.js';

/**
 * The heads of a session's entries in file order, and the links between them. They are stored in a table, since a
 * session may have millions; a Head is created on demand, so compare heads by their index.
 */
export class Heads implements Iterable<Head> {
  private readonly rows: HeadRows;
  /** The resolved links of the entries, computed on demand and dropped when entries are added. */
  private resolved: ResolvedLinks | null = null;

  /** `room`: the expected number of entries. `above`: heads to continue, which change no more; use only `push` then. */
  constructor(room = 0, above?: Heads) {
    this.rows = new HeadRows(room, above?.rows);
  }

  static from(heads: Iterable<NewHead>): Heads {
    const all = new Heads();
    for (const head of heads) all.push(head);
    return all;
  }

  get length(): number {
    return this.rows.length;
  }

  push(head: NewHead): void {
    this.rows.push(head);
    this.resolved = null;
  }

  /** Adds entries of records: see `HeadRows.accept`. */
  acceptRecords(records: LineRecords, from: number, offset: number, line: number): number {
    this.resolved = null;
    return this.rows.accept(records, from, offset, line);
  }

  /** Changes the type of an entry that is not a message. */
  setType(index: number, type: string): void {
    this.rows.setType(index, type);
  }

  /** Marks a message that its program made by itself. */
  markAdded(index: number): void {
    this.rows.markAdded(index);
  }

  get last(): Head | undefined {
    return this.at(this.length - 1);
  }

  /** The index after the last entry. */
  get end(): number {
    return this.offsetAt(this.length - 1) + this.lengthAt(this.length - 1);
  }

  /** The head of an entry; undefined for an index out of range, such as the -1 of a missing parent. */
  at(index: number): Head | undefined {
    return index < 0 || index >= this.length ? undefined : new HeadView(this.rows, index);
  }

  typeAt(index: number): string | null {
    return this.rows.type(index);
  }

  roleAt(index: number): string | null {
    return this.rows.role(index);
  }

  /** Whether a provider gave the answer that an entry is: see `answersRequest`. */
  isAnswerAt(index: number): boolean {
    const { rows } = this;
    return rows.role(index) === 'assistant' && readFlag.isAdded(rows.flags(index)) === 0;
  }

  lineAt(index: number): number {
    return this.rows.line(index);
  }

  offsetAt(index: number): number {
    return this.rows.offset(index);
  }

  lengthAt(index: number): number {
    return this.rows.double(index, RECORD_WORD.length);
  }

  /** 0 for an entry without a usage. */
  usageLengthAt(index: number): number {
    return this.rows.word(index, RECORD_WORD.usageLength);
  }

  /**
   * See `readFlag`. Only the line scanner sets all of them, and it reads no line whose `usageStart` is `UNKNOWN_PLACE`.
   */
  flagsAt(index: number): number {
    return this.rows.flags(index);
  }

  idAt(index: number, whose: IdField): RawId {
    return this.rows.id(index, whose);
  }

  /** The hex digits of the id of an entry; null for an id in another format, or none. */
  idDigitsAt(index: number): number | null {
    const { rows } = this;
    return rows.idKind(index, 'id') === ID_KIND.digits ? rows.word(index, RECORD_WORD.id) : null;
  }

  timeAt(index: number): number {
    return this.rows.double(index, RECORD_WORD.time);
  }

  /** The shape of the line of an entry, as line-shape.as.ts describes it; 0 if it is unknown. */
  shapeAt(index: number): number {
    return this.rows.double(index, RECORD_WORD.shape);
  }

  /** The index of the parent of an entry, as Pi resolves it; -1 for a root. */
  parentAt(index: number): number {
    return this.links().parents[index] ?? NONE;
  }

  /** All ancestors of an entry, from the root. Ends at a missing parent, and cuts a cycle where it would repeat. */
  ancestorsOf(below: number): Head[] {
    const { rows } = this;
    const { parents } = this.links();
    const seen = new Uint8Array(rows.length);
    seen[below] = 1;
    const above: Head[] = [];
    for (let at = parents[below] ?? NONE; at !== NONE && seen[at] === 0; at = parents[at] ?? NONE) {
      seen[at] = 1;
      above.push(new HeadView(rows, at));
    }
    return above.toReversed();
  }

  /** Whether every parent precedes its child in the file, as Pi writes them: then there can be no cycle. */
  areParentsAbove(): boolean {
    return this.links().areParentsAbove;
  }

  /**
   * Returns the index of the entry to which the id of an entry resolves: of several entries with one id, the last, as
   * in Pi.
   */
  entryOfIdAt(index: number): number {
    return this.rows.ids.areUnique ? index : this.rows.entryOf(index, 'id');
  }

  /** The index of the target of a label, an edit or a compaction; -1 if there is none. */
  targetAt(index: number): number {
    return this.rows.entryOf(index, 'target');
  }

  /** The entries whose id resolves to another entry, whose parent is missing, or with one of these types. */
  *listSuspects(types: readonly string[]): Generator<Head> {
    const { rows, length } = this;
    const found = new Set(this.links().lost);
    for (const index of rows.nonMessages) {
      if (types.includes(rows.type(index) ?? '')) found.add(index);
    }
    if (!rows.ids.areUnique)
      for (let index = 0; index < length; index += 1) {
        if (this.entryOfIdAt(index) !== index) found.add(index);
      }
    for (const index of found) yield new HeadView(rows, index);
  }

  find(id: RawId): Head | undefined {
    return this.at(this.rows.ids.find(id));
  }

  has(id: RawId): boolean {
    return this.rows.ids.find(id) !== NONE;
  }

  /** The entries whose ids satisfy a condition. */
  *findByIds(isWanted: (id: RawId) => boolean): Generator<Head> {
    const { rows, length } = this;
    for (let index = 0; index < length; index += 1) {
      if (this.entryOfIdAt(index) === index && isWanted(rows.id(index, 'id'))) yield new HeadView(rows, index);
    }
  }

  /** The entries of a type other than `message`, without a look at messages. */
  *ofType(type: string): Generator<Head> {
    const { rows } = this;
    for (const index of rows.nonMessages) {
      if (rows.type(index) === type) yield new HeadView(rows, index);
    }
  }

  *[Symbol.iterator](): Generator<Head> {
    for (let index = 0; index < this.length; index += 1) yield new HeadView(this.rows, index);
  }

  private links(): ResolvedLinks {
    this.resolved ??= resolveParents(this.rows);
    return this.resolved;
  }
}
