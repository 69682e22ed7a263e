import type { Head, NewHead, RawId } from './head.js';
import { HeadColumns, type HeadNumbers, type HeadPlace, RowHead } from './head-columns.js';
import { doubled } from './hex-table.js';

const NONE = -1;

/**
 * The heads of a session's entries in file order, and the links between them. They are held by column, since a
 * session may have millions; a Head is made when somebody looks at one, so compare them by their index.
 */
export class Heads implements Iterable<Head> {
  private readonly columns: HeadColumns;
  /** The last entry of each id, by the id's number. */
  private lastOfId = new Int32Array(16).fill(NONE);

  /** `room`: how many entries there will likely be. */
  constructor(room = 0) {
    this.columns = new HeadColumns(room);
  }

  static from(heads: Iterable<NewHead>): Heads {
    const all = new Heads();
    for (const head of heads) all.push(head);
    return all;
  }

  get length(): number {
    return this.columns.length;
  }

  push(head: NewHead): void {
    this.add(head, {
      type: this.nameNumber(head.type),
      role: this.nameNumber(head.role),
      id: this.idNumber(head.id),
      parent: this.idNumber(head.parentId),
      target: this.idNumber(head.target),
    });
  }

  /** Adds an entry whose names and ids are numbers already. */
  add(place: HeadPlace, numbers: HeadNumbers): void {
    while (this.lastOfId.length < this.columns.ids.length) this.lastOfId = withRoom(this.lastOfId);
    this.lastOfId[numbers.id] = this.columns.length;
    this.columns.add(place, numbers);
  }

  /** The number that stands for a type or role in `add`. */
  nameNumber(name: string | null): number {
    return this.columns.nameNumber(name);
  }

  /** The number that stands for an id in `add`. */
  idNumber(id: RawId): number {
    return this.columns.ids.numberOf(id);
  }

  /** The same for the id that eight hex digits spell in lower case. */
  digitsNumber(digits: number): number {
    return this.columns.ids.numberOfDigits(digits);
  }

  get last(): Head | undefined {
    return this.at(this.length - 1);
  }

  /** The head of an entry; undefined for an index that there is not, such as the -1 of a missing parent. */
  at(index: number): Head | undefined {
    return index < 0 || index >= this.length ? undefined : new RowHead(this.columns, index);
  }

  typeAt(index: number): string | null {
    return this.columns.type(index);
  }

  roleAt(index: number): string | null {
    return this.columns.role(index);
  }

  lineAt(index: number): number {
    return this.columns.lines[index] ?? 0;
  }

  offsetAt(index: number): number {
    return this.columns.offsets[index] ?? 0;
  }

  lengthAt(index: number): number {
    return this.columns.lengths[index] ?? 0;
  }

  /** The hex digits of the id of an entry, its parent or its target; null for an id that is none of Pi's, or none. */
  idDigitsAt(index: number, whose: 'id' | 'parent' | 'target'): number | null {
    const { own, parents, targets, ids } = this.columns;
    const numbers = whose === 'id' ? own : whose === 'parent' ? parents : targets;
    return ids.digitsAt(numbers[index] ?? 0);
  }

  timeAt(index: number): number {
    return this.columns.times[index] ?? Number.NaN;
  }

  /** The index of the entry that is another's parent, as Pi resolves it; -1 for a root. */
  parentAt(index: number): number {
    const parent = this.columns.parents[index] ?? 0;
    return this.columns.ids.isTruthy(parent) ? (this.lastOfId[parent] ?? NONE) : NONE;
  }

  /** The index of the entry that an entry's id leads to: a repeated id means its last entry, as in Pi. */
  resolvedAt(index: number): number {
    return this.lastOfId[this.columns.own[index] ?? 0] ?? NONE;
  }

  /** The same for the entry that a label, an edit or a compaction is about; -1 where there is none. */
  targetAt(index: number): number {
    return this.lastOfId[this.columns.targets[index] ?? 0] ?? NONE;
  }

  /** The entries whose id does not lead to them, whose parent is not there, or that are of one of these types. */
  *withLinksToCheck(types: readonly string[]): Generator<Head> {
    const { columns, lastOfId, length } = this;
    const wanted = new Set(types.map((type) => columns.findName(type)));
    const isSound = (index: number): boolean => {
      const parent = columns.parents[index] ?? 0;
      return (
        lastOfId[columns.own[index] ?? 0] === index && (lastOfId[parent] !== NONE || !columns.ids.isTruthy(parent))
      );
    };
    for (let index = 0; index < length; index += 1)
      if (!isSound(index) || wanted.has(columns.types[index])) yield new RowHead(columns, index);
  }

  /** The entry that an id leads to. */
  find(id: RawId): Head | undefined {
    return this.at(this.indexOf(id));
  }

  has(id: RawId): boolean {
    return this.indexOf(id) !== NONE;
  }

  /** The entries that ids of a certain form lead to. */
  *withId(isWanted: (id: RawId) => boolean): Generator<Head> {
    const { ids } = this.columns;
    for (let number = 0; number < ids.length; number += 1) {
      const head = isWanted(ids.at(number)) ? this.at(this.lastOfId[number] ?? NONE) : undefined;
      if (head) yield head;
    }
  }

  /** The entries of a type, without looking at the others. */
  *ofType(type: string): Generator<Head> {
    const { columns } = this;
    const wanted = columns.findName(type);
    if (wanted === undefined) return;
    const { length } = columns;
    for (let index = 0; index < length; index += 1)
      if (columns.types[index] === wanted) yield new RowHead(columns, index);
  }

  *[Symbol.iterator](): Generator<Head> {
    for (let index = 0; index < this.length; index += 1) yield new RowHead(this.columns, index);
  }

  private indexOf(id: RawId): number {
    const number = this.columns.ids.find(id);
    return number === undefined ? NONE : (this.lastOfId[number] ?? NONE);
  }
}

function withRoom<Values extends Int32Array>(lastOfId: Values): Values {
  const room = doubled(lastOfId);
  room.fill(NONE, lastOfId.length);
  return room;
}
