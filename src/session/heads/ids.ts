import type { RawId } from './head.js';

export const NONE = -1;

/** The storage of an id: ids of Pi as their eight hex digits, others by their index in a list. */
export const ID_KIND = { none: 0, null: 1, digits: 2, strange: 3 } as const;

export interface StoredId {
  readonly kind: number;
  readonly word: number;
}

/** The entry of each id of a session: of several with one id, the last. Entries are given by index. */
export class IdIndex {
  private readonly entries: HexIdMap;
  /** All other values, with null and none at their kind. */
  private readonly values: RawId[];
  private readonly places: Map<RawId, number>;
  private readonly entriesOfValues: number[];
  private hasRepeats: boolean;

  /** `room`: the expected number of ids. `above`: ids to continue. */
  constructor(
    room: number,
    private readonly above?: IdIndex,
  ) {
    // The table is filled evenly, so too much room would cost memory.
    this.entries = new HexIdMap(Math.ceil(room / 2));
    this.values = [...(above?.values ?? [undefined, null])];
    this.places = new Map(above?.places ?? this.values.map((id, place) => [id, place]));
    this.entriesOfValues = [...(above?.entriesOfValues ?? [NONE, NONE])];
    this.hasRepeats = above?.hasRepeats ?? false;
  }

  /** Whether every id belongs to exactly one entry. */
  get areUnique(): boolean {
    return !this.hasRepeats;
  }

  keep(id: RawId): StoredId {
    const digits = hexDigits(id);
    if (digits !== null) return { kind: ID_KIND.digits, word: digits };
    const known = this.places.get(id);
    const place = known ?? this.values.push(id) - 1;
    if (known === undefined) this.places.set(id, place);
    return { kind: place > ID_KIND.null ? ID_KIND.strange : place, word: place };
  }

  value(kind: number, word: number): RawId {
    return kind === ID_KIND.digits ? hexText(word) : this.values[kind === ID_KIND.strange ? word : kind];
  }

  /** Assigns an id to an entry from now on. */
  set(kind: number, word: number, index: number): void {
    if (kind === ID_KIND.digits) {
      const above = this.above?.entryOf(kind, word) ?? NONE;
      if (this.entries.set(word, index) || above !== NONE) this.hasRepeats = true;
      return;
    }
    const place = kind === ID_KIND.strange ? word : kind;
    if ((this.entriesOfValues[place] ?? NONE) !== NONE) this.hasRepeats = true;
    this.entriesOfValues[place] = index;
  }

  /** Like `set`, but for many ids of eight hex digits and consecutive entries, and not where others are continued. */
  setAll(words: Uint32Array, place: KeysInRows): void {
    if (this.entries.setAll(words, place)) this.hasRepeats = true;
  }

  /** The entry of an id, NONE if there is none. */
  entryOf(kind: number, word: number): number {
    if (kind === ID_KIND.digits) return this.entries.get(word) ?? this.above?.entryOf(kind, word) ?? NONE;
    return this.entriesOfValues[kind === ID_KIND.strange ? word : kind] ?? NONE;
  }

  find(id: RawId): number {
    const digits = hexDigits(id);
    if (digits !== null) return this.entryOf(ID_KIND.digits, digits);
    return this.entriesOfValues[this.places.get(id) ?? NONE] ?? NONE;
  }
}

const HEX_DIGITS = 8;

/** The value of an id in Pi's format, eight hex digits in lower case. */
function hexDigits(id: RawId): number | null {
  const isHex = typeof id === 'string' && id.length === HEX_DIGITS && /^[0-9a-f]{8}$/.test(id);
  return isHex ? Number.parseInt(id, 16) : null;
}

/** The eight hex digits of a number. By bytes, since a number of 32 bits is slow to write in another base. */
function hexText(digits: number): string {
  return `${hexOf(digits >>> 24)}${hexOf(digits >>> 16)}${hexOf(digits >>> 8)}${hexOf(digits)}`;
}

function hexOf(byte: number): string {
  return BYTES[byte & 0xff] ?? '';
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Marks an empty place; numbers are stored plus one. */
const FREE = 0;
/** The maximum number of steps to a free place, since a file may choose colliding ids. The rest goes to a Map. */
const MOST_STEPS = 32;
/** Spreads the bits of a key. */
const MULTIPLIER = 0x45d9f3b;

/** The places of keys. */
interface KeysInRows {
  readonly from: number;
  readonly step: number;
  readonly count: number;
  readonly first: number;
}

/** Maps 32-bit keys to numbers, in much less space and time than a Map of hundreds of thousands. */
export class HexIdMap {
  /**
   * Pairs of a key and its number, at the hash of the key or a little after it, so that a lookup is one memory
   * access. Half of the places stay free.
   */
  private pairs: Uint32Array;
  private count = 0;
  private crowded = new Map<number, number>();

  /** `room`: the expected number of keys. */
  constructor(room: number) {
    this.pairs = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(32, room) * 4)));
  }

  get(key: number): number | undefined {
    const place = this.placeOf(key);
    if (place === null) return this.crowded.get(key);
    const number = this.pairs[place + 1] ?? FREE;
    return number === FREE ? undefined : number - 1;
  }

  /** Sets the number of a key. True if it had another one before. */
  set(key: number, number: number): boolean {
    const place = this.placeOf(key);
    const isKnown = place === null ? this.crowded.has(key) : this.pairs[place + 1] !== FREE;
    this.put(place, key, number);
    if (isKnown) return true;
    this.count += 1;
    if (this.count * 4 > this.pairs.length) this.grow();
    return false;
  }

  /**
   * Sets the numbers of many keys: one in each row of `step` words, the first one at `from`, numbered from
   * `first` on. True if one of them had another number before. One loop, since most ids of a session are added
   * before the function has been optimised.
   */
  setAll(rows: Uint32Array, { from, step, count, first }: KeysInRows): boolean {
    while ((this.count + count) * 4 > this.pairs.length) this.grow();
    const { pairs } = this;
    const mask = pairs.length - 2;
    let repeated = false;
    let added = 0;
    for (let row = 0; row < count; row += 1) {
      const key = rows[from + row * step] ?? 0;
      const place = (Math.imul(key ^ (key >>> 16), MULTIPLIER) >>> 3) & mask;
      if (pairs[place + 1] === FREE) {
        pairs[place] = key;
        pairs[place + 1] = first + row + 1;
        added += 1;
      } else if (this.set(key, first + row)) repeated = true;
    }
    this.count += added;
    return repeated;
  }

  private put(place: number | null, key: number, number: number): void {
    if (place === null) {
      this.crowded.set(key, number);
      return;
    }
    this.pairs[place] = key;
    this.pairs[place + 1] = number + 1;
  }

  /** The place of a key, null if too many others are in the way. */
  private placeOf(key: number): number | null {
    const { pairs } = this;
    const mask = pairs.length - 2;
    let place = (Math.imul(key ^ (key >>> 16), MULTIPLIER) >>> 3) & mask;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (pairs[place] === key || pairs[place + 1] === FREE) return place;
      place = (place + 2) & mask;
    }
    return null;
  }

  private grow(): void {
    const { pairs, crowded } = this;
    this.pairs = new Uint32Array(pairs.length * 2);
    this.crowded = new Map();
    for (let place = 0; place < pairs.length; place += 2) {
      const key = pairs[place] ?? 0;
      const number = pairs[place + 1] ?? FREE;
      if (number !== FREE) this.put(this.placeOf(key), key, number - 1);
    }
    for (const [key, number] of crowded) this.put(this.placeOf(key), key, number);
  }
}

/** The number of all names beyond the range of a byte. */
const MANY = 255;

/** Numbers types or roles, each in one byte. There are few; a file with more may be slower. */
export class NamePool {
  private readonly names: (string | null)[];
  private readonly numbers: Map<string | null, number>;
  /** By the index of the entry. */
  private readonly others: Map<number, string | null>;

  /** `known`: the names with the numbers 0, 1, 2, … */
  constructor(known: readonly (string | null)[], others: Iterable<[number, string | null]> = []) {
    this.names = [...known];
    this.numbers = new Map(known.map((name, number) => [name, number]));
    this.others = new Map(others);
  }

  copy(): NamePool {
    return new NamePool(this.names, this.others);
  }

  /** The number of an entry's name. */
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
