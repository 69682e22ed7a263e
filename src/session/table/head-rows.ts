import { flagsOf, RECORD_WORDS, ROLES, TYPES, WORD } from '../scan/line-scanner.js';
import type { Head, RawId } from './head.js';
import { Ids } from './ids.js';

/** Stands for all names that are one too many for a byte. */
const MANY = 255;

/** Types or roles, each by a number of one byte. They are few; a file that has more may cost more. */
class Names {
  private readonly names: (string | null)[];
  private readonly numbers: Map<string | null, number>;
  /** By the index of the entry. */
  private readonly others = new Map<number, string | null>();

  /** `known`: the names that have the numbers 0, 1, 2, … */
  constructor(known: readonly (string | null)[]) {
    this.names = [...known];
    this.numbers = new Map(known.map((name, number) => [name, number]));
  }

  /** The number that stands for the name of an entry. */
  numberFor(name: string | null, index: number): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    if (this.names.length === MANY) {
      this.others.set(index, name);
      return MANY;
    }
    this.numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  at(number: number, index: number): string | null {
    return (number === MANY ? this.others.get(index) : this.names[number]) ?? null;
  }
}

const LEAST_ROOM = 16;

/**
 * A table of heads, about fifty bytes each: the record of its line as the line scanner writes it, and where the line
 * stands. Rows are only ever added.
 */
export class HeadRows {
  readonly ids: Ids;
  readonly types = new Names([null, ...TYPES]);
  readonly roles = new Names([null, ...ROLES]);
  length = 0;
  offsets: Float64Array;
  lines: Uint32Array;
  words: Uint32Array;
  /** The same bytes. */
  doubles: Float64Array;
  /** The few entries that are no messages. */
  readonly others: number[] = [];
  /** Those that may have another parent than the entry of the row above. */
  readonly jumps: number[] = [];

  /** `room`: how many entries there will likely be. */
  constructor(room: number) {
    this.ids = new Ids(room);
    const size = Math.max(LEAST_ROOM, room);
    this.offsets = new Float64Array(size);
    this.lines = new Uint32Array(size);
    this.words = new Uint32Array(size * RECORD_WORDS);
    this.doubles = new Float64Array(this.words.buffer);
  }

  /** Makes room for more rows, to be filled by the caller, who then sets the length. */
  makeRoom(rows: number): void {
    while (this.length + rows > this.offsets.length) {
      this.offsets = doubled(this.offsets);
      this.lines = doubled(this.lines);
      this.words = doubled(this.words);
      this.doubles = new Float64Array(this.words.buffer);
    }
  }

  flags(index: number): number {
    return this.words[index * RECORD_WORDS + WORD.flags] ?? 0;
  }

  word(index: number, word: number): number {
    return this.words[index * RECORD_WORDS + word] ?? 0;
  }

  lineLength(index: number): number {
    return this.doubles[(index * RECORD_WORDS) / 2] ?? 0;
  }

  time(index: number): number {
    return this.doubles[(index * RECORD_WORDS) / 2 + 1] ?? Number.NaN;
  }

  type(index: number): string | null {
    return this.types.at(flagsOf.type(this.flags(index)), index);
  }

  role(index: number): string | null {
    return this.roles.at(flagsOf.role(this.flags(index)), index);
  }

  /** The entry that an id of an entry leads to, NONE where there is none. */
  leadsTo(index: number, whose: Whose): number {
    return this.ids.entryOf(flagsOf[whose](this.flags(index)), this.word(index, WORD[whose]));
  }

  id(index: number, whose: Whose): RawId {
    return this.ids.value(flagsOf[whose](this.flags(index)), this.word(index, WORD[whose]));
  }
}

/** The ids that an entry holds. */
export type Whose = 'id' | 'parentId' | 'target';

function doubled<Values extends Uint32Array | Float64Array>(values: Values): Values {
  const room = new (values.constructor as new (length: number) => Values)(values.length * 2);
  room.set(values);
  return room;
}

/**
 * One row of the table, read when it is asked: a path of a hundred thousand entries is made of these. Who walks a path
 * asks for nothing as often as for type and role.
 */
export class RowHead implements Head {
  readonly type: string | null;
  readonly role: string | null;

  constructor(
    private readonly rows: HeadRows,
    readonly index: number,
  ) {
    const flags = rows.flags(index);
    this.type = rows.types.at(flagsOf.type(flags), index);
    this.role = rows.roles.at(flagsOf.role(flags), index);
  }

  get line(): number {
    return this.rows.lines[this.index] ?? 0;
  }
  get offset(): number {
    return this.rows.offsets[this.index] ?? 0;
  }
  get length(): number {
    return this.rows.lineLength(this.index);
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
    return this.rows.time(this.index);
  }
  get hasSummary(): boolean {
    return flagsOf.hasSummary(this.rows.flags(this.index)) === 1;
  }
  get usageStart(): number {
    return this.rows.word(this.index, WORD.usageStart);
  }
  get usageLength(): number {
    return this.rows.word(this.index, WORD.usageLength);
  }
}
