import { asString, isObject, type JsonObject } from '#base/json.js';
import {
  callIdOf,
  classifyInput,
  findCustomType,
  type InputKind,
  isRedactedReasoning,
  type ItemPart,
  itemPartOf,
  toolNameOf,
} from './items.js';
import { isRolloutHeader, payloadOf } from './record-payload.js';
import { parseIdTime } from './threads.js';

/** The part of a record that the tree of entries depends on. */
export type RolloutContent =
  | { readonly kind: 'header'; readonly meta: JsonObject }
  | RolloutItem
  | RequestCount
  | TokenEstimate
  | TurnContext
  | { readonly kind: 'turn started'; readonly start: number }
  | { readonly kind: 'compacted'; readonly hasHistory: boolean }
  | { readonly kind: 'rolled back'; readonly turns: number }
  | { readonly kind: 'agent message' | 'turn aborted' | 'thread named' | 'other' };

/** The model and its effort from a turn on. */
export interface TurnContext {
  readonly kind: 'turn context';
  readonly model: string | null;
  readonly effort: string | null;
  /** When the turn began, in milliseconds since 1970; NaN if unknown. */
  readonly start: number;
}

/** An item of the Responses API. */
export interface RolloutItem {
  readonly kind: 'item';
  /** The first versions wrote items without an envelope. */
  readonly isBare: boolean;
  readonly type: string | null;
  readonly part: ItemPart;
  /** The id that joins a call and its result. */
  readonly call: string | null;
  /** The name of the tool that it calls. */
  readonly tool: string | null;
  /** The kind of an item of the input; null for all others. */
  readonly input: RolloutInput | null;
  /** Whether it is reasoning whose encrypted original was removed. */
  readonly isRedacted: boolean;
}

export interface RolloutInput {
  readonly effect: InputKind;
  /** Names what Codex added by itself. */
  readonly customType: string | null;
}

/** A count of the tokens of a request. */
export interface RequestCount {
  readonly kind: 'count';
  /** Whether it is the record of a response, which later counts repeat. */
  readonly isExact: boolean;
  /** The context window, if the count has one. */
  readonly window: number | null;
  /** The id of the response. */
  readonly response: string | null;
  /** The tokens of the thread so far. */
  readonly total: TokenCounters | null;
  /** The tokens of the newest request. */
  readonly last: TokenCounters | null;
  /** The tokens of a response. */
  readonly usage: TokenCounters | null;
}

/** An estimate of the context, which Codex writes instead of a count, such as after a compaction. */
interface TokenEstimate {
  readonly kind: 'estimate';
  /** The context window, if it has one. */
  readonly window: number | null;
}

/** Numbers of tokens; NaN for one that is not recorded. */
export interface TokenCounters {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly all: number;
}

export function readContent(value: JsonObject): RolloutContent {
  if (isRolloutHeader(value)) return { kind: 'header', meta: readMeta(value) };
  const { type, payload } = value;
  if (payload === undefined) return readItem(value, true);
  if (!isObject(payload)) return OTHER;
  switch (type) {
    case 'turn_context':
      return {
        kind: 'turn context',
        model: asString(payload['model']),
        effort: asString(payload['effort']),
        start: readTurnStart(payload),
      };
    case 'response_item':
      return readItem(payload, false);
    case 'inter_agent_communication':
      return { kind: 'agent message' };
    case 'compacted':
      return { kind: 'compacted', hasHistory: Array.isArray(payload['replacement_history']) };
    case 'event_msg':
      return readEvent(payload);
    case 'token_usage_record':
      return readCount(payload, true);
    default:
      return OTHER;
  }
}

/** The fields without long texts. */
function readMeta(value: JsonObject): JsonObject {
  const { instructions: _, ...fields } = payloadOf(value);
  return { timestamp: value['timestamp'], ...fields };
}

function readItem(item: JsonObject, isBare: boolean): RolloutItem {
  const part = itemPartOf(item);
  const type = asString(item['type']);
  return {
    kind: 'item',
    isBare,
    type,
    // Only messages are known as bare input.
    part: isBare && part === 'input' && type !== 'message' ? 'hidden' : part,
    call: callIdOf(item),
    tool: toolNameOf(item),
    input: part === 'input' ? { effect: classifyInput(item), customType: findCustomType(item) } : null,
    isRedacted: isRedactedReasoning(item),
  };
}

function readEvent(payload: JsonObject): RolloutContent {
  switch (payload['type']) {
    case 'token_count':
    case 'turn.completed':
      return readCount(payload, false);
    case 'task_started':
      return { kind: 'turn started', start: readTurnStart(payload) };
    case 'turn_aborted':
      return { kind: 'turn aborted' };
    case 'thread_name_updated':
      return { kind: 'thread named' };
    case 'thread_rolled_back':
      return { kind: 'rolled back', turns: Math.floor(toNumber(payload['num_turns'])) };
    default:
      return OTHER;
  }
}

/** The time that the id of a turn begins with; NaN for an id without one. */
function readTurnStart(payload: JsonObject): number {
  return parseIdTime(asString(payload['turn_id']) ?? '');
}

/** A count of the tokens of a request, or an estimate, which has zeros beside its sum. */
function readCount({ type, info, usage, response_id: response }: JsonObject, isExact: boolean): RolloutContent {
  const fields = isObject(info) ? info : {};
  const window = toNumber(fields['model_context_window']);
  const count: RequestCount = {
    kind: 'count',
    isExact: isExact && type !== 'token_count',
    window: type === 'token_count' && window > 0 && Number.isFinite(window) ? window : null,
    response: asString(response),
    total: toCounters(fields['total_token_usage']),
    last: toCounters(fields['last_token_usage']),
    usage: toCounters(usage),
  };
  const counters = type === 'token_count' ? count.last : count.usage;
  if (counters && (counters.input > 0 || counters.output > 0)) return count;
  return counters && counters.all > 0 ? { kind: 'estimate', window: count.window } : OTHER;
}

function toCounters(value: unknown): TokenCounters | null {
  if (value === undefined || value === null) return null;
  const counters = isObject(value) ? value : {};
  return {
    input: toNumber(counters['input_tokens']),
    cached: toNumber(counters['cached_input_tokens']),
    output: toNumber(counters['output_tokens']),
    all: toNumber(counters['total_tokens']),
  };
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

const OTHER: RolloutContent = { kind: 'other' };

/** The count of a record, or its estimate; null for a record with neither. */
export function countOf(value: JsonObject): RequestCount | TokenEstimate | null {
  const content = readContent(value);
  return content.kind === 'count' || content.kind === 'estimate' ? content : null;
}
