import { asString, isObject, type JsonObject } from '#base/json.js';
import { KIND, kindOf } from '../../scan/fields.js';
import type { LineTable } from '../../scan/line-table.js';
import type { ForeignLines } from '../define.js';
import { type CounterSlots, LAST, LAYOUT, SLOT, TOTAL, USAGE } from './fields.js';
import { callIdOf, partOf, toolOf } from './items.js';
import { type InputKind, kindOfInput, userTextIn } from './turns.js';

/** The facts of a line that the tree of the session depends on. Models, efforts and calls are numbers of texts. */
export type RolloutRow =
  | { readonly kind: 'meta' }
  | { readonly kind: 'turn'; readonly model: number; readonly effort: number }
  | { readonly kind: 'answer'; readonly call: number; readonly tool: string | null }
  | { readonly kind: 'result'; readonly call: number }
  | { readonly kind: 'input'; readonly input: InputKind; readonly customType: string | null }
  | UsageFacts
  | { readonly kind: 'compacted'; readonly isWhole: boolean }
  | { readonly kind: 'rollback'; readonly turns: number }
  | { readonly kind: 'name' };

/** A count of tokens. The key of a count is that of its repetitions. */
interface UsageFacts {
  readonly kind: 'usage';
  readonly key: string;
  readonly isExact: boolean;
  readonly window: number | null;
}

/** The payload of a line. The first versions wrote items without an envelope. */
export function payloadOf(value: JsonObject | undefined): JsonObject {
  if (value === undefined) return {};
  return isObject(value['payload']) ? value['payload'] : value;
}

/** The first versions wrote the fields of the session without an envelope. */
export function isHeader(value: JsonObject): boolean {
  if (value['type'] === 'session_meta') return isObject(value['payload']);
  return !('type' in value) && typeof value['id'] === 'string' && 'instructions' in value && 'timestamp' in value;
}

/** The rows of a rollout, by the fields of its lines. Only the input is parsed. */
export class Rollout {
  readonly table: LineTable;
  private readonly texts = new Map<number, string>();
  /** Whether the file counts the tokens of each answer, and whether it does so precisely. */
  readonly hasUsage: boolean = false;
  readonly isExact: boolean = false;

  constructor(private readonly lines: ForeignLines) {
    this.table = lines.table(LAYOUT, []);
    for (let line = 0; line < this.table.length && !this.isExact; line += 1) {
      const usage = this.usage(line);
      this.hasUsage ||= usage !== null;
      this.isExact = usage?.isExact ?? false;
    }
  }

  /** The header, and its line; null if there is none. */
  header(): { readonly line: number; readonly value: JsonObject } | null {
    for (let line = 0; line < this.table.length; line += 1) {
      const type = this.table.at(line, SLOT.type);
      if (!this.table.isObject(line) || (type !== 0 && this.text(line, SLOT.type) !== 'session_meta')) continue;
      const value = this.valueAt(line);
      if (isHeader(value)) return { line, value };
    }
    return null;
  }

  /** A count of the tokens of a request; null for all other lines. */
  usage(line: number): UsageFacts | null {
    const type = this.text(line, SLOT.type);
    const isExact = type === 'token_usage_record';
    if (!isExact && type !== 'event_msg') return null;
    const kind = this.text(line, SLOT.kind);
    if (kind === 'token_count') return this.countAt(line);
    if ((!isExact && kind !== 'turn.completed') || !this.counts(line, USAGE)) return null;
    const response = this.table.textAt(line, SLOT.response);
    return { kind: 'usage', key: response === 0 ? this.keyOf(line, USAGE) : `#${response}`, isExact, window: null };
  }

  private countAt(line: number): UsageFacts | null {
    if (!this.counts(line, LAST)) return null;
    const key = this.keyOf(line, kindOf(this.table.at(line, TOTAL.object)) > KIND.null ? TOTAL : LAST);
    const window = this.table.numberAt(line, SLOT.window);
    return { kind: 'usage', key, isExact: false, window: window > 0 && Number.isFinite(window) ? window : null };
  }

  private counts(line: number, { object, input, output }: CounterSlots): boolean {
    const { table } = this;
    if (kindOf(table.at(line, object)) !== KIND.object) return false;
    return table.numberAt(line, input) > 0 || table.numberAt(line, output) > 0;
  }

  private keyOf(line: number, { all }: CounterSlots): string {
    return all.map((slot) => this.table.numberAt(line, slot)).join();
  }

  /** The row of a line; null if it is not part of the context. */
  row(line: number): RolloutRow | null {
    const { table } = this;
    const payload = kindOf(table.at(line, SLOT.payload));
    if (payload !== KIND.object) return payload === 0 && table.isObject(line) ? this.bareItemAt(line) : null;
    switch (this.text(line, SLOT.type)) {
      case 'session_meta':
        return { kind: 'meta' };
      case 'turn_context':
        return { kind: 'turn', model: table.textAt(line, SLOT.model), effort: table.textAt(line, SLOT.effort) };
      case 'response_item':
        return this.itemAt(line);
      case 'inter_agent_communication':
        return { kind: 'input', input: 'turn', customType: 'inter_agent_communication' };
      case 'compacted':
        return { kind: 'compacted', isWhole: kindOf(table.at(line, SLOT.history)) === KIND.list };
      case 'event_msg':
      case 'token_usage_record':
        return this.usage(line) ?? this.eventAt(line);
      default:
        return null;
    }
  }

  private eventAt(line: number): RolloutRow | null {
    const kind = this.text(line, SLOT.kind);
    if (kind === 'thread_name_updated') return { kind: 'name' };
    const turns = kind === 'thread_rolled_back' ? Math.floor(this.table.numberAt(line, SLOT.turns)) : 0;
    return turns >= 1 ? { kind: 'rollback', turns } : null;
  }

  private itemAt(line: number): RolloutRow | null {
    const call = this.table.textAt(line, SLOT.call);
    const [type, role, name] = [SLOT.kind, SLOT.role, SLOT.name].map((slot) => this.text(line, slot));
    return this.factsOfItem({ type, role, name, call_id: call === 0 ? null : '' }, call, () =>
      payloadOf(this.valueAt(line)),
    );
  }

  /** An item without an envelope. */
  private bareItemAt(line: number): RolloutRow | null {
    const value = this.valueAt(line);
    const { type } = value;
    if (type !== 'message' && (partOf(value) === 'input' || type === undefined)) return null;
    return this.factsOfItem(value, this.numberOf(callIdOf(value)), () => value);
  }

  /** `whole`: the item with its content. */
  private factsOfItem(item: JsonObject, call: number, whole: () => JsonObject): RolloutRow | null {
    switch (partOf(item)) {
      case 'answer':
        return { kind: 'answer', call, tool: toolOf(item) };
      case 'result':
        return { kind: 'result', call };
      case 'hidden':
        return null;
      default:
        return factsOfInput(whole());
    }
  }

  private valueAt(line: number): JsonObject {
    return this.lines.valueAt(this.table.span(line));
  }

  private text(line: number, slot: number): string | null {
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

function factsOfInput(item: JsonObject): RolloutRow {
  const customType = userTextIn(item) === null ? customTypeOf(item) : null;
  return { kind: 'input', input: kindOfInput(item), customType };
}

/** Names what Codex adds to the input by itself. */
function customTypeOf({ type, role }: JsonObject): string {
  if (type !== 'message') return asString(type) ?? 'item';
  return role === 'user' ? 'context' : (asString(role) ?? 'message');
}
