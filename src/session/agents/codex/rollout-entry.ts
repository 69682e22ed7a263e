import { asString, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import type { AgentEntry } from '../define.js';
import { buildEntryFields } from './entry-fields.js';
import { type CodexEntryForm, ENTRY_FORMS } from './entry-forms.js';
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

const NOTHING_LATER: LaterItems = { answers: () => false, goOn: () => false };

/** The place of an entry in a chain. */
interface EntryPlace {
  readonly id: string;
  readonly parent: RolloutEntry | null;
  /** The model in force. */
  readonly model: string | null;
  /** The thread from which the entry was copied. */
  readonly copiedFrom: string | null;
}

/** An entry of a rollout, built from the lines of its records. The first record locates it. */
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
    this.form = form;
    this.type = ENTRY_FORMS[form].type;
    this.role = ENTRY_FORMS[form].role;
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

  /**
   * Gives an answer or a usage the tokens by which the totals grew from one count to a later one. The tokens of the
   * later count itself are not included.
   */
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
