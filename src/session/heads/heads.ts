import { type LineRecords, packFlags, readFlag, RECORD_WORD, WORDS_PER_RECORD } from '../scan/line-scanner.js';
import {
  HeadRows,
  HeadView,
  ID_BITS,
  ID_DIGITS,
  type IdField,
  MESSAGE_TYPE,
  NO_FLAGS,
  PARENT_BITS,
  PARENT_DIGITS,
  type ResolvedLinks,
  resolveParents,
  TYPE_BITS,
} from './head-rows.js';
import type { Head, NewHead, RawId } from './head.js';
import { ID_KIND, NONE } from './id-index.js';

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
    const { rows } = this;
    const { ids, length: index } = rows;
    rows.makeRoom(1);
    const id = ids.keep(head.id);
    const parent = ids.keep(head.parentId);
    const target = ids.keep(head.target);
    const type = rows.types.numberFor(head.type, index);
    const role = rows.roles.numberFor(head.role, index);
    const row = index - rows.start;
    const at = row * WORDS_PER_RECORD;
    rows.offsets[row] = head.offset;
    rows.lines[row] = head.line;
    rows.doubles.set([head.length, head.time], at / 2);
    const kinds = { id: id.kind, parentId: parent.kind, target: target.kind };
    rows.words[at + RECORD_WORD.flags] = packFlags({
      type,
      role,
      ...kinds,
      hasSummary: head.hasSummary ? 1 : 0,
      isAdded: head.isAdded ? 1 : 0,
    });
    rows.words[at + RECORD_WORD.id] = id.word;
    rows.words[at + RECORD_WORD.parentId] = parent.word;
    rows.words[at + RECORD_WORD.target] = target.word;
    rows.words[at + RECORD_WORD.usageStart] = head.usageStart;
    rows.words[at + RECORD_WORD.usageLength] = head.usageLength;
    ids.set(id.kind, id.word, index);
    if (type !== MESSAGE_TYPE) rows.nonMessages.push(index);
    if (!this.followsPrevious(index)) rows.nonSequential.push(index);
    rows.length = index + 1;
    this.resolved = null;
  }

  /** Adds entries of records: see `HeadRows.accept`. */
  acceptRecords(records: LineRecords, from: number, offset: number, line: number): number {
    this.resolved = null;
    return this.rows.accept(records, from, offset, line);
  }

  /** Changes the type of an entry that is not a message. */
  setType(index: number, type: string): void {
    const { rows } = this;
    const at = index * WORDS_PER_RECORD + RECORD_WORD.flags;
    const number = packFlags({ ...NO_FLAGS, type: rows.types.numberFor(type, index) });
    rows.words[at] = ((rows.words[at] ?? 0) & ~TYPE_BITS) | number;
  }

  /** Marks a message that its program made by itself. */
  markAdded(index: number): void {
    const at = (index - this.rows.start) * WORDS_PER_RECORD + RECORD_WORD.flags;
    this.rows.words[at] = (this.rows.words[at] ?? 0) | packFlags({ ...NO_FLAGS, isAdded: 1 });
  }

  /** Whether the parent of an entry is the entry of the previous row, both ids being in Pi's format. */
  private followsPrevious(index: number): boolean {
    const { rows } = this;
    if ((rows.flags(index - 1) & ID_BITS) !== ID_DIGITS) return false;
    const isDigits = (rows.flags(index) & PARENT_BITS) === PARENT_DIGITS;
    return isDigits && rows.word(index, RECORD_WORD.parentId) === rows.word(index - 1, RECORD_WORD.id);
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

  /** See `readFlag`. Only the line scanner sets all of them, and it reads no line whose `usageStart` is `UNKNOWN_PLACE`. */
  flagsAt(index: number): number {
    return this.rows.flags(index);
  }

  idAt(index: number, whose: IdField): RawId {
    return this.rows.id(index, whose);
  }

  /** The hex digits of the id of an entry; null for an id in another format, or none. */
  idDigitsAt(index: number): number | null {
    const { rows } = this;
    return readFlag.id(rows.flags(index)) === ID_KIND.digits ? rows.word(index, RECORD_WORD.id) : null;
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

  /** The index of the entry that an entry's id resolves to: a repeated id is its last entry, as in Pi. */
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
    for (const index of rows.nonMessages) if (types.includes(rows.type(index) ?? '')) found.add(index);
    if (!rows.ids.areUnique)
      for (let index = 0; index < length; index += 1) if (this.entryOfIdAt(index) !== index) found.add(index);
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
    for (let index = 0; index < length; index += 1)
      if (this.entryOfIdAt(index) === index && isWanted(rows.id(index, 'id'))) yield new HeadView(rows, index);
  }

  /** The entries of a type other than `message`, without a look at messages. */
  *ofType(type: string): Generator<Head> {
    const { rows } = this;
    for (const index of rows.nonMessages) if (rows.type(index) === type) yield new HeadView(rows, index);
  }

  *[Symbol.iterator](): Generator<Head> {
    for (let index = 0; index < this.length; index += 1) yield new HeadView(this.rows, index);
  }

  private links(): ResolvedLinks {
    this.resolved ??= resolveParents(this.rows);
    return this.resolved;
  }
}
