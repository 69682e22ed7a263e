import { asString, type JsonObject } from '#base/json.js';
import { FieldLayout, VALUE_KIND, valueKindOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';
import type { AgentLines } from '../define.js';
import {
  callIdOf,
  isRedactedReasoning,
  isRolloutHeader,
  type ItemPart,
  itemPartOf,
  parseIdTime,
  payloadOf,
  toolNameOf,
} from './items.js';

/** The fields that the tree depends on, without the texts of the input. */
const LAYOUT = new FieldLayout({
  type: 'type',
  timestamp: 'timestamp:time',
  payload: 'payload:kind',
  kind: 'payload.type',
  role: 'payload.role',
  call: 'payload.call_id',
  name: 'payload.name',
  turn: 'payload.turn_id',
  model: 'payload.model',
  effort: 'payload.effort',
  turns: 'payload.num_turns:number',
  history: 'payload.replacement_history:kind',
  response: 'payload.response_id',
  info: 'payload.info:kind',
  window: 'payload.info.model_context_window:number',
  ...countersIn('total', 'payload.info.total_token_usage'),
  ...countersIn('last', 'payload.info.last_token_usage'),
  ...countersIn('usage', 'payload.usage'),
});

/** The places of these fields in a record. */
export const ROLLOUT_FIELD = LAYOUT.slot;

/** The counters of a session so far, of its newest request, and of a record of usage. */
type Counters = 'total' | 'last' | 'usage';

type CounterFields<Of extends Counters> = Record<Of | `${Of}.${'input' | 'cached' | 'output' | 'all'}`, string>;

function countersIn<Of extends Counters>(of: Of, path: string): CounterFields<Of> {
  return {
    [of]: `${path}:kind`,
    [`${of}.input`]: `${path}.input_tokens:number`,
    [`${of}.cached`]: `${path}.cached_input_tokens:number`,
    [`${of}.output`]: `${path}.output_tokens:number`,
    [`${of}.all`]: `${path}.total_tokens:number`,
  } as CounterFields<Of>;
}

/** The places of the counters of a request or a session. */
function slotsOf(of: Counters): readonly number[] {
  return [
    ROLLOUT_FIELD[`${of}.input`],
    ROLLOUT_FIELD[`${of}.cached`],
    ROLLOUT_FIELD[`${of}.output`],
    ROLLOUT_FIELD[`${of}.all`],
  ];
}

/** A count of tokens. */
export interface RolloutCount {
  readonly isExact: boolean;
  readonly window: number | null;
}

/** The lines of one file, from `start` on. */
export interface RolloutPart {
  readonly start: number;
  readonly header: { readonly line: number; readonly value: JsonObject } | null;
}

/** An item with its part in the conversation. Calls and tools are numbers of texts. */
export type RolloutItem =
  | { readonly part: 'input'; readonly value: JsonObject }
  | { readonly part: Exclude<ItemPart, 'input'>; readonly call: number; readonly tool: number };

/** The part that items of a type and role have, and the tool that they call: empty if they name it. */
interface ItemForm {
  readonly part: ItemPart;
  readonly tool: string | null;
}

const ABORTABLE: ReadonlySet<string | null> = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);

/** The roles that decide about the part of a message, numbered from 1. */
const ROLES = ['assistant', 'system'];

/** The rows of a rollout, by the fields of its lines. Only the input is parsed. */
export class Rollout {
  readonly table: LineFields;
  private readonly texts = new Map<number, string>();
  private readonly items = new Map<number, ItemForm>();
  /** Whether the file counts the tokens of each answer. */
  readonly hasUsage: boolean = false;
  /** The first line that records the usage of a response: counts after it repeat such records. */
  readonly firstRecord: number;

  constructor(private readonly lines: AgentLines) {
    this.table = lines.table(LAYOUT, ROLES);
    let line = 0;
    for (; line < this.table.length; line += 1) {
      const usage = this.usage(line);
      this.hasUsage ||= usage !== null;
      if (usage?.isExact) break;
    }
    this.firstRecord = line;
  }

  /** Whether a count is of a request, and no repetition of a record. */
  isCounted(line: number, { isExact }: RolloutCount): boolean {
    return isExact || line < this.firstRecord;
  }

  /** The files whose lines it has, each with its header. */
  parts(): readonly RolloutPart[] {
    const { table } = this;
    const starts: number[] = [];
    for (const offset of this.lines.parts) {
      let line = starts.at(-1) ?? 0;
      while (line < table.length && table.offsetOf(line) < offset) line += 1;
      starts.push(line);
    }
    return starts.map((start, at) => ({ start, header: this.headerIn(start, starts[at + 1] ?? table.length) }));
  }

  /** The header among some lines, and its line; null if there is none. */
  private headerIn(start: number, end: number): RolloutPart['header'] {
    for (let line = start; line < end; line += 1) {
      const type = this.table.at(line, ROLLOUT_FIELD.type);
      if (!this.table.isObject(line) || (type !== 0 && this.text(line, ROLLOUT_FIELD.type) !== 'session_meta'))
        continue;
      const value = this.valueAt(line);
      if (isRolloutHeader(value)) return { line, value };
    }
    return null;
  }

  /** The id in the header on a line, with which a copy of another thread begins; null if there is none. */
  threadOfHeader(line: number): string | null {
    if (line >= this.table.length || this.text(line, ROLLOUT_FIELD.type) !== 'session_meta') return null;
    return asString(payloadOf(this.valueAt(line))['id']);
  }

  /**
   * The first line after those that a fork or a spawned agent copied from its origin, whose thread began at `start`: the
   * ids of its own turns are newer. Where turns have no such ids, copied lines with their own times are older. 0 if there
   * is no copy, or if nothing tells.
   */
  endOfCopy(start: number): number {
    return (
      this.endOf(start, (line) => this.timeOfTurn(line)) ?? this.endOf(start, (line) => this.timeOfItem(line)) ?? 0
    );
  }

  /** The end of the older lines among those with a time, if they are the first; null if no line has a time. */
  private endOf(start: number, timeAt: (line: number) => number): number | null {
    let isCopied: boolean | null = null;
    for (let line = 0; line < this.table.length; line += 1) {
      const time = timeAt(line);
      if (Number.isNaN(time)) continue;
      if (time >= start) return isCopied === true ? line : 0;
      isCopied = true;
    }
    return isCopied === null ? null : this.table.length;
  }

  private timeOfTurn(line: number): number {
    return this.isTurn(line) ? parseIdTime(this.text(line, ROLLOUT_FIELD.turn) ?? '') : Number.NaN;
  }

  private timeOfItem(line: number): number {
    return this.text(line, ROLLOUT_FIELD.type) === 'session_meta'
      ? Number.NaN
      : this.table.timeAt(line, ROLLOUT_FIELD.timestamp);
  }

  private isTurn(line: number): boolean {
    const type = this.text(line, ROLLOUT_FIELD.type);
    return type === 'turn_context' || (type === 'event_msg' && this.text(line, ROLLOUT_FIELD.kind) === 'task_started');
  }

  /** A count of the tokens of a request; null for all other lines. */
  usage(line: number): RolloutCount | null {
    const type = this.text(line, ROLLOUT_FIELD.type);
    const isExact = type === 'token_usage_record';
    if (!isExact && type !== 'event_msg') return null;
    const kind = this.text(line, ROLLOUT_FIELD.kind);
    if (kind === 'token_count') return this.countAt(line);
    if ((!isExact && kind !== 'turn.completed') || !this.counts(line, 'usage')) return null;
    return { isExact, window: null };
  }

  /** Whether the totals of the thread grew by more than the tokens of the later of two counts. */
  hasGrownBetween(earlier: number, later: number): boolean {
    const { table } = this;
    const all = slotsOf('total');
    const own = slotsOf('last');
    const growth = all.map((slot, at) => {
      const tokens = table.numberAt(later, slot) - table.numberAt(earlier, slot);
      return tokens - table.numberAt(later, own[at] ?? 0);
    });
    return growth.every((tokens) => tokens >= 0) && growth.some((tokens) => tokens > 0);
  }

  isCompaction(line: number): boolean {
    return this.text(line, ROLLOUT_FIELD.type) === 'compacted';
  }

  /** Whether a compaction records the history after it. */
  hasHistory(line: number): boolean {
    return valueKindOf(this.table.at(line, ROLLOUT_FIELD.history)) === VALUE_KIND.list;
  }

  private countAt(line: number): RolloutCount | null {
    if (!this.counts(line, 'last')) return null;
    const window = this.table.numberAt(line, ROLLOUT_FIELD.window);
    return { isExact: false, window: window > 0 && Number.isFinite(window) ? window : null };
  }

  /**
   * A text that counts of the same request have in common: the id of the response, or the totals of the thread, which
   * only grow. `isUnique`: no other request has it. A count without both resembles that of another request by chance.
   */
  keyOfCount(line: number): { readonly key: string; readonly isUnique: boolean } {
    const { table } = this;
    const response = table.textAt(line, ROLLOUT_FIELD.response);
    if (response !== 0) return { key: `response ${response}`, isUnique: true };
    const isUnique = valueKindOf(table.at(line, ROLLOUT_FIELD.total)) > VALUE_KIND.null;
    const slots = isUnique ? slotsOf('total') : [...slotsOf('last'), ...slotsOf('usage')];
    return { key: slots.map((slot) => table.numberAt(line, slot)).join(' '), isUnique };
  }

  private counts(line: number, of: Counters): boolean {
    const { table } = this;
    if (valueKindOf(table.at(line, ROLLOUT_FIELD[of])) !== VALUE_KIND.object) return false;
    return (
      table.numberAt(line, ROLLOUT_FIELD[`${of}.input`]) > 0 || table.numberAt(line, ROLLOUT_FIELD[`${of}.output`]) > 0
    );
  }

  /** The item of a line, in an envelope or, as the first versions wrote it, without. */
  item(line: number): RolloutItem {
    return this.payloadKind(line) === VALUE_KIND.object ? this.itemInside(line) : this.bareItem(line);
  }

  private itemInside(line: number): RolloutItem {
    const { table } = this;
    const call = table.textAt(line, ROLLOUT_FIELD.call);
    const { part, tool } = this.formAt(line);
    if (part === 'input') return { part, value: payloadOf(this.valueAt(line)) };
    const name = tool === '' ? table.textAt(line, ROLLOUT_FIELD.name) : this.numberOf(tool);
    return { part, call, tool: call === 0 ? 0 : name };
  }

  /** The part of the item in an envelope; null for any other line. */
  partAt(line: number): ItemPart | null {
    if (this.payloadKind(line) !== VALUE_KIND.object || this.text(line, ROLLOUT_FIELD.type) !== 'response_item')
      return null;
    return this.formAt(line).part;
  }

  /** The calls, those that have a result, and the last line with an item of the user, of the client or of the model. */
  pairs(): { readonly made: ReadonlySet<number>; readonly answered: ReadonlySet<number>; readonly last: number } {
    const made = new Set<number>();
    const answered = new Set<number>();
    let last = -1;
    for (let line = 0; line < this.table.length; line += 1) {
      const part = this.partAt(line);
      if (part === 'result') answered.add(this.table.textAt(line, ROLLOUT_FIELD.call));
      else if (part === 'input' || part === 'answer') last = line;
      if (part === 'answer') made.add(this.table.textAt(line, ROLLOUT_FIELD.call));
    }
    return { made, answered, last };
  }

  /**
   * The lines with reasoning whose encrypted original was removed, as in a file that was shared. Such a program removes
   * all or none, so the others are read only if the first or the last one is such a line.
   */
  redactedReasoning(): readonly number[] {
    const lines: number[] = [];
    for (let line = 0; line < this.table.length; line += 1)
      if (this.text(line, ROLLOUT_FIELD.kind) === 'reasoning' && this.partAt(line) === 'answer') lines.push(line);
    const isRedacted = (line: number): boolean => isRedactedReasoning(payloadOf(this.valueAt(line)));
    return [...new Set([...lines.slice(0, 1), ...lines.slice(-1)])].some(isRedacted) ? lines.filter(isRedacted) : [];
  }

  /** Whether an item is a call of a tool for which Codex itself makes a result if it has none. */
  isAbortable(line: number): boolean {
    const isItem =
      this.payloadKind(line) === VALUE_KIND.object && this.text(line, ROLLOUT_FIELD.type) === 'response_item';
    return (
      isItem && this.table.textAt(line, ROLLOUT_FIELD.call) !== 0 && ABORTABLE.has(this.text(line, ROLLOUT_FIELD.kind))
    );
  }

  private formAt(line: number): ItemForm {
    const { table } = this;
    const type = table.textAt(line, ROLLOUT_FIELD.kind);
    const role = table.textAt(line, ROLLOUT_FIELD.role);
    const key = type * (ROLES.length + 1) + (role > ROLES.length ? 0 : role);
    const form = this.items.get(key) ?? this.formOf(type, role);
    this.items.set(key, form);
    return form;
  }

  private formOf(type: number, role: number): ItemForm {
    const item = { type: this.textOf(type), role: this.textOf(role), name: '', call_id: '' };
    return { part: itemPartOf(item), tool: toolNameOf(item) };
  }

  private bareItem(line: number): RolloutItem {
    const value = this.valueAt(line);
    const { type } = value;
    const part = itemPartOf(value);
    if (part !== 'input') return { part, call: this.numberOf(callIdOf(value)), tool: this.numberOf(toolNameOf(value)) };
    return type === 'message' ? { part, value } : { part: 'hidden', call: 0, tool: 0 };
  }

  private valueAt(line: number): JsonObject {
    return this.lines.valueAt(this.table.span(line));
  }

  /** The kind of the payload of a line; 0 if it has none. */
  payloadKind(line: number): number {
    return valueKindOf(this.table.at(line, ROLLOUT_FIELD.payload));
  }

  text(line: number, slot: number): string | null {
    return this.textOf(this.table.textAt(line, slot));
  }

  /** The text of a number of which files have few, such as that of a type; null for 0. */
  textOf(number: number): string | null {
    if (number === 0) return null;
    const known = this.texts.get(number) ?? this.table.text(number);
    this.texts.set(number, known);
    return known;
  }

  /** The number of a text, 0 for none. */
  numberOf(text: string | null): number {
    return text === null ? 0 : this.table.intern(text);
  }
}
