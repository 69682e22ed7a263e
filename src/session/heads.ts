import type { Head, NewHead, RawId } from './head.js';
import { doubled, Ids } from './ids.js';

const NONE = -1;

/**
 * The heads of a session's entries in file order, and the links between them. They are held by column, about
 * fifty bytes an entry, since a session may have millions; a Head is made when somebody looks at one.
 */
export class Heads implements Iterable<Head> {
  readonly ids = new Ids();
  private count = 0;
  private offsets = new Float64Array(16);
  private lengths = new Float64Array(16);
  private times = new Float64Array(16);
  private lines = new Uint32Array(16);
  private types = new Uint32Array(16);
  private roles = new Uint32Array(16);
  private own = new Uint32Array(16);
  private parents = new Uint32Array(16);
  private targets = new Uint32Array(16);
  private usageStarts = new Uint32Array(16);
  private usageLengths = new Uint32Array(16);
  private readonly names: (string | null)[] = [null];
  private readonly nameNumbers = new Map<string | null, number>([[null, 0]]);
  /** The last entry of each id, by the id's number. */
  private lastOfId = new Int32Array(16).fill(NONE);

  static from(heads: Iterable<NewHead>): Heads {
    const all = new Heads();
    for (const head of heads) all.push(head);
    return all;
  }

  get length(): number {
    return this.count;
  }

  push(head: NewHead): void {
    const { ids } = this;
    this.add(head, {
      type: this.nameNumber(head.type),
      role: this.nameNumber(head.role),
      id: ids.numberOf(head.id),
      parent: ids.numberOf(head.parentId),
      target: ids.numberOf(head.target),
    });
  }

  /** The number that stands for a type or role in `add`. */
  nameNumber(name: string | null): number {
    const known = this.nameNumbers.get(name);
    if (known !== undefined) return known;
    this.nameNumbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  /** Adds an entry whose names and ids are numbers already. */
  add(place: Place, { type, role, id, parent, target }: HeadNumbers): void {
    if (this.count === this.offsets.length) this.grow();
    const index = this.count;
    this.offsets[index] = place.offset;
    this.lengths[index] = place.length;
    this.times[index] = place.time;
    this.lines[index] = place.line;
    this.types[index] = type;
    this.roles[index] = role;
    this.own[index] = id;
    this.parents[index] = parent;
    this.targets[index] = target;
    this.usageStarts[index] = place.usageStart;
    this.usageLengths[index] = place.usageLength;
    while (this.lastOfId.length < this.ids.length) this.lastOfId = withRoom(this.lastOfId);
    this.lastOfId[id] = index;
    this.count = index + 1;
  }

  get last(): Head | undefined {
    return this.at(this.count - 1);
  }

  /** The head of an entry; undefined for an index that there is not, such as the -1 of a missing parent. */
  at(index: number): Head | undefined {
    if (index < 0 || index >= this.count) return undefined;
    return {
      index,
      line: this.lines[index] ?? 0,
      offset: this.offsets[index] ?? 0,
      length: this.lengths[index] ?? 0,
      type: this.typeAt(index),
      id: this.ids.at(this.own[index] ?? 0),
      parentId: this.ids.at(this.parents[index] ?? 0),
      role: this.roleAt(index),
      target: this.ids.at(this.targets[index] ?? 0),
      time: this.times[index] ?? Number.NaN,
      usageStart: this.usageStarts[index] ?? 0,
      usageLength: this.usageLengths[index] ?? 0,
    };
  }

  typeAt(index: number): string | null {
    return this.names[this.types[index] ?? 0] ?? null;
  }

  roleAt(index: number): string | null {
    return this.names[this.roles[index] ?? 0] ?? null;
  }

  timeAt(index: number): number {
    return this.times[index] ?? Number.NaN;
  }

  /** The index of the entry that is another's parent, as Pi resolves it; -1 for a root. */
  parentAt(index: number): number {
    const parent = this.parents[index] ?? 0;
    return this.ids.isTruthy(parent) ? (this.lastOfId[parent] ?? NONE) : NONE;
  }

  /** The index of the entry that an entry's id leads to: a repeated id means its last entry, as in Pi. */
  resolvedAt(index: number): number {
    return this.lastOfId[this.own[index] ?? 0] ?? NONE;
  }

  /** The same for the entry that a label, an edit or a compaction is about; -1 where there is none. */
  targetAt(index: number): number {
    return this.lastOfId[this.targets[index] ?? 0] ?? NONE;
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
    for (let number = 0; number < this.ids.length; number += 1) {
      const head = isWanted(this.ids.at(number)) ? this.at(this.lastOfId[number] ?? NONE) : undefined;
      if (head) yield head;
    }
  }

  /** The entries of a type, without looking at the others. */
  *ofType(type: string): Generator<Head> {
    const wanted = this.nameNumbers.get(type);
    if (wanted === undefined) return;
    for (let index = 0; index < this.count; index += 1) {
      const head = this.types[index] === wanted ? this.at(index) : undefined;
      if (head) yield head;
    }
  }

  *[Symbol.iterator](): Generator<Head> {
    for (let index = 0; index < this.count; index += 1) {
      const head = this.at(index);
      if (head) yield head;
    }
  }

  /** Whether the entry's id leads to it, and its parent, if it names one, is there. */
  hasSoundLinks(index: number): boolean {
    const parent = this.parents[index] ?? 0;
    return this.resolvedAt(index) === index && (this.lastOfId[parent] !== NONE || !this.ids.isTruthy(parent));
  }

  private indexOf(id: RawId): number {
    const number = this.ids.find(id);
    return number === undefined ? NONE : (this.lastOfId[number] ?? NONE);
  }

  private grow(): void {
    this.offsets = doubled(this.offsets);
    this.lengths = doubled(this.lengths);
    this.times = doubled(this.times);
    this.lines = doubled(this.lines);
    this.types = doubled(this.types);
    this.roles = doubled(this.roles);
    this.own = doubled(this.own);
    this.parents = doubled(this.parents);
    this.targets = doubled(this.targets);
    this.usageStarts = doubled(this.usageStarts);
    this.usageLengths = doubled(this.usageLengths);
  }
}

type Place = Pick<NewHead, 'line' | 'offset' | 'length' | 'time' | 'usageStart' | 'usageLength'>;

/** The names and ids of a head, as numbers of this table. */
export interface HeadNumbers {
  readonly type: number;
  readonly role: number;
  readonly id: number;
  readonly parent: number;
  readonly target: number;
}

function withRoom<Values extends Int32Array>(lastOfId: Values): Values {
  const room = doubled(lastOfId);
  room.fill(NONE, lastOfId.length);
  return room;
}
