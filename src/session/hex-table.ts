/** Marks a place that no key has; numbers are kept one higher. */
const FREE = 0;
/** A file may choose its ids so that they crowd together. What finds no place within so many steps goes to a Map. */
const MOST_STEPS = 32;

/** Numbers by 32-bit keys, in much less room and time than a Map of hundreds of thousands takes. */
export class HexTable {
  /** Keys and their numbers lie where the hash of the key says, or a little behind; half of the places stay free. */
  private keys: Uint32Array;
  private numbers: Uint32Array;
  private count = 0;
  private crowded = new Map<number, number>();

  /** `room`: how many keys there will likely be. */
  constructor(room: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(32, room) * 2));
    this.keys = new Uint32Array(size);
    this.numbers = new Uint32Array(size);
  }

  get(key: number): number | undefined {
    const place = this.placeOf(key);
    if (place === null) return this.crowded.get(key);
    const number = this.numbers[place] ?? FREE;
    return number === FREE ? undefined : number - 1;
  }

  /** Adds a key that is not there yet. */
  add(key: number, number: number): void {
    this.count += 1;
    if (this.count * 2 > this.keys.length) this.grow();
    this.put(key, number);
  }

  private put(key: number, number: number): void {
    const place = this.placeOf(key);
    if (place === null) {
      this.crowded.set(key, number);
      return;
    }
    this.keys[place] = key;
    this.numbers[place] = number + 1;
  }

  /** Where a key is or belongs, null where it is too crowded for it. */
  private placeOf(key: number): number | null {
    const { keys, numbers } = this;
    const mask = keys.length - 1;
    let place = (Math.imul(key ^ (key >>> 16), 0x45d9f3b) >>> 4) & mask;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (keys[place] === key || numbers[place] === FREE) return place;
      place = (place + 1) & mask;
    }
    return null;
  }

  private grow(): void {
    const { keys, numbers, crowded } = this;
    this.keys = new Uint32Array(keys.length * 2);
    this.numbers = new Uint32Array(keys.length * 2);
    this.crowded = new Map();
    for (let place = 0; place < numbers.length; place += 1) {
      const number = numbers[place] ?? FREE;
      if (number !== FREE) this.put(keys[place] ?? 0, number - 1);
    }
    for (const [key, number] of crowded) this.put(key, number);
  }
}

/** A copy of a typed array with twice the room. */
export function doubled<Values extends Uint8Array | Uint32Array | Int32Array | Float64Array>(values: Values): Values {
  const room = new (values.constructor as new (length: number) => Values)(values.length * 2);
  room.set(values);
  return room;
}
