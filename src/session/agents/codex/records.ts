import { asString, isObject, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import type { AgentLines } from '../define.js';
import {
  callIdOf,
  classifyInput,
  findCustomType,
  type InputKind,
  isRedactedReasoning,
  isRolloutHeader,
  type ItemPart,
  itemPartOf,
  parseIdTime,
  payloadOf,
  toolNameOf,
} from './items.js';

/** A line of a rollout, without its texts: what the tree of entries depends on. */
export interface RolloutRecord extends LineSpan {
  /** Its number from 0: that of its line, unless a damaged line before it has several objects. */
  readonly index: number;
  readonly part: RolloutPart;
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  readonly content: RolloutContent;
}

/** One of the files whose lines a rollout has: itself, after those that it continues. */
export interface RolloutPart {
  readonly isFirst: boolean;
  /** The record with its header; null if it has none. */
  header: RolloutRecord | null;
  /** The fields of its header, without long texts; none if it has none. */
  meta: JsonObject;
}

type RolloutContent =
  | { readonly kind: 'header'; readonly meta: JsonObject }
  | RolloutItem
  | RequestCount
  | TokenEstimate
  | {
      readonly kind: 'turn context';
      readonly model: string | null;
      readonly effort: string | null;
      readonly start: number;
    }
  | { readonly kind: 'turn started'; readonly start: number }
  | { readonly kind: 'compacted'; readonly hasHistory: boolean }
  | { readonly kind: 'rolled back'; readonly turns: number }
  | { readonly kind: 'agent message' | 'turn aborted' | 'thread named' | 'other' };

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

/** Input, cached input, output, and all tokens; NaN for one that is not recorded. */
export type TokenCounters = readonly [input: number, cached: number, output: number, all: number];

/** Reads all lines of a rollout, and the files that they are from, the oldest first. */
export function readRecords(lines: AgentLines): {
  readonly records: readonly RolloutRecord[];
  readonly parts: readonly [RolloutPart, ...RolloutPart[]];
} {
  const first: RolloutPart = { isFirst: true, header: null, meta: {} };
  const parts: [RolloutPart, ...RolloutPart[]] = [first];
  const records: RolloutRecord[] = [];
  let part = first;
  let additional = 0;
  for (const line of lines) {
    while (line.offset >= (lines.parts[parts.length] ?? Infinity)) {
      part = { isFirst: false, header: null, meta: {} };
      parts.push(part);
    }
    if (records.at(-1)?.line === line.line) additional += 1;
    const { timestamp } = line.value;
    const record: RolloutRecord = {
      line: line.line,
      offset: line.offset,
      length: line.length,
      index: line.line - 1 + additional,
      part,
      time: typeof timestamp === 'string' ? parseTimestamp(timestamp) : Number.NaN,
      content: readContent(line.value),
    };
    if (record.content.kind === 'header' && part.header === null) {
      part.header = record;
      part.meta = record.content.meta;
    }
    records.push(record);
  }
  while (parts.length < lines.parts.length) parts.push({ isFirst: false, header: null, meta: {} });
  return { records, parts };
}

/** The count of a record, or its estimate; null for a record with neither. */
export function countOf(value: JsonObject): RequestCount | TokenEstimate | null {
  const content = readContent(value);
  return content.kind === 'count' || content.kind === 'estimate' ? content : null;
}

const OTHER: RolloutContent = { kind: 'other' };

function readContent(value: JsonObject): RolloutContent {
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
  if (counters && (counters[0] > 0 || counters[2] > 0)) return count;
  return counters && counters[3] > 0 ? { kind: 'estimate', window: count.window } : OTHER;
}

function toCounters(value: unknown): TokenCounters | null {
  if (value === undefined || value === null) return null;
  const counters = isObject(value) ? value : {};
  return [
    toNumber(counters['input_tokens']),
    toNumber(counters['cached_input_tokens']),
    toNumber(counters['output_tokens']),
    toNumber(counters['total_tokens']),
  ];
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
