import { asString, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildLineId } from '../../line-ids.js';
import type { AgentEntry } from '../define.js';
import { buildEntryFields, type CodexEntryForm } from './entry-fields.js';
import type { InputKind } from './items.js';
import type { LaterItems } from './paired-items.js';
import type { RolloutRecord } from './records.js';

/** An entry to add after the leaf. */
export interface NewRolloutEntry {
  readonly form: CodexEntryForm;
  /** Its effect on rollbacks. Other entries have none, such as a change of the model. */
  readonly effect?: Effect;
  /** The effort, a tool, or a custom type, which its lines do not contain. */
  readonly text?: string | null;
  readonly hasUsage?: boolean;
  /** The items after the history that it records. */
  readonly later?: LaterItems;
}

type Effect = InputKind | 'item';

/** The type and the role of the entries of each form. */
const TYPES: Readonly<Record<CodexEntryForm, readonly [type: string, role: string | null]>> = {
  declared: ['context_transform', null],
  model: ['model_change', null],
  effort: ['thinking_level_change', null],
  answer: ['message', 'assistant'],
  interrupted: ['message', 'assistant'],
  result: ['message', 'toolResult'],
  aborted: ['message', 'toolResult'],
  orphan: ['custom', null],
  user: ['message', 'user'],
  added: ['custom_message', null],
  sent: ['custom_message', null],
  usage: ['usage', null],
  derived: ['usage', null],
  replaced: ['context_transform', null],
  summarised: ['context_transform', null],
  name: ['session_info', null],
};

const NOTHING_LATER: LaterItems = { answers: () => false, goOn: () => false };

/** The place of an entry in a chain. */
interface EntryPlace {
  readonly id: string;
  readonly parent: RolloutEntry | null;
  /** The model in force. */
  readonly model: string | null;
  /** The thread from which it was copied. */
  readonly copiedFrom: string | null;
}

/** An entry of a rollout. Its records, the first of which locates it, are the lines that it is built from. */
export class RolloutEntry implements AgentEntry {
  form: CodexEntryForm;
  readonly type: string;
  readonly role: string | null;
  readonly id: string;
  readonly parent: RolloutEntry | null;
  readonly target = undefined;
  readonly hasSummary = false;
  readonly effect: Effect | null;
  readonly model: string | null;
  readonly text: string | null;
  readonly copiedFrom: string | null;
  readonly lines: RolloutRecord[];
  hasUsage: boolean;
  private readonly later: LaterItems;

  constructor(
    readonly record: RolloutRecord,
    { form, effect, text, hasUsage, later = NOTHING_LATER }: NewRolloutEntry,
    { id, parent, model, copiedFrom }: EntryPlace,
  ) {
    const [type, role] = TYPES[form];
    this.form = form;
    this.type = type;
    this.role = role;
    this.id = id;
    this.parent = parent;
    this.effect = effect ?? null;
    this.model = model;
    this.text = text ?? null;
    this.copiedFrom = copiedFrom;
    this.lines = [record];
    this.hasUsage = hasUsage ?? false;
    this.later = later;
  }

  get parentId(): string | null {
    return this.parent?.id ?? null;
  }

  get time(): number {
    const { part, time } = this.record;
    return this.form === 'declared' ? Date.parse(String(part.meta['timestamp'])) : time;
  }

  /** Input that Codex adds by itself starts no turn. */
  get isAdded(): boolean {
    return this.form === 'added';
  }

  /** Gives an answer its count. */
  addCount(count: RolloutRecord): void {
    this.lines.push(count);
    this.hasUsage = true;
  }

  /** Gives an answer or a usage the tokens by which the totals grew between two counts, without those of the later one. */
  deriveUsage(earlier: RolloutRecord, later: RolloutRecord): void {
    this.form = this.form === 'answer' ? 'interrupted' : 'derived';
    this.lines.push(earlier, later);
    this.hasUsage = true;
  }

  build(values: readonly JsonObject[]): JsonObject {
    const { form, type, id, parentId, time, later } = this;
    const provider = asString(this.record.part.meta['model_provider']) ?? 'openai';
    const details = { form, provider, model: this.model ?? 'unknown', text: this.text ?? '', time, later };
    return { type, id, parentId, timestamp: formatTime(time) ?? undefined, ...buildEntryFields(details, values) };
  }
}

/** The numbers of aborted results come after those of all entries. */
const ABORTED = 2 ** 31;

/** Looks up the id of the session of a record, and the thread from which it was copied. */
export interface RecordOrigins {
  sessionIdOf(record: RolloutRecord): string;
  findOrigin(record: RolloutRecord): string | null;
}

/** The entries of a rollout, each of them the child of the leaf before it. */
export class RolloutChain {
  readonly entries: RolloutEntry[] = [];
  /** The newest entry that was not dropped; null before the first one. */
  leaf: RolloutEntry | null = null;
  /** The model in force. */
  model: string | null = null;
  /** The number of entries that have one. */
  private numbered = 0;
  /** The first turn of the user on the path to the leaf. */
  private firstTurn: RolloutEntry | null = null;

  constructor(private readonly origins: RecordOrigins) {}

  /** Adds an entry after the leaf, and makes it the leaf. */
  add(record: RolloutRecord, added: NewRolloutEntry): RolloutEntry {
    if (added.form !== 'aborted') this.numbered += 1;
    // An entry of a file before has the id that it has there.
    const number = added.form === 'aborted' ? ABORTED + record.index : this.numbered;
    const entry = new RolloutEntry(record, added, {
      id: buildLineId(this.origins.sessionIdOf(record), number),
      parent: this.leaf,
      model: this.model,
      copiedFrom: this.origins.findOrigin(record),
    });
    if (added.form === 'summarised') entry.lines.push(...this.listUserRecords());
    this.entries.push(entry);
    this.leaf = entry;
    if (added.effect === 'turn') this.firstTurn ??= entry;
    return entry;
  }

  /** Adds the result of a call that was aborted: the rollout has none, so it takes no number from the entries after it. */
  abort(call: RolloutRecord, tool: string | null): void {
    this.add(call, { form: 'aborted', effect: 'item', text: tool });
  }

  /** Goes back before the newest turns and their context. */
  dropTurns(turns: number): void {
    const { firstTurn } = this;
    if (firstTurn === null) return;
    let start: RolloutEntry = this.leaf ?? firstTurn;
    for (let left = turns; start !== firstTurn; start = start.parent ?? firstTurn) {
      if (start.effect === 'turn') left -= 1;
      if (left === 0) break;
    }
    if (start === firstTurn) this.firstTurn = null;
    else start = this.findContextStart(start);
    this.leaf = start.parent;
  }

  /** The first of the entries directly before a turn that are context of this turn. The first turn has none. */
  private findContextStart(turn: RolloutEntry): RolloutEntry {
    let first = turn;
    for (let entry = turn.parent; entry !== null && entry !== this.firstTurn; entry = entry.parent) {
      if (entry.effect === 'context') first = entry;
      else if (entry.effect !== null) break;
    }
    return first;
  }

  /** The records of all messages of the user since the last compaction that records its history, and its record. */
  private listUserRecords(): readonly RolloutRecord[] {
    const records: RolloutRecord[] = [];
    for (let entry = this.leaf; entry !== null; entry = entry.parent) {
      if (entry.form === 'user' || entry.form === 'replaced') records.push(entry.record);
      if (entry.form === 'replaced') break;
    }
    return records.toReversed();
  }
}
