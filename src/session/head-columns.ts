import type { Head, RawId } from './head.js';
import { doubled } from './hex-table.js';
import { Ids } from './ids.js';

const LEAST_ROOM = 16;

/** A table of heads: an array for each field, so that a head takes about fifty bytes. Rows are only ever added. */
export class HeadColumns {
  readonly ids: Ids;
  length = 0;
  offsets: Float64Array;
  times: Float64Array;
  lengths: Uint32Array;
  lines: Uint32Array;
  own: Uint32Array;
  parents: Uint32Array;
  targets: Uint32Array;
  usageStarts: Uint32Array;
  usageLengths: Uint32Array;
  types: Uint32Array;
  roles: Uint32Array;
  private readonly names: (string | null)[] = [null];
  private readonly nameNumbers = new Map<string | null, number>([[null, 0]]);

  /** `room`: how many entries there will likely be. */
  constructor(room: number) {
    this.ids = new Ids(room);
    const size = Math.max(LEAST_ROOM, room);
    const words = (): Uint32Array => new Uint32Array(size);
    this.offsets = new Float64Array(size);
    this.times = new Float64Array(size);
    [this.lengths, this.lines, this.types, this.roles] = [words(), words(), words(), words()];
    [this.own, this.parents, this.targets] = [words(), words(), words()];
    [this.usageStarts, this.usageLengths] = [words(), words()];
  }

  /** The number that stands for a type or role, a new one for a new name. */
  nameNumber(name: string | null): number {
    const known = this.nameNumbers.get(name);
    if (known !== undefined) return known;
    this.nameNumbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  /** The same for a name that may not be there. */
  findName(name: string): number | undefined {
    return this.nameNumbers.get(name);
  }

  type(index: number): string | null {
    return this.names[this.types[index] ?? 0] ?? null;
  }

  role(index: number): string | null {
    return this.names[this.roles[index] ?? 0] ?? null;
  }

  /** Makes room for one more row, to be filled by the caller, and gives its index. */
  newRow(): number {
    const index = this.length;
    if (index === this.offsets.length) this.grow();
    this.length = index + 1;
    return index;
  }

  private grow(): void {
    this.offsets = doubled(this.offsets);
    this.times = doubled(this.times);
    this.lengths = doubled(this.lengths);
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

/** One row of the table, read when it is asked: a path of a hundred thousand entries is made of these. */
export class RowHead implements Head {
  constructor(
    private readonly columns: HeadColumns,
    readonly index: number,
  ) {}

  get line(): number {
    return this.columns.lines[this.index] ?? 0;
  }
  get offset(): number {
    return this.columns.offsets[this.index] ?? 0;
  }
  get length(): number {
    return this.columns.lengths[this.index] ?? 0;
  }
  get type(): string | null {
    return this.columns.type(this.index);
  }
  get role(): string | null {
    return this.columns.role(this.index);
  }
  get id(): RawId {
    return this.columns.ids.at(this.columns.own[this.index] ?? 0);
  }
  get parentId(): RawId {
    return this.columns.ids.at(this.columns.parents[this.index] ?? 0);
  }
  get target(): RawId {
    return this.columns.ids.at(this.columns.targets[this.index] ?? 0);
  }
  get time(): number {
    return this.columns.times[this.index] ?? Number.NaN;
  }
  get usageStart(): number {
    return this.columns.usageStarts[this.index] ?? 0;
  }
  get usageLength(): number {
    return this.columns.usageLengths[this.index] ?? 0;
  }
}
