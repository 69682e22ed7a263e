/** Marks an empty place; numbers are stored plus one. */
const FREE = 0;
/** The maximum number of steps to a free place, since a file may choose colliding ids. The rest goes to a Map. */
const MOST_STEPS = 32;
/** Spreads the bits of a key. */
const MULTIPLIER = 0x45d9f3b;

/** Keys in a table of words, one in each row. */
export interface KeysInRows {
  /** The word of the first key. */
  readonly from: number;
  /** The words of a row. */
  readonly step: number;
  /** The number of rows. */
  readonly count: number;
  /** The number that the first key gets; the next ones get the next numbers. */
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
   * Sets the numbers of many keys. True if one of them had another number before. One loop, since most ids of a
   * session are added before the function has been optimised.
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
