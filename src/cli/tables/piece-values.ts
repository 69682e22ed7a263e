import { Buffer } from 'node:buffer';
import { ByteWriter } from 'hyparquet-writer';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import type { TableColumn, Value } from '#analysis/tables/define.js';
import type { ColumnValues } from '#analysis/tables/row-groups.js';

export type Stored = Uint8Array | bigint | number | boolean;

/** The least and the greatest value; null if there is none, or it is not worth storing. */
export type ValueRange = readonly [Stored, Stored] | null;

/** The values of a column until they are encoded. */
export interface PieceValues extends ColumnValues {
  readonly encoding: 'PLAIN' | 'RLE' | 'DELTA_BINARY_PACKED' | 'DELTA_BYTE_ARRAY';
  isNull(at: number): boolean;
  /** The bytes that a value takes in a page, at most. */
  sizeAt(at: number): number;
  /** The encoded values of some rows, without nulls. */
  encoded(from: number, to: number): Uint8Array;
  range(): ValueRange;
}

/** No dictionaries, because pieces have no common one: equal neighbours take no space as differences either. */
export function valuesFor({ kind, isLong = false }: TableColumn): PieceValues {
  if (kind === 'text') return new Texts(isLong);
  return kind === 'truth' ? new Truths() : new Numbers(kind === 'money');
}

const FIRST_BYTES = 1 << 12;
/** UTF-8 takes at most three bytes for a UTF-16 code unit. */
const MOST_PER_CHARACTER = 3;
const LENGTH_BYTES = 4;

/**
 * Texts as UTF-8 in one block of memory, which leaves the garbage collector nothing to follow. Plain texts have their
 * length before them, as in a page; of others, one that equals the text before it is not stored again.
 */
class Texts implements PieceValues {
  readonly encoding: PieceValues['encoding'];
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Negative for null. */
  private readonly starts: number[] = [];
  /** For null, the end of the value before it. */
  private readonly ends: number[] = [];
  private last: { readonly text: string; readonly start: number; readonly end: number } | null = null;

  constructor(private readonly isPlain: boolean) {
    this.encoding = isPlain ? 'PLAIN' : 'DELTA_BYTE_ARRAY';
  }

  get length(): number {
    return this.ends.length;
  }

  set length(count: number) {
    this.starts.length = count;
    this.ends.length = count;
    this.last = null;
  }

  push(value: Value): void {
    const used = this.ends.at(-1) ?? 0;
    if (typeof value !== 'string') return this.add(-1, used);
    if (this.isPlain || this.last?.text !== value)
      this.last = { text: value, start: used, end: this.write(value, used) };
    this.add(this.last.start, this.last.end);
  }

  isNull(at: number): boolean {
    return (this.starts[at] ?? -1) < 0;
  }

  sizeAt(at: number): number {
    return this.isNull(at) ? 0 : (this.ends[at] ?? 0) - (this.starts[at] ?? 0);
  }

  encoded(from: number, to: number): Uint8Array {
    // Columns of plain texts have no nulls.
    return this.isPlain ? this.bytes.subarray(this.starts[from], this.ends[to - 1]) : this.deltas(from, to);
  }

  range(): ValueRange {
    let [least, most] = [-1, -1];
    for (let at = 0; !this.isPlain && at < this.length; at += 1) {
      if (this.isNull(at) || this.isRepeated(at)) continue;
      if (least === -1 || this.order(at, least) < 0) least = at;
      if (most === -1 || this.order(at, most) > 0) most = at;
    }
    // Copies, because the block is used again.
    return least === -1 ? null : [Uint8Array.from(this.at(least)), Uint8Array.from(this.at(most))];
  }

  /** Each value as the length of the part that it shares with the one before, and the rest. */
  private deltas(from: number, to: number): Uint8Array {
    const rows = new Int32Array(to - from);
    let count = 0;
    for (let at = from; at < to; at += 1) if (!this.isNull(at)) rows[count++] = at;
    const [prefixes, suffixes] = [new Int32Array(count), new Int32Array(count)];
    const rest = new ByteWriter();
    for (let index = 0; index < count; index += 1) {
      const at = rows[index] ?? 0;
      const prefix = index === 0 ? 0 : this.shared(rows[index - 1] ?? 0, at);
      prefixes[index] = prefix;
      suffixes[index] = this.sizeAt(at) - prefix;
      if (suffixes[index] !== 0) rest.appendBytes(this.at(at, prefix));
    }
    const page = new ByteWriter();
    deltaBinaryPack(page, prefixes, 'INT32');
    deltaBinaryPack(page, suffixes, 'INT32');
    page.appendBytes(rest.getBytes());
    return page.getBytes();
  }

  /** An empty text starts where the one after it does. */
  private isRepeated(at: number): boolean {
    return this.starts[at] === this.starts[at - 1] && this.ends[at] === this.ends[at - 1];
  }

  private at(at: number, skipped = 0): Buffer {
    return this.bytes.subarray((this.starts[at] ?? 0) + skipped, this.ends[at]);
  }

  /** Compares two values where they are: a view of each would be garbage. */
  private order(one: number, other: number): number {
    const { bytes, starts, ends } = this;
    return bytes.compare(bytes, starts[other], ends[other], starts[one], ends[one]);
  }

  private shared(earlier: number, at: number): number {
    const { bytes, starts } = this;
    const [one, other] = [starts[earlier] ?? 0, starts[at] ?? 0];
    const most = Math.min(this.sizeAt(earlier), this.sizeAt(at));
    if (one === other) return most;
    let count = 0;
    while (count < most && bytes[one + count] === bytes[other + count]) count += 1;
    return count;
  }

  private add(start: number, end: number): void {
    this.starts.push(start);
    this.ends.push(end);
  }

  /** Writes a text, and returns its end. */
  private write(text: string, used: number): number {
    const start = used + (this.isPlain ? LENGTH_BYTES : 0);
    if (start + text.length * MOST_PER_CHARACTER > this.bytes.length) this.makeRoom(start + Buffer.byteLength(text));
    const size = this.bytes.write(text, start);
    if (this.isPlain) this.bytes.writeUInt32LE(size, used);
    return start + size;
  }

  private makeRoom(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, this.bytes.length * 2));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

/** Values that are stored one by one. */
abstract class ListedValues<Of extends bigint | number | boolean> {
  protected readonly values: (Of | null)[] = [];

  get length(): number {
    return this.values.length;
  }

  set length(count: number) {
    this.values.length = count;
  }

  isNull(at: number): boolean {
    return this.values[at] === null;
  }

  sizeAt(): number {
    return NUMBER_BYTES;
  }

  range(): ValueRange {
    let least: Of | null = null;
    let most: Of | null = null;
    for (const value of this.values) {
      if (value === null) continue;
      if (least === null || value < least) least = value;
      if (most === null || value > most) most = value;
    }
    return least === null || most === null ? null : [least, most];
  }

  protected present(from: number, to: number): Of[] {
    return this.values.slice(from, to).filter((value) => value !== null);
  }
}

const NUMBER_BYTES = 8;

class Numbers extends ListedValues<number | bigint> implements PieceValues {
  readonly encoding = 'DELTA_BINARY_PACKED';

  constructor(private readonly isMoney: boolean) {
    super();
  }

  push(value: Value): void {
    this.values.push(typeof value !== 'number' ? null : this.isMoney ? moneyOf(value) : value);
  }

  encoded(from: number, to: number): Uint8Array {
    const page = new ByteWriter();
    deltaBinaryPack(page, this.present(from, to), 'INT64');
    return page.getBytes();
  }
}

class Truths extends ListedValues<boolean> implements PieceValues {
  readonly encoding = 'RLE';

  push(value: Value): void {
    this.values.push(typeof value === 'boolean' ? value : null);
  }

  encoded(from: number, to: number): Uint8Array {
    const packed = bitsOf(Uint8Array.from(this.present(from, to).map(Number)));
    const page = new ByteWriter();
    page.appendUint32(packed.length);
    page.appendBytes(packed);
    return page.getBytes();
  }
}

/** Zeros and ones, a bit for each. */
export function bitsOf(values: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writeRleBitPackedHybrid(writer, values, 1);
  return writer.getBytes();
}

/** The digits of an amount of money, and its decimal places. */
export const MONEY = { precision: 18, scale: 9 };
const MOST_DOLLARS = 10 ** (MONEY.precision - MONEY.scale) - 1;

/** Dollars in billionths, exact: millions times a billion would not be. Files may contain any number. */
function moneyOf(dollars: number): bigint | null {
  const amount = Math.max(-MOST_DOLLARS, Math.min(MOST_DOLLARS, dollars));
  return Number.isNaN(amount) ? null : BigInt(amount.toFixed(MONEY.scale).replace('.', ''));
}
