import type { RawId } from './head.js';
import { doubled, HexTable } from './hex-table.js';

const HEX_DIGITS = 8;

/** Numbers for the ids of a session, 0, 1, 2, … as they are met, so that links between entries take four bytes each. */
export class Ids {
  private readonly numbersOfDigits: HexTable;
  private readonly numbersOfOthers = new Map<RawId, number>();
  /** Of each number: the eight hex digits of an id as Pi makes them, or the place of another one in `others`. */
  private digits: Uint32Array;
  private isOther: Uint8Array;
  private readonly others: RawId[] = [];
  private count = 0;

  /** `room`: how many ids there will likely be. */
  constructor(room: number) {
    // It is used all over, so here too much room would cost memory.
    this.numbersOfDigits = new HexTable(Math.ceil(room / 2));
    this.digits = new Uint32Array(Math.max(16, room));
    this.isOther = new Uint8Array(Math.max(16, room));
  }

  get length(): number {
    return this.count;
  }

  /** The number of an id, a new one where it was not met before. */
  numberOf(id: RawId): number {
    const digits = hexDigits(id);
    if (digits !== null) return this.numberOfDigits(digits);
    const known = this.numbersOfOthers.get(id);
    if (known !== undefined) return known;
    this.numbersOfOthers.set(id, this.count);
    return this.add(this.others.push(id) - 1, 1);
  }

  /** The same for the id that these eight hex digits spell in lower case. */
  numberOfDigits(digits: number): number {
    // Most entries follow the one before them in the file.
    if (this.count > 0 && this.digits[this.count - 1] === digits && this.isOther[this.count - 1] === 0)
      return this.count - 1;
    const next = this.count;
    const number = this.numbersOfDigits.getOrAdd(digits, next);
    return number === next ? this.add(digits, 0) : number;
  }

  /** The number of an id that was met before. */
  find(id: RawId): number | undefined {
    const digits = hexDigits(id);
    return digits === null ? this.numbersOfOthers.get(id) : this.numbersOfDigits.get(digits);
  }

  /** The hex digits of an id as Pi makes them, null for another one. */
  digitsAt(number: number): number | null {
    return this.isOther[number] === 1 ? null : (this.digits[number] ?? null);
  }

  at(number: number): RawId {
    const digits = this.digits[number] ?? 0;
    return this.isOther[number] === 1 ? this.others[digits] : hexText(digits);
  }

  /** Pi follows only ids that JavaScript takes for true. */
  isTruthy(number: number): boolean {
    return this.isOther[number] !== 1 || Boolean(this.at(number));
  }

  private add(digits: number, isOther: 0 | 1): number {
    const number = this.count;
    if (number === this.digits.length) {
      this.digits = doubled(this.digits);
      this.isOther = doubled(this.isOther);
    }
    this.digits[number] = digits;
    this.isOther[number] = isOther;
    this.count += 1;
    return number;
  }
}

/** The value of an id of the form that Pi makes, eight hex digits in lower case. */
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
