import { Buffer } from 'node:buffer';
import { ByteWriter } from 'hyparquet-writer';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import type { TableColumn, TableValue } from '#analysis/tables/define.js';
import type { ColumnValues } from '#analysis/tables/row-groups.js';
import { toBillionths } from '#analysis/tables/sql-types.js';

export type StoredValue = Uint8Array | bigint | number | boolean;

/** The least and the greatest value; null if there is none, or it is not worth storing. */
export type ValueRange = readonly [StoredValue, StoredValue] | null;

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
export function createPieceValues({ kind, isLong = false }: TableColumn): PieceValues {
  if (kind === 'text') return new Texts(isLong);
  return kind === 'truth' ? new Truths() : new Numbers(kind === 'money');
}

const [FIRST_BYTES, FIRST_ROWS] = [1 << 12, 1 << 8];
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
  private starts = new Int32Array(FIRST_ROWS);
  /** For null, the end of the value before it. */
  private ends = new Int32Array(FIRST_ROWS);
  private count = 0;
  private used = 0;
  private last: { readonly text: string; readonly start: number; readonly end: number } | null = null;

  constructor(private readonly isPlain: boolean) {
    this.encoding = isPlain ? 'PLAIN' : 'DELTA_BYTE_ARRAY';
  }

  get length(): number {
    return this.count;
  }

  set length(count: number) {
    this.count = count;
    this.used = count === 0 ? 0 : (this.ends[count - 1] ?? 0);
    this.last = null;
  }

  push(value: TableValue): void {
    if (typeof value !== 'string') return this.add(-1, this.used);
    if (this.isPlain || this.last === null || this.last.text !== value) this.last = this.written(value);
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
    const { bytes, starts } = this;
    const same = this.shared(one, other);
    if (same === Math.min(this.sizeAt(one), this.sizeAt(other))) return this.sizeAt(one) - this.sizeAt(other);
    return (bytes[(starts[one] ?? 0) + same] ?? 0) - (bytes[(starts[other] ?? 0) + same] ?? 0);
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
    if (this.count === this.starts.length) [this.starts, this.ends] = [grown(this.starts), grown(this.ends)];
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.used = end;
    this.count += 1;
  }

  private written(text: string): { readonly text: string; readonly start: number; readonly end: number } {
    const start = this.used;
    const from = start + (this.isPlain ? LENGTH_BYTES : 0);
    if (from + text.length * MOST_PER_CHARACTER > this.bytes.length) this.makeRoom(from + Buffer.byteLength(text));
    const size = this.bytes.write(text, from);
    if (this.isPlain) this.bytes.writeUInt32LE(size, start);
    return { text, start, end: from + size };
  }

  private makeRoom(size: number): void {
    if (size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, this.bytes.length * 2));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

function grown(rows: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(rows.length * 2);
  larger.set(rows);
  return larger;
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

  push(value: TableValue): void {
    this.values.push(typeof value !== 'number' ? null : this.isMoney ? toBillionths(value) : value);
  }

  encoded(from: number, to: number): Uint8Array {
    const page = new ByteWriter();
    deltaBinaryPack(page, this.present(from, to), 'INT64');
    return page.getBytes();
  }
}

class Truths extends ListedValues<boolean> implements PieceValues {
  readonly encoding = 'RLE';

  push(value: TableValue): void {
    this.values.push(typeof value === 'boolean' ? value : null);
  }

  encoded(from: number, to: number): Uint8Array {
    const packed = packBits(Uint8Array.from(this.present(from, to).map(Number)));
    const page = new ByteWriter();
    page.appendUint32(packed.length);
    page.appendBytes(packed);
    return page.getBytes();
  }
}

/** Zeros and ones, a bit for each. */
export function packBits(values: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writeRleBitPackedHybrid(writer, values, 1);
  return writer.getBytes();
}
