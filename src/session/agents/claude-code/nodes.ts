import { digitsOfLines } from '../../migrate.js';
import { HexTable } from '../../table/ids.js';
import { ADDED, EntryRows, OWN_COLUMN } from '../entry-heads.js';
import { NONE } from './links.js';
import type { ClaudeRecords } from './records.js';

/** The type and the role of the entries of each making. */
const FORMS = {
  title: ['session_info'],
  answer: ['message', 'assistant'],
  model: ['model_change'],
  text: ['message', 'user'],
  meta: ['custom_message', ADDED],
  result: ['message', 'toolResult'],
  replaced: ['context_edit'],
  cleared: ['context_edit'],
  snapshot: ['context_transform'],
  shape: ['context_transform'],
  attachment: ['custom_message', ADDED],
  compaction: ['compaction'],
  reset: ['context_transform'],
} as const;

/** The meaning of an entry, which decides how it is built. */
type Making = keyof typeof FORMS;

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
  /** The line that records the prompt and the tools in force after it. */
  readonly shape?: number;
  /** The entry that it edits, or the first one that a compaction keeps. */
  readonly target?: number;
  /** The call whose result it is. */
  readonly call?: number;
}

/** The places of repeated entries come after all others. */
const REPEATED = 2_000_000;
/** The numbers of a row. */
const [RECORD, PLACE, MESSAGE, MODEL, CALL, SHAPE] = [0, 1, 2, 3, 4, 5].map((own) => own + OWN_COLUMN) as Columns;
const COLUMNS = 6;
type Columns = [number, number, number, number, number, number];

/** The entries, each of them after its parent, as rows of numbers. */
export class Nodes extends EntryRows<Making> {
  /** Entries that replace the context, with the first entry that each of them keeps. */
  readonly resets = new Map<number, number>();
  /** The number of lines that entries are built from. */
  usedLines = 0;
  private readonly isUsed: Uint8Array;
  private readonly lists: (readonly number[] | undefined)[] = [];
  private readonly ids: HexTable;
  /** The line of all entries from now on, with ids of their own: they repeat earlier ones. */
  private moved = NONE;

  constructor(readonly records: ClaudeRecords) {
    const room = records.order.length + 1;
    super(FORMS, COLUMNS, room);
    this.ids = new HexTable(room);
    this.isUsed = new Uint8Array(records.types.length);
  }

  moveTo(line: number): void {
    this.moved = line;
  }

  /** Adds an entry after `parent`. */
  add(parent: number, made: NewNode): number {
    const { making, record, place = 0, lines, message = NONE, target = NONE } = made;
    const model = made.model ?? (parent === NONE ? 0 : this.model(parent));
    const shape = made.shape ?? (parent === NONE ? NONE : this.shape(parent));
    const isMoved = this.moved !== NONE;
    const id = this.newId(made, isMoved ? place + REPEATED : place);
    const line = isMoved ? this.moved : record;
    const node = this.addRow(making, { parent, line, id, target, hasUsage: making === 'answer' });
    const { numbers } = this;
    const at = node * this.columns;
    numbers[at + RECORD] = record;
    numbers[at + PLACE] = place;
    numbers[at + MESSAGE] = message;
    numbers[at + MODEL] = model;
    numbers[at + CALL] = made.call ?? 0;
    numbers[at + SHAPE] = shape;
    this.lists.push(lines);
    if (lines) for (const one of lines) this.use(one);
    else this.use(record);
    return node;
  }

  private use(line: number): void {
    if (this.isUsed[line] === 1) return;
    this.isUsed[line] = 1;
    this.usedLines += 1;
  }

  private newId({ making, record }: NewNode, place: number): number {
    const { ids, records } = this;
    const isTitle = making === 'title';
    const digits = place === 0 && !isTitle ? records.digits(record) : null;
    // The table only knows which ids there are.
    if (digits !== null && !ids.set(digits, 0)) return digits;
    const idAt = digitsOfLines(isTitle ? 'title' : records.uuidText(record));
    let again = digits === null ? place : place + 1;
    while (ids.set(idAt(again), 0)) again += 1;
    return idAt(again);
  }

  /** The record that it represents, whose time it has. */
  record(node: number): number {
    return this.at(node, RECORD);
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

  /** The line that records the prompt and the tools in force after it; NONE if none does. */
  shape(node: number): number {
    return this.at(node, SHAPE);
  }

  call(node: number): number {
    return this.at(node, CALL);
  }

  /** The lines that it is built from. */
  lines(node: number): readonly number[] {
    return this.lists[node] ?? [this.record(node)];
  }
}
