import { Buffer } from 'node:buffer';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { toTextBlock, toTokens } from '../blocks.js';
import {
  callIdOf,
  isFailure,
  itemPartOf,
  readUserText,
  toAnswerBlocks,
  toInputContent,
  toolNameOf,
  toResultContent,
  toSentRole,
} from './items.js';

/** The model of answers, and the time in milliseconds since 1970. */
export interface AnswerOrigin {
  readonly provider: string;
  readonly model: string;
  readonly time: number;
}

/** An answer without its usage. */
export function buildCodexAnswer(items: readonly JsonObject[], { provider, model, time }: AnswerOrigin): JsonObject {
  const stopReason = items.some((item) => toolNameOf(item) !== null) ? 'toolUse' : 'stop';
  const content = items.flatMap(toAnswerBlocks);
  return { role: 'assistant', content, api: 'openai-responses', provider, model, stopReason, timestamp: time };
}

/** `tool`: the name in the call. */
export function buildCodexResult(item: JsonObject, tool: string, time: number): JsonObject {
  const toolCallId = callIdOf(item) ?? '';
  const content = toResultContent(item);
  return { role: 'toolResult', toolCallId, toolName: tool, content, isError: isFailure(item), timestamp: time };
}

/** The messages of a list of items: consecutive items of the model are one answer. */
export function toCodexMessages(items: readonly JsonObject[], facts: AnswerOrigin): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const tools = new Map<string | null, string>();
  let answer: JsonObject[] = [];
  const endAnswer = (): void => {
    if (answer.length > 0) messages.push(buildCodexAnswer(answer, facts));
    answer = [];
  };
  for (const item of items) {
    const part = itemPartOf(item);
    if (part === 'hidden') continue;
    if (part === 'answer') {
      answer.push(item);
      tools.set(callIdOf(item), toolNameOf(item) ?? '');
      continue;
    }
    endAnswer();
    if (part === 'result') messages.push(buildCodexResult(item, tools.get(callIdOf(item)) ?? '', facts.time));
    else messages.push({ role: 'user', content: toInputContent(item), timestamp: facts.time, ...toSentRole(item) });
  }
  endAnswer();
  return messages;
}

/** The history that a `compacted` line records. */
export function listReplacement(compacted: JsonObject): readonly JsonObject[] {
  return listObjects(compacted['replacement_history']);
}

const MOST_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;

/**
 * The history after a compaction that records only its summary: the newest messages of the user, up to 20,000 tokens,
 * and the summary. `sources`: the payloads of all of them, and of the last compaction that records its history.
 */
export function buildSummarisedItems(compacted: JsonObject, sources: readonly JsonObject[]): readonly JsonObject[] {
  const items = sources.flatMap((source) => ('replacement_history' in source ? listReplacement(source) : [source]));
  const summary = asString(compacted['message']) || '(no summary available)';
  return [...takeNewest(items.flatMap((item) => readUserText(item) ?? [])), summary].map(buildUserItem);
}

function takeNewest(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let left = MOST_TOKENS;
  for (const text of texts.toReversed()) {
    if (left <= 0) break;
    const tokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    kept.unshift(tokens <= left ? text : cutMiddle(text, left, tokens));
    left = tokens <= left ? left - tokens : 0;
  }
  return kept;
}

function cutMiddle(text: string, most: number, tokens: number): string {
  const bytes = Buffer.from(text);
  const half = (most * BYTES_PER_TOKEN) / 2;
  const start = bytes.subarray(0, half).toString();
  const end = bytes.subarray(bytes.length - half).toString();
  return `${start}…${tokens - most} tokens truncated…${end}`;
}

function buildUserItem(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [toTextBlock(text)] };
}

/** The tools that a session declares by itself; built-in ones are not recorded. */
export function listDynamicTools(declared: unknown): readonly JsonObject[] {
  const all = isObject(declared) ? [declared] : listObjects(declared);
  return all.flatMap((tool) => {
    const inside = listObjects(tool['tools']);
    return (inside.length > 0 ? inside : [tool]).flatMap(toToolDefinitions);
  });
}

function toToolDefinitions(tool: JsonObject): readonly JsonObject[] {
  const { name, description, parameters, inputSchema, input_schema: schema } = tool;
  if (typeof name !== 'string') return [];
  const given = [parameters, inputSchema, schema].find(isObject);
  const text = asString(description);
  return [{ name, ...(text === null ? {} : { description: text }), ...(given ? { parameters: given } : {}) }];
}

/** The counters of one request in the payload of a line; null if it records none. */
export function findCounters({ type, usage, info }: JsonObject): JsonObject | null {
  const counters = type === 'token_count' ? isObject(info) && info['last_token_usage'] : usage;
  if (!isObject(counters)) return null;
  return toTokens(counters['input_tokens']) + toTokens(counters['output_tokens']) > 0 ? counters : null;
}

/** The usage between two counts of the totals of a thread that the later count does not have. */
export function deriveUsage([earlier = {}, later = {}]: readonly JsonObject[]): JsonObject {
  const before = readTotals(earlier);
  const after = readTotals(later);
  const own = findCounters(later) ?? {};
  const counters = Object.keys(own).map((name): [string, number] => {
    const grown = toTokens(after[name]) - toTokens(before[name]);
    return [name, Math.max(0, grown - toTokens(own[name]))];
  });
  return { ...toCodexUsage(Object.fromEntries(counters)), derived: true };
}

function readTotals(count: JsonObject): JsonObject {
  return asObject(asObject(count['info'])['total_token_usage']);
}

/** The usage in Pi's terms: what was read from the cache is part of the input of Codex, and not of Pi's. */
export function toCodexUsage(counters: JsonObject): JsonObject {
  const input = toTokens(counters['input_tokens']);
  const output = toTokens(counters['output_tokens']);
  const cacheRead = toTokens(counters['cached_input_tokens']);
  const cacheWrite = toTokens(counters['cache_write_input_tokens']);
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: toTokens(counters['reasoning_output_tokens']),
    totalTokens: input + output,
    cost: {},
  };
}
