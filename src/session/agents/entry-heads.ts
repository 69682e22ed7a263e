import { packed, RECORD_WORDS, ROLES, TYPES, WORD } from '../scan/line-scanner.js';
import type { LineTable } from '../scan/line-table.js';
import { Heads } from '../table/heads.js';
import { KIND } from '../table/ids.js';

/** The type and role of each form of entries, as flags of a head. */
export function flagsOfForms(
  forms: Readonly<Record<string, readonly [type: string, role?: string]>>,
): readonly number[] {
  return Object.values(forms).map(([type, role]) => {
    const numbers = { type: TYPES.indexOf(type) + 1, role: role === undefined ? 0 : ROLES.indexOf(role) + 1 };
    return packed({ ...numbers, id: KIND.digits, parentId: 0, target: 0, hasSummary: 0 });
  });
}

/** Entries in the order of their lines, as numbers. The ids are values of eight hex digits, null if there is none. */
export interface NumberedEntries {
  readonly length: number;
  /** The flags of its form. */
  flags(index: number): number;
  /** The line at which it is located, from 0. */
  line(index: number): number;
  time(index: number): number;
  id(index: number): number;
  parentId(index: number): number | null;
  targetId(index: number): number | null;
  hasUsage(index: number): boolean;
}

/** The heads of entries that are numbers. */
export function headsOf(table: LineTable, entries: NumberedEntries): Heads {
  const { length } = entries;
  const words = new Uint32Array(length * RECORD_WORDS);
  const doubles = new Float64Array(words.buffer);
  const offsets = new Float64Array(length);
  const lines = new Uint32Array(length);
  for (let index = 0; index < length; index += 1) {
    const line = entries.line(index);
    const at = index * RECORD_WORDS;
    const offset = table.offsetOf(line);
    const bytes = table.offsetOf(line + 1) - offset;
    const [parentId, targetId] = [entries.parentId(index), entries.targetId(index)];
    offsets[index] = offset;
    lines[index] = line + 1;
    doubles[at / 2] = bytes;
    doubles[at / 2 + 1] = entries.time(index);
    words[at + WORD.flags] = entries.flags(index) | linkFlags(parentId, targetId);
    words[at + WORD.id] = entries.id(index);
    words[at + WORD.parentId] = parentId ?? KIND.null;
    words[at + WORD.target] = targetId ?? 0;
    words[at + WORD.usageLength] = entries.hasUsage(index) ? bytes : 0;
  }
  const heads = new Heads(length);
  heads.pushRows(words, offsets, lines);
  return heads;
}

function linkFlags(parentId: number | null, targetId: number | null): number {
  const parent = parentId === null ? KIND.null : KIND.digits;
  const target = targetId === null ? KIND.none : KIND.digits;
  return packed({ type: 0, role: 0, id: 0, parentId: parent, target, hasSummary: 0 });
}

/** Rows of numbers, which grow. */
export class NumberRows {
  /** The number of rows. */
  length = 0;
  private numbers: Int32Array;

  constructor(
    private readonly columns: number,
    room: number,
  ) {
    this.numbers = new Int32Array(room * columns);
  }

  /** Adds a row, and returns its place. */
  add(row: readonly number[]): number {
    const place = this.length;
    if ((place + 1) * this.columns > this.numbers.length) {
      const larger = new Int32Array((this.numbers.length + this.columns) * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    const { numbers, columns } = this;
    for (let column = 0; column < columns; column += 1) numbers[place * columns + column] = row[column] ?? 0;
    this.length = place + 1;
    return place;
  }

  at(row: number, column: number): number {
    return this.numbers[row * this.columns + column] ?? 0;
  }

  set(row: number, column: number, number: number): void {
    this.numbers[row * this.columns + column] = number;
  }
}
