import {
  type LineRecords,
  packFlags,
  PI_ROLES,
  PI_TYPES,
  readFlag,
  RECORD_WORD,
  WORDS_PER_RECORD,
} from '../scan/line-scanner.js';
import type { Head, RawId } from './head.js';
import { ID_KIND, IdIndex, NONE } from './id-index.js';
import { NamePool } from './name-pool.js';

const LEAST_ROOM = 16;

/**
 * A table of heads, about sixty bytes each: the record of its line as the line scanner writes it, and the position of
 * the line. Rows are only appended.
 */
export class HeadRows {
  readonly ids: IdIndex;
  readonly types: NamePool;
  readonly roles: NamePool;
  length: number;
  /** The first row in the columns of this table; the rows before it are in the table that this one continues. */
  readonly start: number;
  offsets: Float64Array;
  lines: Uint32Array;
  words: Uint32Array;
  /** A view of the same memory. */
  doubles: Float64Array;
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

  /** Allocates more rows, to be filled by the caller, which then sets the length. */
  makeRoom(rows: number): void {
    while (this.length - this.start + rows > this.offsets.length) {
      this.offsets = doubleCapacity(this.offsets);
      this.lines = doubleCapacity(this.lines);
      this.words = doubleCapacity(this.words);
      this.doubles = new Float64Array(this.words.buffer);
    }
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
    return this.ids.entryOf(readFlag[whose](this.flags(index)), this.word(index, RECORD_WORD[whose]));
  }

  id(index: number, whose: IdField): RawId {
    return this.ids.value(readFlag[whose](this.flags(index)), this.word(index, RECORD_WORD[whose]));
  }
}

/** The ids of an entry. */
export type IdField = 'id' | 'parentId' | 'target';

function doubleCapacity<Values extends Uint32Array | Float64Array>(values: Values): Values {
  const room = new (values.constructor as new (length: number) => Values)(values.length * 2);
  room.set(values);
  return room;
}

/**
 * One row of the table, read on demand: a path of a hundred thousand entries consists of these. A walk of a path
 * reads type and role most often.
 */
export class HeadView implements Head {
  readonly type: string | null;
  readonly role: string | null;

  constructor(
    private readonly rows: HeadRows,
    readonly index: number,
  ) {
    const flags = rows.flags(index);
    this.type = rows.types.at(readFlag.type(flags), index);
    this.role = rows.roles.at(readFlag.role(flags), index);
  }

  get line(): number {
    return this.rows.line(this.index);
  }
  get offset(): number {
    return this.rows.offset(this.index);
  }
  get length(): number {
    return this.rows.double(this.index, RECORD_WORD.length);
  }
  get id(): RawId {
    return this.rows.id(this.index, 'id');
  }
  get parentId(): RawId {
    return this.rows.id(this.index, 'parentId');
  }
  get target(): RawId {
    return this.rows.id(this.index, 'target');
  }
  get time(): number {
    return this.rows.double(this.index, RECORD_WORD.time);
  }
  get hasSummary(): boolean {
    return readFlag.hasSummary(this.rows.flags(this.index)) === 1;
  }
  get isAdded(): boolean {
    return readFlag.isAdded(this.rows.flags(this.index)) === 1;
  }
  get usageStart(): number {
    return this.rows.word(this.index, RECORD_WORD.usageStart);
  }
  get usageLength(): number {
    return this.rows.word(this.index, RECORD_WORD.usageLength);
  }
}

/** The targets of the links of all entries. */
export interface ResolvedLinks {
  /** The parent of each entry, NONE for a root. */
  readonly parents: Int32Array;
  /** The entries whose parent is missing. */
  readonly lost: readonly number[];
  readonly areParentsAbove: boolean;
}

/** Most entries follow the previous one in the file: the others are looked up. */
export function resolveParents(rows: HeadRows): ResolvedLinks {
  const { ids, length } = rows;
  const parents = new Int32Array(length);
  for (let index = 0; index < length; index += 1) parents[index] = index - 1;
  const lost: number[] = [];
  let areParentsAbove = true;
  // The id of the previous row may belong to a later entry too.
  for (const index of ids.areUnique ? rows.nonSequential : parents.keys()) {
    const parent = findParent(rows, index);
    parents[index] = parent ?? NONE;
    if (parent === NONE) lost.push(index);
    else if (parent !== null && parent >= index) areParentsAbove = false;
  }
  return { parents, lost, areParentsAbove };
}

/** The parent of an entry, NONE if it is missing; null for a root. Pi follows only ids that are truthy. */
function findParent(rows: HeadRows, index: number): number | null {
  const kind = readFlag.parentId(rows.flags(index));
  const word = rows.word(index, RECORD_WORD.parentId);
  return kind === ID_KIND.digits || rows.ids.value(kind, word) ? rows.ids.entryOf(kind, word) : null;
}

/** The number of the type of nearly all entries. */
export const MESSAGE_TYPE = PI_TYPES.indexOf('message') + 1;

/** The flags of no entry, from which the masks below are packed: a call of `readFlag` for each entry would dominate the time. */
export const NO_FLAGS = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
export const TYPE_BITS = packFlags({ ...NO_FLAGS, type: 255 });
export const ID_BITS = packFlags({ ...NO_FLAGS, id: ID_KIND.strange });
export const ID_DIGITS = packFlags({ ...NO_FLAGS, id: ID_KIND.digits });
export const PARENT_BITS = packFlags({ ...NO_FLAGS, parentId: ID_KIND.strange });
export const PARENT_DIGITS = packFlags({ ...NO_FLAGS, parentId: ID_KIND.digits });
