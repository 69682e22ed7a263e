import { digitsOfLine } from '../../migrate.js';
import { HexTable } from '../../table/ids.js';
import { NONE, type ClaudeRecords } from './records.js';

/** The meaning of an entry, which decides how it is built. */
export type Making =
  | 'title'
  | 'answer'
  | 'model'
  | 'text'
  | 'meta'
  | 'result'
  | 'replaced'
  | 'cleared'
  | 'snapshot'
  | 'attachment'
  | 'compaction'
  | 'reset';

const MAKINGS: readonly Making[] = [
  'title',
  'answer',
  'model',
  'text',
  'meta',
  'result',
  'replaced',
  'cleared',
  'snapshot',
  'attachment',
  'compaction',
  'reset',
];

/** A new entry after another one. */
export interface NewNode {
  readonly making: Making;
  /** The record that it represents, whose uuid begins with its id; `place` numbers the entries of one record. */
  readonly record: number;
  readonly place?: number;
  /** Its lines, if they are not that of the record. */
  readonly lines?: readonly number[];
  /** The record of the message that it represents. */
  readonly message?: number;
  /** The model in force after it. */
  readonly model?: number;
  /** The entry that it edits, or the first one that a compaction keeps. */
  readonly target?: number;
  /** The call whose result it is. */
  readonly call?: number;
}

/** The places of repeated entries come after all others. */
const REPEATED = 2_000_000;
const NUMBERS = 9;
/** The numbers of a row. */
const [PARENT, RECORD, MAKING, PLACE, MESSAGE, MODEL, TARGET, ID, CALL] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** The entries, each of them after its parent, as rows of numbers. */
export class Nodes {
  length = 0;
  /** Entries that replace the context, with the first entry that each of them keeps. */
  readonly resets = new Map<number, number>();
  private rows: Int32Array;
  private readonly lists: (readonly number[] | undefined)[] = [];
  private readonly ids: HexTable;
  /** From this entry on, all are located at this line, with ids of their own: they repeat earlier ones. */
  private moved: { readonly from: number; readonly line: number } | null = null;

  constructor(readonly records: ClaudeRecords) {
    const room = records.order.length + 1;
    this.rows = new Int32Array(room * NUMBERS);
    this.ids = new HexTable(room);
  }

  moveTo(line: number): void {
    this.moved = { from: this.length, line };
  }

  /** Adds an entry after `parent`. */
  add(parent: number, made: NewNode): number {
    const { making, record, place = 0, lines, message = NONE, target = NONE } = made;
    const node = this.length;
    if ((node + 1) * NUMBERS > this.rows.length) {
      const { rows } = this;
      this.rows = new Int32Array(rows.length * 2);
      this.rows.set(rows);
    }
    const { rows } = this;
    const at = node * NUMBERS;
    rows[at + PARENT] = parent;
    rows[at + RECORD] = record;
    rows[at + MAKING] = MAKINGS.indexOf(making);
    rows[at + PLACE] = place;
    rows[at + MESSAGE] = message;
    rows[at + MODEL] = made.model ?? (parent === NONE ? 0 : this.model(parent));
    rows[at + TARGET] = target;
    rows[at + CALL] = made.call ?? 0;
    const id = this.newId(made, this.moved ? place + REPEATED : place);
    this.ids.set(id, node);
    rows[at + ID] = id;
    this.lists.push(lines);
    this.length = node + 1;
    return node;
  }

  private newId({ making, record }: NewNode, place: number): number {
    const { ids, records } = this;
    const isTitle = making === 'title';
    const digits = place === 0 && !isTitle ? records.digits(record) : null;
    if (digits !== null && ids.get(digits) === undefined) return digits;
    const uuid = isTitle ? 'title' : records.uuidText(record);
    let again = digits === null ? place : place + 1;
    while (ids.get(digitsOfLine(uuid, again)) !== undefined) again += 1;
    return digitsOfLine(uuid, again);
  }

  private at(node: number, number: number): number {
    return this.rows[node * NUMBERS + number] ?? 0;
  }

  parent(node: number): number {
    return this.at(node, PARENT);
  }

  /** The record that it represents, whose time it has. */
  record(node: number): number {
    return this.at(node, RECORD);
  }

  making(node: number): Making {
    return MAKINGS[this.at(node, MAKING)] as Making;
  }

  place(node: number): number {
    return this.at(node, PLACE);
  }

  /** The record of the message that it represents; NONE for other entries. */
  message(node: number): number {
    return this.at(node, MESSAGE);
  }

  /** The model in force after it. */
  model(node: number): number {
    return this.at(node, MODEL);
  }

  call(node: number): number {
    return this.at(node, CALL);
  }

  target(node: number): number {
    return this.at(node, TARGET);
  }

  /** The value of the hex digits of its id. */
  id(node: number): number {
    return this.at(node, ID) >>> 0;
  }

  /** Whether it is built from other lines than that of its record. */
  hasOwnLines(node: number): boolean {
    return this.lists[node] !== undefined;
  }

  /** The lines that it is built from. */
  lines(node: number): readonly number[] {
    return this.lists[node] ?? [this.record(node)];
  }

  /** The line at which it is located. */
  line(node: number): number {
    return this.moved && node >= this.moved.from ? this.moved.line : this.record(node);
  }
}
