import { asString, type JsonObject } from '#base/json.js';
import { timeText } from '#base/time.js';
import { idOfLine } from '../migrate.js';
import type { LineSpan } from '../scan/bytes.js';
import { packed, RECORD_WORDS, ROLES, TYPES, WORD } from '../scan/line-scanner.js';
import type { LineTable } from '../scan/line-table.js';
import { Heads } from '../table/heads.js';
import { KIND } from '../table/ids.js';
import type { EntryTable, ForeignEntry } from './define.js';

/** An entry to append to an {@link EntryList}. */
export interface NewEntry {
  readonly type: string;
  readonly role?: string | null;
  /** The first locates the entry; the others may be added later. */
  readonly lines: LineSpan[];
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  readonly hasUsage?: boolean;
  /** The id of the entry that it edits. */
  readonly target?: string;
  /** The fields of the entry other than its type, id, parent and time. */
  build(values: readonly JsonObject[]): JsonObject;
}

/** An entry of the list, which may still learn that it has a usage. */
export interface ListedEntry extends ForeignEntry {
  readonly id: string;
  readonly lines: LineSpan[];
  hasUsage: boolean;
}

/** The entries of a conversation, each of them the child of the leaf. Their ids depend on the session and their number. */
export class EntryList {
  readonly entries: ListedEntry[] = [];
  /** The entry that the next one follows; set it to go back. */
  leafId: string | null = null;
  /** Whether any entry has a usage. */
  hasUsage = false;
  private model = '';

  constructor(private readonly sessionId: string) {}

  /** Appends an entry and makes it the leaf. */
  add({ type, role = null, lines, time, hasUsage = false, target, build }: NewEntry): ListedEntry {
    const id = idOfLine(this.sessionId, this.entries.length + 1);
    const parentId = this.leafId;
    const base = { type, id, parentId, timestamp: timeText(time) ?? undefined };
    const entry: ListedEntry = {
      type,
      id,
      parentId,
      role,
      target,
      time,
      hasSummary: false,
      hasUsage,
      lines,
      build: (values) => ({ ...base, ...build(values) }),
    };
    this.entries.push(entry);
    this.leafId = id;
    this.hasUsage ||= hasUsage;
    return entry;
  }

  /** Appends a change of the model, unless it is the same as before. */
  addModel(provider: string, modelId: string | null, at: Pick<NewEntry, 'lines' | 'time'>): void {
    if (modelId === null || this.model === `${provider}/${modelId}`) return;
    this.model = `${provider}/${modelId}`;
    this.add({ ...at, type: 'model_change', build: () => ({ provider, modelId }) });
  }
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

  protected setMaking(row: number, making: Making): void {
    this.set(row, 0, this.makings.indexOf(making));
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
