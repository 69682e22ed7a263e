import { asString, isObject, type JsonObject } from '#base/json.js';
import { timeOf } from '#base/time.js';
import type { LineSpan } from '../../scan/bytes.js';
import { spanOf } from '../../scan/scan.js';
import type { ForeignLine } from '../define.js';
import { callIdOf, partOf, toolOf } from './items.js';
import { type InputKind, kindOfInput, userTextIn } from './turns.js';
import { countersIn, countKey, windowIn } from './usage.js';

/** A line of a rollout without its content: what the tree of the session depends on. */
export type RolloutRow = { readonly span: LineSpan; readonly time: number } & RowFacts;

type RowFacts =
  | { readonly kind: 'meta' }
  | { readonly kind: 'turn'; readonly model: string | null; readonly effort: string | null }
  | { readonly kind: 'answer'; readonly callId: string | null; readonly tool: string | null }
  | { readonly kind: 'result'; readonly callId: string | null }
  | { readonly kind: 'input'; readonly input: InputKind; readonly customType: string | null; readonly isUser: boolean }
  | { readonly kind: 'usage'; readonly key: string; readonly isExact: boolean; readonly window: number | null }
  | { readonly kind: 'compacted'; readonly isWhole: boolean }
  | { readonly kind: 'rollback'; readonly turns: number }
  | { readonly kind: 'name' }
  | { readonly kind: 'unused' };

export function rowOf(line: ForeignLine): RolloutRow {
  return { span: spanOf(line), time: timeOf(line.value['timestamp'] ?? Number.NaN), ...factsOf(line.value) };
}

/** The payload of a line. The first versions wrote items without an envelope. */
export function payloadOf(value: JsonObject | undefined): JsonObject {
  if (value === undefined) return {};
  return isObject(value['payload']) ? value['payload'] : value;
}

const UNUSED: RowFacts = { kind: 'unused' };

function factsOf(value: JsonObject): RowFacts {
  const payload = payloadOf(value);
  switch (value['type']) {
    case 'session_meta':
      return { kind: 'meta' };
    case 'turn_context':
      return { kind: 'turn', model: asString(payload['model']), effort: asString(payload['effort']) };
    case 'response_item':
      return isObject(value['payload']) ? factsOfItem(payload) : UNUSED;
    case 'inter_agent_communication':
      return { kind: 'input', input: 'turn', customType: 'inter_agent_communication', isUser: false };
    case 'compacted':
      return { kind: 'compacted', isWhole: Array.isArray(payload['replacement_history']) };
    case 'event_msg':
      return factsOfEvent(payload);
    case 'token_usage_record':
      return countersIn(payload) === null
        ? UNUSED
        : { kind: 'usage', key: countKey(payload), isExact: true, window: null };
    default:
      return isBareItem(value) ? factsOfItem(value) : UNUSED;
  }
}

/** Whether a line is an item without an envelope. */
function isBareItem(value: JsonObject): boolean {
  const { type } = value;
  return !('payload' in value) && (type === 'message' || (partOf(value) !== 'input' && type !== undefined));
}

function factsOfItem(item: JsonObject): RowFacts {
  switch (partOf(item)) {
    case 'answer':
      return { kind: 'answer', callId: callIdOf(item), tool: toolOf(item) };
    case 'result':
      return { kind: 'result', callId: callIdOf(item) };
    case 'hidden':
      return UNUSED;
    default: {
      const isUser = userTextIn(item) !== null;
      return { kind: 'input', input: kindOfInput(item), customType: isUser ? null : customTypeOf(item), isUser };
    }
  }
}

/** Names what Codex adds to the input by itself. */
function customTypeOf({ type, role }: JsonObject): string {
  if (type !== 'message') return asString(type) ?? 'item';
  return role === 'user' ? 'context' : (asString(role) ?? 'message');
}

function factsOfEvent(event: JsonObject): RowFacts {
  const { type, num_turns: turns } = event;
  if (type === 'token_count' || type === 'turn.completed')
    return countersIn(event) === null
      ? UNUSED
      : { kind: 'usage', key: countKey(event), isExact: false, window: windowIn(event) };
  if (type === 'thread_name_updated') return { kind: 'name' };
  if (type !== 'thread_rolled_back' || typeof turns !== 'number' || !(turns >= 1)) return UNUSED;
  return { kind: 'rollback', turns: Math.floor(turns) };
}
