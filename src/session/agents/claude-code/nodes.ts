import { HexIdMap } from '../../heads/hex-id-map.js';
import { buildLineHash } from '../../line-ids.js';
import { ADDED, EntryRows, OWN_COLUMN } from '../entry-heads.js';
import { NONE } from './links.js';
import type { ClaudeRecords } from './records.js';

/** The type and the role of the entries of each making. */
const FORMS = {
  title: ['session_info'],
  answer: ['message', 'assistant'],
  // An answer that no provider gave.
  local: ['message', 'assistant', ADDED],
  model: ['model_change'],
  text: ['message', 'user'],
  // What the user typed while the agent worked.
  queued: ['message', 'user'],
  meta: ['custom_message', null, ADDED],
  // A command that the client answered itself, or what it printed.
  command: ['custom_message', null, ADDED],
  result: ['message', 'toolResult'],
  // A result that the client leaves out of requests, since no call before it waits for one.
  orphan: ['custom'],
  replaced: ['context_edit'],
  // Leaves out the calls of an answer without a result.
  unanswered: ['context_edit'],
  cleared: ['context_edit'],
  snapshot: ['context_transform'],
  shape: ['context_transform'],
  attachment: ['custom_message', null, ADDED],
  // An attachment with the tags of its words.
  told: ['custom_message', null, ADDED],
  compaction: ['compaction'],
  reset: ['context_transform'],
  prompt: ['message', 'user'],
  note: ['custom_message', null, ADDED],
  joined: ['custom'],
  restated: ['context_transform'],
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

/** A message of a request. */
export interface Piece {
  /** The number of its hash, which is a text. */
  readonly hash: number;
  /** The number of the text. */
  readonly role: number;
  /** The lines whose blocks it has, in order. */
  readonly lines: readonly number[];
  /** The entries that show it, in order: one each result of a call, and one the rest. */
  readonly nodes: readonly number[];
}

const NO_LINES: readonly number[] = [];

/** The places of repeated entries come after all others. */
const REPEATED = 2_000_000;
/** The place of an entry that states all messages again comes after those of a model and of a prompt. */
const RESTATED = 3;
/** The numbers of a row. */
const [RECORD, PLACE, MESSAGE, MODEL, CALL, SHAPE] = [0, 1, 2, 3, 4, 5].map((own) => own + OWN_COLUMN) as Columns;
const COLUMNS = 6;
type Columns = [number, number, number, number, number, number];

/** The entries, each of them after its parent, as rows of numbers. */
export class Nodes extends EntryRows<Making> {
  /** Entries that replace the context, with the first entry that each of them keeps. */
  readonly resets = new Map<number, number>();
  /** The calls of an answer whose ids an answer before it already used, by the entry of the answer. */
  readonly doubled = new Map<number, ReadonlySet<number>>();
  /** The messages of entries that state all messages of a request again. */
  readonly pieces = new Map<number, readonly Piece[]>();
  private readonly lists: (readonly number[] | undefined)[] = [];
  private readonly ids: HexIdMap;
  /** The line of all entries from now on, with ids of their own: they repeat earlier ones. */
  private moved = NONE;

  constructor(readonly records: ClaudeRecords) {
    const room = records.order.length + 1;
    super(FORMS, COLUMNS, room);
    this.ids = new HexIdMap(room);
  }

  moveTo(line: number): void {
    this.moved = line;
  }

  /** Whether new entries repeat earlier ones. */
  get isRepeating(): boolean {
    return this.moved !== NONE;
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
    return node;
  }

  /** Adds an entry that replaces all messages by those of a request. */
  restate(parent: number, record: number, pieces: readonly Piece[]): number {
    const lines = pieces.flatMap((piece) => piece.lines);
    const node = this.add(parent, { making: 'restated', record, place: RESTATED, lines });
    this.pieces.set(node, pieces);
    return node;
  }

  /** Gives an entry another meaning, built from other lines. */
  remake(node: number, { making, lines, place }: Pick<NewNode, 'making' | 'lines' | 'place'>): void {
    this.setMaking(node, making);
    this.lists[node] = lines;
    if (place !== undefined) this.set(node, PLACE, place);
  }

  /** The number of lines that entries are built from. The title is no part of the record that its entry precedes. */
  usedLines(): number {
    const isUsed = new Uint8Array(this.records.types.length);
    for (let node = 0; node < this.length; node += 1) {
      for (const line of this.lists[node] ?? NO_LINES) isUsed[line] = 1;
      if (this.making(node) !== 'title') isUsed[this.record(node)] = 1;
    }
    let used = 0;
    for (let line = 0; line < isUsed.length; line += 1) used += isUsed[line] ?? 0;
    return used;
  }

  private newId({ making, record }: NewNode, place: number): number {
    const { ids, records } = this;
    const isTitle = making === 'title';
    const digits = place === 0 && !isTitle ? records.digits(record) : null;
    // The table only knows which ids there are.
    if (digits !== null && !ids.set(digits, 0)) return digits;
    const idAt = buildLineHash(isTitle ? 'title' : records.uuidText(record));
    let again = digits === null ? place : place + 1;
    while (ids.set(idAt(again), 0)) again += 1;
    return idAt(again);
  }

  /** The id of the parent of a first entry, if that parent is not in the file. No entry has this id. */
  lostParent(node: number): number | undefined {
    const { records, ids } = this;
    const parent = records.parent(records.topOf(this.record(node)));
    if (parent === 0 || records.agentId !== null || records.lineOf(parent) !== NONE) return undefined;
    const idAt = buildLineHash(records.table.text(parent));
    let id = records.table.digits(parent) ?? idAt(0);
    for (let place = 1; ids.get(id) !== undefined; place += 1) id = idAt(place);
    return id;
  }

  /** The record that it represents, whose time it has. */
  record(node: number): number {
    return this.at(node, RECORD);
  }

  /** The line whose time it has: words from the queue have that at which they were sent. */
  timed(node: number): number {
    const record = this.record(node);
    return this.making(node) === 'queued' ? (this.lists[node]?.[0] ?? record) : record;
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
