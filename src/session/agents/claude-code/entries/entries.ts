import { HexIdMap } from '../../../heads/hex-id-map.js';
import { NONE } from '../../../heads/id-index.js';
import { buildLineHash } from '../../../line-ids.js';
import type { ClaudeRecords } from '../records/records.js';

/** The meaning of an entry, which decides how it is built: see `buildFields`. */
export type ClaudeEntryForm =
  // Of the session: its title, and a change of the model.
  | 'title'
  | 'model'
  // Answers: of a provider, and of the client itself.
  | 'answer'
  | 'local'
  // An edit of an answer, which drops its calls without a result.
  | 'unanswered'
  // Words of the user: a prompt, and what the user typed while the agent worked.
  | 'text'
  | 'queued'
  // Words of the client: a message that it adds, and a command that it answered itself, or what that printed.
  | 'meta'
  | 'command'
  // Results of calls: one that is sent, and one that the client leaves out, since no call before it waits for one.
  | 'result'
  | 'orphan'
  // Edits of a result: the text that the model saw instead of a big one, and what is left of one that was cleared.
  | 'replaced'
  | 'cleared'
  // Attachments: one that is sent, and one that is sent with the tags of its words.
  | 'attachment'
  | 'tagged'
  // The prompt and the tools: as an attachment records them, and as a request does.
  | 'snapshot'
  | 'shape'
  // What replaces the context: by a summary, and by nothing.
  | 'compaction'
  | 'reset'
  // The summary of the messages after an earlier one, to which the conversation went back.
  | 'branch'
  // Texts as a recorded request has them, of the lines that it joins: a prompt of the user, and any other one.
  | 'prompt'
  | 'note'
  // Words that are a part of such a text, or were not sent.
  | 'joined'
  // All messages of a recorded request, where no change of the entries before it leads to them.
  | 'restated';

/** An entry before it is built. Records are the numbers of their lines, NONE for none; texts are numbers. */
export interface ClaudeEntry {
  /** This field, `lines` and `place` change if a request shows that something else was sent: see `ClaudeEntries.change`. */
  form: ClaudeEntryForm;
  /** Its number, in the order in which entries are added. */
  readonly number: number;
  readonly parent: ClaudeEntry | null;
  /** The value of the hex digits of its id. */
  readonly id: number;
  /** The record that it represents, whose time it has, and whose uuid begins with its id. */
  readonly record: number;
  /** Numbers the entries of one record. For a result, the place among the results of its line. */
  place: number;
  /** The line that locates the entry. */
  readonly location: number;
  /** The lines from which the entry is built. */
  lines: readonly number[];
  /** The record of the message that it represents. */
  readonly message: number;
  /** The model in force after it. */
  readonly model: number;
  /** The line that records the prompt and the tools in force after it. */
  readonly shape: number;
  /** The call whose result it is. */
  readonly call: number;
  /** The entry that it edits, the first one that a compaction keeps, or the last one of a branch; null for none. */
  readonly target: ClaudeEntry | null;
  /** The calls of an answer whose ids an answer before it already used. */
  readonly doubledCalls: ReadonlySet<number>;
  /** The messages of an entry that states all messages of a request again. */
  readonly messages: readonly SentMessage[];
}

/** Whether an entry replaces the context. */
export function isReset({ form }: ClaudeEntry): boolean {
  return form === 'compaction' || form === 'reset';
}

/**
 * A new entry. Without `lines` it is built from the line of its record; without a model or a shape it has those of its
 * parent.
 */
export interface NewClaudeEntry
  extends
    Pick<ClaudeEntry, 'form' | 'record'>,
    Partial<Omit<ClaudeEntry, 'form' | 'record' | 'number' | 'parent' | 'id' | 'location'>> {}

/** The new form of an entry that does not show its record, and the lines from which it is then built. */
export type EntryChange = Partial<Pick<ClaudeEntry, 'form' | 'lines' | 'place'>>;

/** A message of a recorded request. */
export interface SentMessage {
  /** The number of its hash, which is a text. */
  readonly hash: number;
  /** The number of its role, which is a text. */
  readonly role: number;
  /** The lines whose blocks it has, in order. */
  readonly lines: readonly number[];
  /** The entries that show it, in order: one each result of a call, and one the rest. */
  readonly entries: readonly ClaudeEntry[];
}

/** The places of repeated entries come after all others. */
const REPEATED_PLACE = 2_000_000;
/** The place of an entry that states all messages again comes after those of a model and of a prompt. */
const RESTATED_PLACE = 3;
const NO_CALLS: ReadonlySet<number> = new Set();

/** The entries of a file, each of them after its parent. */
export class ClaudeEntries {
  readonly all: ClaudeEntry[] = [];
  private readonly ids: HexIdMap;
  /** The line that locates all entries from now on, which repeat earlier ones; NONE while none are repeated. */
  private repeatLine = NONE;

  constructor(readonly records: ClaudeRecords) {
    this.ids = new HexIdMap(records.order.length + 1);
  }

  /** Locates all entries from now on at a line. They repeat earlier ones, and get ids of their own. */
  repeatAt(line: number): void {
    this.repeatLine = line;
  }

  /** Whether new entries repeat earlier ones. */
  get areRepeated(): boolean {
    return this.repeatLine !== NONE;
  }

  /** Adds an entry after `parent`. */
  add(parent: ClaudeEntry | null, added: NewClaudeEntry): ClaudeEntry {
    const { form, record, place = 0 } = added;
    const entry: ClaudeEntry = {
      form,
      number: this.all.length,
      parent,
      id: this.claimId(added, this.areRepeated ? place + REPEATED_PLACE : place),
      record,
      place,
      location: this.areRepeated ? this.repeatLine : record,
      lines: added.lines ?? [record],
      message: added.message ?? NONE,
      model: added.model ?? parent?.model ?? 0,
      shape: added.shape ?? parent?.shape ?? NONE,
      call: added.call ?? 0,
      target: added.target ?? null,
      doubledCalls: added.doubledCalls ?? NO_CALLS,
      messages: added.messages ?? [],
    };
    this.all.push(entry);
    return entry;
  }

  /** Lets an entry show something else. Its id, and its place in the tree, stay. */
  change(entry: ClaudeEntry, { form, lines, place }: EntryChange): void {
    entry.form = form ?? entry.form;
    entry.lines = lines ?? entry.lines;
    entry.place = place ?? entry.place;
  }

  /** Adds an entry that replaces all messages by those of a request. */
  restate(parent: ClaudeEntry | null, record: number, messages: readonly SentMessage[]): ClaudeEntry {
    const lines = messages.flatMap((message) => message.lines);
    return this.add(parent, { form: 'restated', record, place: RESTATED_PLACE, lines, messages });
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
    const uuid = records.uuid(record);
    const isTitle = form === 'title';
    const digits = place === 0 && !isTitle ? records.fields.digits(uuid) : null;
    // The map only knows which ids there are.
    if (digits !== null && !ids.set(digits, 0)) return digits;
    const idAt = buildLineHash(isTitle ? 'title' : records.fields.text(uuid));
    let again = digits === null ? place : place + 1;
    while (ids.set(idAt(again), 0)) again += 1;
    return idAt(again);
  }

  /** The id of the parent of a first entry, if that parent is not in the file. No entry has this id. */
  findMissingParent({ record }: ClaudeEntry): number | null {
    const { records, ids } = this;
    const parent = records.parentUuid(findChainStart(records, record));
    if (parent === 0 || records.file.agentId !== null || records.lineOf(parent) !== NONE) return null;
    const idAt = buildLineHash(records.fields.text(parent));
    let id = records.fields.digits(parent) ?? idAt(0);
    for (let place = 1; ids.get(id) !== undefined; place += 1) id = idAt(place);
    return id;
  }
}

/** The first record of the chain that a record is on; the record itself if a message is above it. */
function findChainStart(records: ClaudeRecords, record: number): number {
  let start = record;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const parent = records.parents[start] ?? NONE;
    if (parent === NONE) return start;
    if (records.isMessage(parent)) return record;
    start = parent;
  }
  return start;
}

/** Chains of records without a message are long, and many entries may follow one. */
const MOST_STEPS = 1_000;

/** The line whose time an entry has: words from the queue have that at which they were sent. */
export function timedLineOf({ form, record, lines }: ClaudeEntry): number {
  return form === 'queued' ? (lines[0] ?? record) : record;
}
