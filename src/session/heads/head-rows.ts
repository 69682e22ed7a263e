import { doubleCapacity } from '#base/lists.js';
import {
  type LineRecords,
  packFlags,
  PI_ROLES,
  PI_TYPES,
  readFlag,
  RECORD_WORD,
  WORDS_PER_RECORD,
} from '../scan/line-scanner.js';
import type { NewHead, RawId } from './head.js';
import { ID_KIND, IdIndex, type IdKind, NONE } from './id-index.js';
import { NamePool } from './name-pool.js';

const LEAST_ROOM = 16;

/**
 * A table of heads, about sixty bytes each: the record of its line as the line scanner writes it, and the position of
 * the line. Rows are only appended.
 */
export class HeadRows {
  readonly ids: IdIndex;
  private readonly types: NamePool;
  private readonly roles: NamePool;
  length: number;
  /** The first row in the columns of this table; the rows before it are in the table that this one continues. */
  private readonly start: number;
  private offsets: Float64Array;
  private lines: Uint32Array;
  private words: Uint32Array;
  /** A view of the same memory. */
  private doubles: Float64Array;
  /** The few entries that are not messages. */
  readonly nonMessages: number[];
  /** The entries whose parent may not be the entry of the previous row. */
  readonly nonSequential: number[];

  /** `room`: the expected number of entries. `above`: a table to continue, which changes no more. */
  constructor(
    room: number,
    private readonly above?: HeadRows,
  ) {
    this.ids = new IdIndex(room, above?.ids);
    this.types = above?.types.copy() ?? new NamePool([null, ...PI_TYPES]);
    this.roles = above?.roles.copy() ?? new NamePool([null, ...PI_ROLES]);
    this.nonMessages = [...(above?.nonMessages ?? [])];
    this.nonSequential = [...(above?.nonSequential ?? [])];
    this.start = above?.length ?? 0;
    this.length = this.start;
    const size = Math.max(LEAST_ROOM, room);
    this.offsets = new Float64Array(size);
    this.lines = new Uint32Array(size);
    this.words = new Uint32Array(size * WORDS_PER_RECORD);
    this.doubles = new Float64Array(this.words.buffer);
  }

  private makeRoom(rows: number): void {
    while (this.length - this.start + rows > this.offsets.length) {
      this.offsets = doubleCapacity(this.offsets);
      this.lines = doubleCapacity(this.lines);
      this.words = doubleCapacity(this.words);
      this.doubles = new Float64Array(this.words.buffer);
    }
  }

  push(head: NewHead): void {
    this.makeRoom(1);
    const { ids, length: index } = this;
    const id = ids.keep(head.id);
    const parent = ids.keep(head.parentId);
    const target = ids.keep(head.target);
    const type = this.types.numberFor(head.type, index);
    const row = index - this.start;
    const at = row * WORDS_PER_RECORD;
    this.offsets[row] = head.offset;
    this.lines[row] = head.line;
    this.doubles.set([head.length, head.time], at / 2);
    this.words[at + RECORD_WORD.flags] = packFlags({
      type,
      role: this.roles.numberFor(head.role, index),
      id: id.kind,
      parentId: parent.kind,
      target: target.kind,
      hasSummary: head.hasSummary ? 1 : 0,
      isAdded: head.isAdded ? 1 : 0,
    });
    this.words[at + RECORD_WORD.id] = id.word;
    this.words[at + RECORD_WORD.parentId] = parent.word;
    this.words[at + RECORD_WORD.target] = target.word;
    this.words[at + RECORD_WORD.usageStart] = head.usageStart;
    this.words[at + RECORD_WORD.usageLength] = head.usageLength;
    ids.set(id.kind, id.word, index);
    if (type !== MESSAGE_TYPE) this.nonMessages.push(index);
    if (!this.followsPrevious(index)) this.nonSequential.push(index);
    this.length = index + 1;
  }

  /** Whether the parent of an entry is the entry of the previous row, both ids being in Pi's format. */
  private followsPrevious(index: number): boolean {
    if ((this.flags(index - 1) & ID_BITS) !== ID_DIGITS) return false;
    const isDigits = (this.flags(index) & PARENT_BITS) === PARENT_DIGITS;
    return isDigits && this.word(index, RECORD_WORD.parentId) === this.word(index - 1, RECORD_WORD.id);
  }

  /**
   * Adds the entries of records from the one numbered `from` on, up to one that the line scanner does not confirm,
   * and returns their number. The first of them is at `offset` on `line`. There are hundreds of thousands, so one loop
   * does the work for each of them, and the rest is done for all at once.
   */
  accept({ words, doubles, count }: LineRecords, from: number, offset: number, line: number): number {
    this.makeRoom(count - from);
    const { ids, offsets, lines, nonMessages: others, nonSequential: jumps, length: first } = this;
    let index = first;
    let start = offset;
    /** The id of the previous row, if it has Pi's format. */
    let above = (this.flags(first - 1) & ID_BITS) === ID_DIGITS ? this.word(first - 1, RECORD_WORD.id) : NONE;
    for (let at = from * WORDS_PER_RECORD; at < count * WORDS_PER_RECORD; at += WORDS_PER_RECORD) {
      const flags = words[at + RECORD_WORD.flags] ?? 0;
      if (flags === 0) break;
      if ((flags & TYPE_BITS) !== MESSAGE_TYPE) others.push(index);
      if (words[at + RECORD_WORD.parentId] !== above || (flags & PARENT_BITS) !== PARENT_DIGITS) jumps.push(index);
      above = words[at + RECORD_WORD.id] ?? NONE;
      offsets[index] = start;
      lines[index] = line + index - first;
      start += doubles[at / 2] ?? 0;
      index += 1;
    }
    const end = (from + index - first) * WORDS_PER_RECORD;
    this.words.set(words.subarray(from * WORDS_PER_RECORD, end), first * WORDS_PER_RECORD);
    ids.setAll(words, {
      from: from * WORDS_PER_RECORD + RECORD_WORD.id,
      step: WORDS_PER_RECORD,
      count: index - first,
      first,
    });
    this.length = index;
    return index - first;
  }

  setType(index: number, type: string): void {
    const number = packFlags({ ...NO_FLAGS, type: this.types.numberFor(type, index) });
    this.setFlags(index, (this.flags(index) & ~TYPE_BITS) | number);
  }

  markAdded(index: number): void {
    this.setFlags(index, this.flags(index) | packFlags({ ...NO_FLAGS, isAdded: 1 }));
  }

  private setFlags(index: number, flags: number): void {
    this.words[(index - this.start) * WORDS_PER_RECORD + RECORD_WORD.flags] = flags;
  }

  flags(index: number): number {
    return this.word(index, RECORD_WORD.flags);
  }

  word(index: number, word: number): number {
    const row = index - this.start;
    return row < 0 ? (this.above?.word(index, word) ?? 0) : (this.words[row * WORDS_PER_RECORD + word] ?? 0);
  }

  /** The number of eight bytes at a word. */
  double(index: number, word: number): number {
    const row = index - this.start;
    return row < 0 ? (this.above?.double(index, word) ?? 0) : (this.doubles[(row * WORDS_PER_RECORD + word) / 2] ?? 0);
  }

  offset(index: number): number {
    const row = index - this.start;
    return row < 0 ? (this.above?.offset(index) ?? 0) : (this.offsets[row] ?? 0);
  }

  line(index: number): number {
    const row = index - this.start;
    return row < 0 ? (this.above?.line(index) ?? 0) : (this.lines[row] ?? 0);
  }

  type(index: number): string | null {
    return this.types.at(readFlag.type(this.flags(index)), index);
  }

  role(index: number): string | null {
    return this.roles.at(readFlag.role(this.flags(index)), index);
  }

  /** The entry of an id, NONE if there is none. */
  entryOf(index: number, whose: IdField): number {
    return this.ids.entryOf(this.idKind(index, whose), this.word(index, RECORD_WORD[whose]));
  }

  id(index: number, whose: IdField): RawId {
    return this.ids.value(this.idKind(index, whose), this.word(index, RECORD_WORD[whose]));
  }

  /** How an id is stored. Its two bits are written from an IdKind only. */
  idKind(index: number, whose: IdField): IdKind {
    return readFlag[whose](this.flags(index)) as IdKind;
  }
}

/** The ids of an entry. */
export type IdField = 'id' | 'parentId' | 'target';

/** The number of the type of nearly all entries. */
const MESSAGE_TYPE = PI_TYPES.indexOf('message') + 1;

/**
 * The flags of no entry, from which the masks below are packed: a call of `readFlag` for each entry would dominate the
 * time.
 */
const NO_FLAGS = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
const TYPE_BITS = packFlags({ ...NO_FLAGS, type: 255 });
const ID_BITS = packFlags({ ...NO_FLAGS, id: ID_KIND.strange });
const ID_DIGITS = packFlags({ ...NO_FLAGS, id: ID_KIND.digits });
const PARENT_BITS = packFlags({ ...NO_FLAGS, parentId: ID_KIND.strange });
const PARENT_DIGITS = packFlags({ ...NO_FLAGS, parentId: ID_KIND.digits });
