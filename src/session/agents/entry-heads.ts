import { asString, type JsonObject } from '#base/json.js';
import { packed, RECORD_WORDS, ROLES, TYPES, WORD } from '../scan/line-scanner.js';
import type { LineTable } from '../scan/line-table.js';
import { Heads } from '../table/heads.js';
import { KIND } from '../table/ids.js';
import type { EntryTable } from './define.js';

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
  /** The lines that it is built from. */
  lines(index: number): readonly number[];
  timestamp(index: number): string | undefined;
  /** Its fields other than type, id, parent and time, from the values of its lines. */
  fields(index: number, values: readonly JsonObject[], target: string | null): JsonObject;
}

export function entryTable(table: LineTable, entries: NumberedEntries): EntryTable {
  const heads = headsOf(table, entries);
  return {
    heads,
    linesOf: (index) => entries.lines(index).map((line) => table.span(line)),
    build(index, values) {
      const { type = null, id = '', parentId = null, target } = heads.at(index) ?? {};
      const fields = entries.fields(index, values, asString(target));
      return { type, id, parentId, timestamp: entries.timestamp(index), ...fields };
    },
  };
}

function headsOf(table: LineTable, entries: NumberedEntries): Heads {
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
    words[at + WORD.flags] = entries.flags(index) | (parentId === null ? ROOT : CHILD) | (targetId === null ? 0 : EDIT);
    words[at + WORD.id] = entries.id(index);
    words[at + WORD.parentId] = parentId ?? KIND.null;
    words[at + WORD.target] = targetId ?? 0;
    words[at + WORD.usageLength] = entries.hasUsage(index) ? bytes : 0;
  }
  const heads = new Heads(length);
  heads.pushRows(words, offsets, lines);
  return heads;
}

const NO_FLAGS = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
const ROOT = packed({ ...NO_FLAGS, parentId: KIND.null });
const CHILD = packed({ ...NO_FLAGS, parentId: KIND.digits });
const EDIT = packed({ ...NO_FLAGS, target: KIND.digits });

/** Represents the role of a message that the agent adds to the input by itself. */
export const ADDED = 'added';

type EntryForm = readonly [type: string, role?: string];

/** Entries as rows of numbers, which grow. The first column is the number of the making, the second the parent. */
export class EntryRows<Making extends string> {
  /** The number of rows. */
  length = 0;
  private numbers: Int32Array;
  private readonly makings: readonly Making[];
  private readonly flagsOfMakings: readonly number[];

  /** `forms`: the type and the role of the entries of each making, or ADDED. */
  constructor(
    forms: Readonly<Record<Making, EntryForm>>,
    private readonly columns: number,
    room: number,
  ) {
    this.numbers = new Int32Array(room * columns);
    this.makings = Object.keys(forms) as Making[];
    this.flagsOfMakings = this.makings.map((making) => flagsOf(forms[making]));
  }

  /** Adds a row, and returns its place. */
  addRow(making: Making, row: readonly number[]): number {
    const place = this.length;
    const start = place * this.columns;
    if (start + this.columns > this.numbers.length) {
      const larger = new Int32Array((this.numbers.length + this.columns) * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[start] = this.makings.indexOf(making);
    for (let column = 1; column < this.columns; column += 1) this.numbers[start + column] = row[column - 1] ?? 0;
    this.length = place + 1;
    return place;
  }

  protected at(row: number, column: number): number {
    return this.numbers[row * this.columns + column] ?? 0;
  }

  protected set(row: number, column: number, number: number): void {
    this.numbers[row * this.columns + column] = number;
  }

  making(row: number): Making {
    return this.makings[this.at(row, 0)] as Making;
  }

  /** The flags of its head, without those of ids. */
  flags(row: number): number {
    return this.flagsOfMakings[this.at(row, 0)] ?? 0;
  }

  parent(row: number): number {
    return this.at(row, 1);
  }
}

function flagsOf([type, role]: EntryForm): number {
  if (role === ADDED) return flagsOf([type]) | packed({ ...NO_FLAGS, isAdded: 1 });
  const numbers = { type: TYPES.indexOf(type) + 1, role: role === undefined ? 0 : ROLES.indexOf(role) + 1 };
  return packed({ ...NO_FLAGS, ...numbers, id: KIND.digits });
}
