import type { Head, NewHead, RawId } from './head.js';
import { HeadColumns, RowHead } from './head-columns.js';
import { doubled } from './hex-table.js';
import { flagsOf, type Records, ROLES, TYPES, WORD } from './line-scanner.js';

const NONE = -1;

/**
 * The heads of a session's entries in file order, and the links between them. They are held by column, since a
 * session may have millions; a Head is made when somebody looks at one, so compare them by their index.
 */
export class Heads implements Iterable<Head> {
  private readonly columns: HeadColumns;
  /** The numbers that the table gives to what the line scanner's records say. */
  private readonly scanner: Readonly<Record<'types' | 'roles' | 'links', readonly number[]>>;
  /** The last entry of each id, by the id's number. */
  private lastOfId = new Int32Array(16).fill(NONE);

  /** `room`: how many entries there will likely be. */
  constructor(room = 0) {
    const columns = new HeadColumns(room);
    this.columns = columns;
    this.scanner = {
      types: [null, ...TYPES].map((name) => columns.nameNumber(name)),
      roles: [null, ...ROLES].map((name) => columns.nameNumber(name)),
      links: [columns.ids.numberOf(undefined), columns.ids.numberOf(null)],
    };
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
    const { columns } = this;
    const { ids } = columns;
    const index = columns.newRow();
    columns.offsets[index] = head.offset;
    columns.lines[index] = head.line;
    columns.lengths[index] = head.length;
    columns.times[index] = head.time;
    columns.types[index] = columns.nameNumber(head.type);
    columns.roles[index] = columns.nameNumber(head.role);
    columns.usageStarts[index] = head.usageStart;
    columns.usageLengths[index] = head.usageLength;
    columns.parents[index] = ids.numberOf(head.parentId);
    const id = ids.numberOf(head.id);
    columns.own[index] = id;
    columns.targets[index] = ids.numberOf(head.target);
    while (this.lastOfId.length < ids.length) this.lastOfId = withRoom(this.lastOfId);
    this.lastOfId[id] = index;
  }

  /**
   * Adds the entry of a record that the line scanner vouches for, which stands at word `at`. There are hundreds of
   * thousands of them, so no object is made.
   */
  trust({ words, doubles }: Records, at: number, offset: number, line: number): void {
    const { columns, scanner } = this;
    const flags = words[at + WORD.flags] ?? 0;
    const index = columns.newRow();
    columns.offsets[index] = offset;
    columns.lines[index] = line;
    columns.lengths[index] = doubles[at / 2] ?? 0;
    columns.times[index] = doubles[at / 2 + 1] ?? Number.NaN;
    columns.types[index] = scanner.types[flagsOf.type(flags)] ?? 0;
    columns.roles[index] = scanner.roles[flagsOf.role(flags)] ?? 0;
    columns.usageStarts[index] = words[at + WORD.usageStart] ?? 0;
    columns.usageLengths[index] = words[at + WORD.usageLength] ?? 0;
    // The parent comes first: it is most likely the id that was numbered last.
    columns.parents[index] = this.link(flagsOf.parent(flags), words[at + WORD.parent] ?? 0);
    const id = columns.ids.numberOfDigits(words[at + WORD.id] ?? 0);
    columns.own[index] = id;
    columns.targets[index] = this.link(flagsOf.target(flags), words[at + WORD.target] ?? 0);
    while (this.lastOfId.length < columns.ids.length) this.lastOfId = withRoom(this.lastOfId);
    this.lastOfId[id] = index;
  }

  private link(kind: number, digits: number): number {
    return this.scanner.links[kind] ?? this.columns.ids.numberOfDigits(digits);
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
  idDigitsAt(index: number, whose: 'id' | 'parentId' | 'target'): number | null {
    const { own, parents, targets, ids } = this.columns;
    const numbers = whose === 'id' ? own : whose === 'parentId' ? parents : targets;
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

  /** Whether every parent stands above its child in the file, as Pi writes them: then there can be no cycle. */
  areParentsAbove(): boolean {
    const { columns, lastOfId, length } = this;
    for (let index = 0; index < length; index += 1) {
      const parent = columns.parents[index] ?? 0;
      if ((lastOfId[parent] ?? NONE) >= index && columns.ids.isTruthy(parent)) return false;
    }
    return true;
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
