import { asString, type JsonObject } from '#base/json.js';
import { Heads } from '../heads/heads.js';
import { ID_KIND } from '../heads/id-index.js';
import type { LineFields } from '../scan/line-fields.js';
import { packFlags, PI_ROLES, PI_TYPES, RECORD_WORD, WORDS_PER_RECORD } from '../scan/line-scanner.js';
import type { AgentEntries } from './define.js';

/** Entries by the numbers of their rows. */
export interface NumberedEntries<Making extends string> {
  readonly rows: EntryRows<Making>;
  /** The rows in the order of the entries. */
  readonly order: Int32Array;
  /** Milliseconds since 1970. */
  time(row: number): number;
  /** The lines that it is built from. */
  lines(row: number): readonly number[];
  timestamp(row: number): string | undefined;
  /** The value of the hex digits of the id that a row without a parent names as its parent. */
  lostParent?(row: number): number | undefined;
  /** Its fields other than type, id, parent and time, from the values of its lines. */
  fields(row: number, values: readonly JsonObject[], target: string | null): JsonObject;
}

export function buildAgentEntries<Making extends string>(
  table: LineFields,
  entries: NumberedEntries<Making>,
): AgentEntries & { rowAt(index: number): number; indexOf(row: number): number } {
  const { order } = entries;
  const places = new Int32Array(order.length);
  for (let index = 0; index < order.length; index += 1) places[order[index] ?? 0] = index;
  const rowAt = (index: number): number => order[index] ?? NONE;
  const heads = headsOf(table, entries);
  return {
    heads,
    rowAt,
    indexOf: (row) => places[row] ?? NONE,
    linesOf: (index) => entries.lines(rowAt(index)).map((line) => table.span(line)),
    build(index, values) {
      const { type = null, id = '', parentId = null, target } = heads.at(index) ?? {};
      const fields = entries.fields(rowAt(index), values, asString(target));
      return { type, id, parentId, timestamp: entries.timestamp(rowAt(index)), ...fields };
    },
  };
}

/** One loop without calls for each number, since it runs once for tens of thousands of entries. */
function headsOf<Making extends string>(table: LineFields, entries: NumberedEntries<Making>): Heads {
  const { rows, order, time } = entries;
  const { length } = order;
  const { numbers, columns, flagsOfMakings } = rows;
  const words = new Uint32Array(length * WORDS_PER_RECORD);
  const doubles = new Float64Array(words.buffer);
  const offsets = new Float64Array(length);
  const lines = new Uint32Array(length);
  for (let index = 0; index < length; index += 1) {
    const row = order[index] ?? 0;
    const from = row * columns;
    const line = numbers[from + COLUMN.line] ?? 0;
    const [parent, target] = [numbers[from + COLUMN.parent] ?? NONE, numbers[from + COLUMN.target] ?? NONE];
    const at = index * WORDS_PER_RECORD;
    const offset = table.offsetOf(line);
    const bytes = table.offsetOf(line + 1) - offset;
    offsets[index] = offset;
    lines[index] = table.numberOf(line);
    doubles[at / 2] = bytes;
    doubles[at / 2 + 1] = time(row);
    const flags = flagsOfMakings[numbers[from] ?? 0] ?? 0;
    const lost = parent === NONE ? entries.lostParent?.(row) : undefined;
    const isRoot = parent === NONE && lost === undefined;
    words[at + RECORD_WORD.flags] = flags | (isRoot ? ROOT : CHILD) | (target === NONE ? 0 : EDIT);
    words[at + RECORD_WORD.id] = numbers[from + COLUMN.id] ?? 0;
    words[at + RECORD_WORD.parentId] = isRoot ? ID_KIND.null : (lost ?? numbers[parent * columns + COLUMN.id] ?? 0);
    words[at + RECORD_WORD.target] = target === NONE ? 0 : (numbers[target * columns + COLUMN.id] ?? 0);
    words[at + RECORD_WORD.usageLength] = numbers[from + COLUMN.usage] === 0 ? 0 : bytes;
  }
  const heads = new Heads(length);
  heads.pushRows(words, offsets, lines);
  return heads;
}

/** No row, or no line. */
const NONE = -1;
const NO_FLAGS = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
const ROOT = packFlags({ ...NO_FLAGS, parentId: ID_KIND.null });
const CHILD = packFlags({ ...NO_FLAGS, parentId: ID_KIND.digits });
const EDIT = packFlags({ ...NO_FLAGS, target: ID_KIND.digits });

/** Marks the entries that the agent makes by itself: input that it adds, and answers that no provider gave. */
export const ADDED = 'added';

type EntryForm = readonly [type: string, role?: string | null, origin?: typeof ADDED];

/**
 * The numbers of each row: its making, the row of its parent, the line at which it is located, the value of the hex
 * digits of its id, the row that it edits or keeps, and whether it has a usage. NONE for none.
 */
export const COLUMN = { making: 0, parent: 1, line: 2, id: 3, target: 4, usage: 5 } as const;

/** The first column with another meaning. */
export const OWN_COLUMN = 6;

interface NewRow {
  readonly parent: number;
  readonly line: number;
  readonly id?: number;
  readonly target?: number;
  readonly hasUsage?: boolean;
}

/** Entries as rows of numbers, which grow. */
export class EntryRows<Making extends string> {
  /** The number of rows. */
  length = 0;
  numbers: Int32Array;
  readonly flagsOfMakings: readonly number[];
  private readonly makings: readonly Making[];
  private readonly numberOf: ReadonlyMap<Making, number>;
  /** Whether each row is located at the line of the row before, or after it. */
  private isInOrder = true;

  /** `forms`: the type, the role and the origin of the entries of each making. `own`: the number of own columns. */
  constructor(
    forms: Readonly<Record<Making, EntryForm>>,
    own: number,
    room: number,
    readonly columns = OWN_COLUMN + own,
  ) {
    this.numbers = new Int32Array(room * columns);
    this.makings = Object.keys(forms) as Making[];
    this.numberOf = new Map(this.makings.map((making, number) => [making, number]));
    this.flagsOfMakings = this.makings.map((making) => flagsOf(forms[making]));
  }

  /** Adds a row, and returns its place. */
  protected addRow(making: Making, { parent, line, id = 0, target = NONE, hasUsage = false }: NewRow): number {
    const row = this.length;
    const start = row * this.columns;
    if (start + this.columns > this.numbers.length) {
      const larger = new Int32Array((this.numbers.length + this.columns) * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    const { numbers } = this;
    if (row > 0 && line < (numbers[start - this.columns + COLUMN.line] ?? 0)) this.isInOrder = false;
    numbers[start + COLUMN.making] = this.numberOf.get(making) ?? 0;
    numbers[start + COLUMN.parent] = parent;
    numbers[start + COLUMN.line] = line;
    numbers[start + COLUMN.id] = id;
    numbers[start + COLUMN.target] = target;
    numbers[start + COLUMN.usage] = hasUsage ? 1 : 0;
    this.length = row + 1;
    return row;
  }

  /** The rows in the order in which they were added. */
  asAdded(): Int32Array {
    const order = new Int32Array(this.length);
    for (let row = 0; row < order.length; row += 1) order[row] = row;
    return order;
  }

  /** The rows in the order of their lines; those of one line as they were added. */
  inOrder(): Int32Array {
    const order = this.asAdded();
    return this.isInOrder ? order : order.toSorted((a, b) => this.line(a) - this.line(b) || a - b);
  }

  protected at(row: number, column: number): number {
    return this.numbers[row * this.columns + column] ?? 0;
  }

  protected set(row: number, column: number, number: number): void {
    this.numbers[row * this.columns + column] = number;
  }

  /** Gives a row without a usage another making. */
  protected setMaking(row: number, making: Making): void {
    this.set(row, COLUMN.making, this.numberOf.get(making) ?? 0);
  }

  making(row: number): Making {
    return this.makings[this.at(row, COLUMN.making)] as Making;
  }

  parent(row: number): number {
    return this.at(row, COLUMN.parent);
  }

  /** The line at which it is located. */
  line(row: number): number {
    return this.at(row, COLUMN.line);
  }

  target(row: number): number {
    return this.at(row, COLUMN.target);
  }
}

function flagsOf([type, role, origin]: EntryForm): number {
  const isAdded = origin === ADDED ? 1 : 0;
  const numbers = { type: PI_TYPES.indexOf(type) + 1, role: role ? PI_ROLES.indexOf(role) + 1 : 0, isAdded };
  return packFlags({ ...NO_FLAGS, ...numbers, id: ID_KIND.digits });
}
