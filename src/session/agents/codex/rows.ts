import { asString, isObject, type JsonObject } from '#base/json.js';
import { KIND, kindOf } from '../../scan/fields.js';
import type { LineTable } from '../../scan/line-table.js';
import type { ForeignLines } from '../define.js';
import { type CounterSlots, LAST, LAYOUT, SLOT, TOTAL, USAGE } from './fields.js';
import { callIdOf, type InputKind, type ItemPart, kindOfInput, partOf, toolOf, userTextIn } from './items.js';

/** The facts of a line that the tree of the session depends on. Models, efforts, calls and tools are numbers of texts. */
export type RolloutRow =
  | { readonly kind: 'meta' }
  | { readonly kind: 'turn'; readonly model: number; readonly effort: number }
  | { readonly kind: 'answer'; readonly call: number; readonly tool: number }
  | { readonly kind: 'result'; readonly call: number }
  | { readonly kind: 'input'; readonly input: InputKind; readonly customType: string | null }
  | UsageFacts
  | { readonly kind: 'compacted'; readonly isWhole: boolean }
  | { readonly kind: 'rollback'; readonly turns: number }
  | { readonly kind: 'name' };

/** A count of tokens. */
interface UsageFacts {
  readonly kind: 'usage';
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

/** The part that items of a type and role have, and the tool that they call: empty if they name it. */
interface ItemForm {
  readonly part: ItemPart;
  readonly tool: string | null;
}

/** The roles that decide about the part of a message, numbered from 1. */
const ROLES = ['assistant', 'system'];

/** The rows of a rollout, by the fields of its lines. Only the input is parsed. */
export class Rollout {
  readonly table: LineTable;
  private readonly texts = new Map<number, string>();
  private readonly items = new Map<number, ItemForm>();
  /** Whether the file counts the tokens of each answer, and whether it does so precisely. */
  readonly hasUsage: boolean = false;
  readonly isExact: boolean = false;

  constructor(private readonly lines: ForeignLines) {
    this.table = lines.table(LAYOUT, ROLES);
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
    return { kind: 'usage', isExact, window: null };
  }

  private countAt(line: number): UsageFacts | null {
    if (!this.counts(line, LAST)) return null;
    const window = this.table.numberAt(line, SLOT.window);
    return { kind: 'usage', isExact: false, window: window > 0 && Number.isFinite(window) ? window : null };
  }

  /** Whether a count repeats another one: of the same response, or with the same totals. */
  isRepeated(line: number, other: number): boolean {
    const { table } = this;
    const [response, earlier] = [line, other].map((each) => table.textAt(each, SLOT.response));
    if (response !== 0 || earlier !== 0) return response === earlier;
    const hasTotal = kindOf(table.at(line, TOTAL.object)) > KIND.null;
    return (hasTotal ? TOTAL.all : [...LAST.all, ...USAGE.all]).every((slot) =>
      Object.is(table.numberAt(line, slot), table.numberAt(other, slot)),
    );
  }

  private counts(line: number, { object, input, output }: CounterSlots): boolean {
    const { table } = this;
    if (kindOf(table.at(line, object)) !== KIND.object) return false;
    return table.numberAt(line, input) > 0 || table.numberAt(line, output) > 0;
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
    const { table } = this;
    const [type, role] = [table.textAt(line, SLOT.kind), table.textAt(line, SLOT.role)];
    const call = table.textAt(line, SLOT.call);
    const key = type * (ROLES.length + 1) + (role > ROLES.length ? 0 : role);
    const item = this.items.get(key) ?? this.formOf(type, role);
    this.items.set(key, item);
    if (item.part === 'input') return factsOfInput(payloadOf(this.valueAt(line)));
    if (item.part === 'answer') {
      const tool = item.tool === '' ? table.textAt(line, SLOT.name) : this.numberOf(item.tool);
      return { kind: 'answer', call, tool: call === 0 ? 0 : tool };
    }
    return item.part === 'result' ? { kind: 'result', call } : null;
  }

  private formOf(type: number, role: number): ItemForm {
    const item = { type: this.textOf(type), role: this.textOf(role), name: '', call_id: '' };
    return { part: partOf(item), tool: toolOf(item) };
  }

  /** An item without an envelope. */
  private bareItemAt(line: number): RolloutRow | null {
    const value = this.valueAt(line);
    const { type } = value;
    const part = partOf(value);
    if (type !== 'message' && (part === 'input' || type === undefined)) return null;
    const call = this.numberOf(callIdOf(value));
    if (part === 'input') return factsOfInput(value);
    if (part === 'answer') return { kind: 'answer', call, tool: this.numberOf(toolOf(value)) };
    return part === 'result' ? { kind: 'result', call } : null;
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
