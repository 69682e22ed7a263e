import { HexIdMap } from '../../../heads/hex-id-map.js';
import { NONE } from '../../../heads/id-index.js';
import { buildLineHash } from '../../../line-ids.js';
import type { ClaudeRecords } from '../records/records.js';

/** The meaning of an entry, which decides how it is built. */
export type ClaudeEntryForm =
  | 'title'
  | 'answer'
  // An answer that no provider gave.
  | 'local'
  | 'model'
  | 'text'
  // Words that the user typed while the agent worked.
  | 'queued'
  | 'meta'
  // A command that the client answered itself, or what it printed.
  | 'command'
  | 'result'
  // A result that the client leaves out of requests, since no call before it waits for one.
  | 'orphan'
  // The text that the model saw instead of a big result.
  | 'replaced'
  // Leaves out the calls of an answer without a result.
  | 'unanswered'
  | 'cleared'
  | 'snapshot'
  | 'shape'
  | 'attachment'
  // An attachment with the tags of its words.
  | 'tagged'
  | 'compaction'
  | 'reset'
  | 'prompt'
  | 'note'
  // Its words are part of another message, or were not sent.
  | 'joined'
  | 'restated';

/** An entry before it is built. Records are the numbers of their lines, NONE for none; texts are numbers. */
export interface ClaudeEntry {
  readonly form: ClaudeEntryForm;
  /** Its number, in the order in which entries are added. */
  readonly number: number;
  readonly parent: ClaudeEntry | null;
  /** The value of the hex digits of its id. */
  readonly id: number;
  /** The record that it represents, whose time it has, and whose uuid begins with its id. */
  readonly record: number;
  /** Numbers the entries of one record. */
  readonly place: number;
  /** The line that locates the entry. */
  readonly location: number;
  /** The lines from which the entry is built. */
  readonly lines: readonly number[];
  /** The record of the message that it represents. */
  readonly message: number;
  /** The model in force after it. */
  readonly model: number;
  /** The line that records the prompt and the tools in force after it. */
  readonly shape: number;
  /** The call whose result it is. */
  readonly call: number;
  /** The entry that it edits, or the first one that a compaction keeps; null for one that keeps none. */
  readonly target: ClaudeEntry | null;
  /** The calls of an answer whose ids an answer before it already used. */
  readonly doubledCalls: ReadonlySet<number>;
  /** The messages of an entry that states all messages of a request again. */
  readonly pieces: readonly Piece[];
}

/** Whether an entry replaces the context. */
export function isReset({ form }: ClaudeEntry): boolean {
  return form === 'compaction' || form === 'reset';
}

/** A new entry after another one. Without `lines` it is built from the line of its record. */
export interface NewClaudeEntry
  extends
    Pick<ClaudeEntry, 'form' | 'record'>,
    Partial<
      Pick<
        ClaudeEntry,
        'place' | 'lines' | 'message' | 'model' | 'shape' | 'call' | 'target' | 'doubledCalls' | 'pieces'
      >
    > {}

/** The new form of an entry that does not show its record, and the lines from which it is then built. */
export type EntryChange = Partial<Pick<ClaudeEntry, 'form' | 'lines' | 'place'>>;

/** A message of a request. */
export interface Piece {
  /** The number of its hash, which is a text. */
  readonly hash: number;
  /** The number of the text. */
  readonly role: number;
  /** The lines whose blocks it has, in order. */
  readonly lines: readonly number[];
  /** The entries that show it, in order: one each result of a call, and one the rest. */
  readonly entries: readonly ClaudeEntry[];
}

/** The places of repeated entries come after all others. */
const REPEATED = 2_000_000;
/** The place of an entry that states all messages again comes after those of a model and of a prompt. */
const RESTATED = 3;
const NO_CALLS: ReadonlySet<number> = new Set();

/** The entries of a file, each of them after its parent. */
export class ClaudeEntries {
  readonly all: ClaudeEntry[] = [];
  private readonly ids: HexIdMap;
  /** The line of all entries from now on, with ids of their own: they repeat earlier ones. */
  private moved = NONE;

  constructor(readonly records: ClaudeRecords) {
    this.ids = new HexIdMap(records.order.length + 1);
  }

  /** Locates all entries from now on at a line. */
  moveTo(line: number): void {
    this.moved = line;
  }

  /** Whether new entries repeat earlier ones. */
  get areRepeated(): boolean {
    return this.moved !== NONE;
  }

  /** Adds an entry after `parent`. */
  add(parent: ClaudeEntry | null, added: NewClaudeEntry): ClaudeEntry {
    const { form, record, place = 0 } = added;
    const entry: ClaudeEntry = {
      form,
      number: this.all.length,
      parent,
      id: this.claimId(added, this.areRepeated ? place + REPEATED : place),
      record,
      place,
      location: this.areRepeated ? this.moved : record,
      lines: added.lines ?? [record],
      message: added.message ?? NONE,
      model: added.model ?? parent?.model ?? 0,
      shape: added.shape ?? parent?.shape ?? NONE,
      call: added.call ?? 0,
      target: added.target ?? null,
      doubledCalls: added.doubledCalls ?? NO_CALLS,
      pieces: added.pieces ?? [],
    };
    this.all.push(entry);
    return entry;
  }

  /** Lets an entry show something else. Its id, and its place in the tree, stay. */
  change(entry: ClaudeEntry, change: EntryChange): void {
    Object.assign(entry, change);
  }

  /** Adds an entry that replaces all messages by those of a request. */
  restate(parent: ClaudeEntry | null, record: number, pieces: readonly Piece[]): ClaudeEntry {
    const lines = pieces.flatMap((piece) => piece.lines);
    return this.add(parent, { form: 'restated', record, place: RESTATED, lines, pieces });
  }

  /** The number of lines that entries are built from. The title is no part of the record that its entry precedes. */
  countUsedLines(): number {
    const isUsed = new Uint8Array(this.records.types.length);
    for (const { form, record, lines } of this.all) {
      for (const line of lines) isUsed[line] = 1;
      if (form !== 'title') isUsed[record] = 1;
    }
    return isUsed.reduce((sum, used) => sum + used, 0);
  }

  /** An id that no entry has, which is taken from now on: that of the record where it is free. */
  private claimId({ form, record }: NewClaudeEntry, place: number): number {
    const { ids, records } = this;
    const isTitle = form === 'title';
    const digits = place === 0 && !isTitle ? records.digits(record) : null;
    // The map only knows which ids there are.
    if (digits !== null && !ids.set(digits, 0)) return digits;
    const idAt = buildLineHash(isTitle ? 'title' : records.uuidText(record));
    let again = digits === null ? place : place + 1;
    while (ids.set(idAt(again), 0)) again += 1;
    return idAt(again);
  }

  /** The id of the parent of a first entry, if that parent is not in the file. No entry has this id. */
  findMissingParent({ record }: ClaudeEntry): number | null {
    const { records, ids } = this;
    const parent = records.parent(records.topOf(record));
    if (parent === 0 || records.file.agentId !== null || records.lineOf(parent) !== NONE) return null;
    const idAt = buildLineHash(records.fields.text(parent));
    let id = records.fields.digits(parent) ?? idAt(0);
    for (let place = 1; ids.get(id) !== undefined; place += 1) id = idAt(place);
    return id;
  }
}

/** The line whose time an entry has: words from the queue have that at which they were sent. */
export function timedLineOf({ form, record, lines }: ClaudeEntry): number {
  return form === 'queued' ? (lines[0] ?? record) : record;
}
