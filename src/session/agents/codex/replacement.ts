import { Buffer } from 'node:buffer';
import { asObject, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { textBlock, tokensIn } from '../define.js';
import {
  blocksOfAnswer,
  callIdOf,
  contentOfInput,
  contentOfResult,
  isFailure,
  partOf,
  sentRoleOf,
  toolOf,
  userTextIn,
} from './items.js';

/** The model of answers, and the time in milliseconds since 1970. */
export interface AnswerFacts {
  readonly provider: string;
  readonly model: string;
  readonly time: number;
}

/** An answer without its usage. */
export function answerMessage(items: readonly JsonObject[], { provider, model, time }: AnswerFacts): JsonObject {
  const stopReason = items.some((item) => toolOf(item) !== null) ? 'toolUse' : 'stop';
  const content = items.flatMap(blocksOfAnswer);
  return { role: 'assistant', content, api: 'openai-responses', provider, model, stopReason, timestamp: time };
}

/** `tool`: the name in the call. */
export function resultMessage(item: JsonObject, tool: string, time: number): JsonObject {
  const toolCallId = callIdOf(item) ?? '';
  const content = contentOfResult(item);
  return { role: 'toolResult', toolCallId, toolName: tool, content, isError: isFailure(item), timestamp: time };
}

/** The messages of a list of items: consecutive items of the model are one answer. */
export function messagesOf(items: readonly JsonObject[], facts: AnswerFacts): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const tools = new Map<string | null, string>();
  let answer: JsonObject[] = [];
  const endAnswer = (): void => {
    if (answer.length > 0) messages.push(answerMessage(answer, facts));
    answer = [];
  };
  for (const item of items) {
    const part = partOf(item);
    if (part === 'hidden') continue;
    if (part === 'answer') {
      answer.push(item);
      tools.set(callIdOf(item), toolOf(item) ?? '');
      continue;
    }
    endAnswer();
    if (part === 'result') messages.push(resultMessage(item, tools.get(callIdOf(item)) ?? '', facts.time));
    else messages.push({ role: 'user', content: contentOfInput(item), timestamp: facts.time, ...sentRoleOf(item) });
  }
  endAnswer();
  return messages;
}

/** The history that a `compacted` line records. */
export function replacementIn(compacted: JsonObject): readonly JsonObject[] {
  return objectsIn(compacted['replacement_history']);
}

const MOST_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;

/**
 * The history after a compaction that records only its summary: the newest messages of the user, up to 20,000 tokens,
 * and the summary. `sources`: the payloads of all of them, and of the last compaction that records its history.
 */
export function summarisedItems(compacted: JsonObject, sources: readonly JsonObject[]): readonly JsonObject[] {
  const items = sources.flatMap((source) => ('replacement_history' in source ? replacementIn(source) : [source]));
  const summary = asString(compacted['message']) || '(no summary available)';
  return [...newest(items.flatMap((item) => userTextIn(item) ?? [])), summary].map(userItem);
}

function newest(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let left = MOST_TOKENS;
  for (const text of texts.toReversed()) {
    if (left <= 0) break;
    const tokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    kept.unshift(tokens <= left ? text : withoutMiddle(text, left, tokens));
    left = tokens <= left ? left - tokens : 0;
  }
  return kept;
}

function withoutMiddle(text: string, most: number, tokens: number): string {
  const bytes = Buffer.from(text);
  const half = (most * BYTES_PER_TOKEN) / 2;
  const [start, end] = [bytes.subarray(0, half), bytes.subarray(bytes.length - half)].map(String);
  return `${start}…${tokens - most} tokens truncated…${end}`;
}

function userItem(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [textBlock(text)] };
}

/** The tools that a session declares by itself; built-in ones are not recorded. */
export function dynamicTools(declared: unknown): readonly JsonObject[] {
  const all = isObject(declared) ? [declared] : objectsIn(declared);
  return all.flatMap((tool) => {
    const inside = objectsIn(tool['tools']);
    return (inside.length > 0 ? inside : [tool]).flatMap(toolDefinition);
  });
}

function toolDefinition(tool: JsonObject): readonly JsonObject[] {
  const { name, description, parameters, inputSchema, input_schema: schema } = tool;
  if (typeof name !== 'string') return [];
  const given = [parameters, inputSchema, schema].find(isObject);
  const text = asString(description);
  return [{ name, ...(text === null ? {} : { description: text }), ...(given ? { parameters: given } : {}) }];
}

/** The counters of one request in the payload of a line; null if it records none. */
export function countersIn({ type, usage, info }: JsonObject): JsonObject | null {
  const counters = type === 'token_count' ? isObject(info) && info['last_token_usage'] : usage;
  if (!isObject(counters)) return null;
  return tokensIn(counters['input_tokens']) + tokensIn(counters['output_tokens']) > 0 ? counters : null;
}

/** The usage between two counts of the totals of a thread that the later count does not have. */
export function derivedUsage([earlier = {}, later = {}]: readonly JsonObject[]): JsonObject {
  const [before, after] = [earlier, later].map((count) => asObject(asObject(count['info'])['total_token_usage']));
  const own = countersIn(later) ?? {};
  const counters = Object.keys(own).map((name): [string, number] => {
    const grown = tokensIn(after?.[name]) - tokensIn(before?.[name]);
    return [name, Math.max(0, grown - tokensIn(own[name]))];
  });
  return { ...usageOf(Object.fromEntries(counters)), derived: true };
}

/** The usage in Pi's terms: what was read from the cache is part of the input of Codex, and not of Pi's. */
export function usageOf(counters: JsonObject): JsonObject {
  const [input, output] = [tokensIn(counters['input_tokens']), tokensIn(counters['output_tokens'])];
  const cacheRead = tokensIn(counters['cached_input_tokens']);
  const cacheWrite = tokensIn(counters['cache_write_input_tokens']);
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: tokensIn(counters['reasoning_output_tokens']),
    totalTokens: input + output,
    cost: {},
  };
}
