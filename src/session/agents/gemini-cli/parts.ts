import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { inferStopReason, toTextBlock, toTokens } from '../blocks.js';

/** The parts of a content of the Gemini API: a text, a part, or a list of both. */
export function listParts(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (!Array.isArray(content)) return isObject(content) ? [content] : [];
  return content.flatMap((part: unknown) => listParts(part));
}

/** Turns parts into blocks of Pi. `callId`: the id for a call without one. */
export function toGeminiBlocks(parts: readonly JsonObject[], callId: (index: number) => string): readonly JsonObject[] {
  return parts.map((part, index) => toGeminiBlock(part, callId(index)));
}

function toGeminiBlock(part: JsonObject, callId: string): JsonObject {
  const { text, thought, thoughtSignature, functionCall, inlineData } = part;
  if (isObject(functionCall)) return toCallBlock(functionCall, callId);
  if (isObject(inlineData)) return toMediaBlock(inlineData);
  if (typeof text !== 'string') return toTextBlock(JSON.stringify(part));
  if (thought !== true) return toTextBlock(text);
  const signature = typeof thoughtSignature === 'string' ? { thinkingSignature: thoughtSignature } : {};
  return { type: 'thinking', thinking: text, ...signature };
}

function toCallBlock({ id, name, args }: JsonObject, callId: string): JsonObject {
  return { type: 'toolCall', id: asString(id) ?? callId, name: asString(name) ?? '', arguments: asObject(args) };
}

function toMediaBlock({ mimeType, data }: JsonObject): JsonObject {
  const type = asString(mimeType) ?? '';
  return type.startsWith('image/') && typeof data === 'string'
    ? { type: 'image', mimeType: type, data }
    : toTextBlock(`[${type || 'data'}]`);
}

/** The content of a tool result, from the response of the function or from parts of any kind. */
export function toResultBlocks(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.map((part) => {
    const { functionResponse } = part;
    if (!isObject(functionResponse)) return toGeminiBlock(part, '');
    const response = asObject(functionResponse['response']);
    const text = asString(response['output']) ?? asString(response['error']);
    return toTextBlock(text ?? JSON.stringify(response));
  });
}

/** Whether the response of a function is an error. */
export function isErrorResponse(parts: readonly JsonObject[]): boolean {
  return parts.some(({ functionResponse }) => {
    return Boolean(asObject(asObject(functionResponse)['response'])['error']);
  });
}

/** Token counts as Gemini reports them. */
export interface GeminiCounts {
  /** Includes what was read from the cache. */
  readonly prompt: unknown;
  readonly cached: unknown;
  /** The answer without its thoughts. */
  readonly answer: unknown;
  readonly thoughts: unknown;
  readonly total: unknown;
}

/** A usage of Pi; null if nothing was counted. */
export function toGeminiUsage({ prompt, cached, answer, thoughts, total }: GeminiCounts): JsonObject | null {
  const input = toTokens(prompt);
  const output = toTokens(answer) + toTokens(thoughts);
  const reasoning = toTokens(thoughts);
  if (input + output === 0) return null;
  const cacheRead = Math.min(toTokens(cached), input);
  const totalTokens = toTokens(total) || input + output;
  return { input: input - cacheRead, output, cacheRead, cacheWrite: 0, reasoning, totalTokens, cost: {} };
}

/** The answer of a model of Google without its usage. */
export function buildGeminiAnswer(content: readonly JsonObject[], model: string | null, time: number): JsonObject {
  const stopReason = inferStopReason(content);
  const by = { api: 'google-generative-ai', provider: 'google', model: model ?? 'unknown' };
  return { role: 'assistant', content, ...by, stopReason, timestamp: time };
}

/** The thoughts of a record of Gemini CLI as one block. */
function toThoughtBlocks(thoughts: unknown): readonly JsonObject[] {
  const texts = listObjects(thoughts).map(({ subject, description }) =>
    [subject, description].filter((text) => typeof text === 'string' && text !== '').join(': '),
  );
  return texts.length === 0 ? [] : [{ type: 'thinking', thinking: texts.join('\n') }];
}

/** The role of a record; null if it is only shown to the user. */
export function geminiRoleOf({ type }: JsonObject): 'user' | 'assistant' | null {
  if (type === 'user') return 'user';
  return type === 'gemini' || type === 'model' ? 'assistant' : null;
}

/**
 * Whether a record tells the user that the history was compressed. Versions that record the history after it write a
 * list of all messages instead.
 */
export function isCompressionNotice({ type, content }: JsonObject): boolean {
  if (type !== 'info' && type !== 'warning') return false;
  const text = listParts(content).map((part) => asString(part['text']) ?? '');
  const [, from, to] = COMPRESSED.exec(text.join(' ')) ?? [];
  return from !== undefined && to !== undefined && parseCount(to) < parseCount(from);
}

/** `Context compressed from 15% to 1%.`, `… (compressed from: 149000 to 12100 tokens)`. */
const COMPRESSED = /compressed from:? ([\d.,]+)%? to:? ([\d.,]+)/i;

function parseCount(text: string): number {
  return Number(text.replaceAll(',', '').replace(/\.$/, ''));
}

/** Represents the messages that a compression without a record left. */
export function buildUnrecordedSummary(time: number): JsonObject {
  const text =
    '[the client compressed the messages before this one: its summary and the messages that it kept are not recorded]';
  return { role: 'user', content: [toTextBlock(text)], timestamp: time };
}

export function readGeminiTime({ timestamp }: JsonObject): number {
  return parseTimestamp(timestamp ?? Number.NaN);
}

/** Lists the results of calls in a record of the user. Current versions repeat them there. */
export function listResponses(record: JsonObject): readonly JsonObject[] {
  if (geminiRoleOf(record) !== 'user') return [];
  return listContentParts(record).flatMap(({ functionResponse }) => listObjects([functionResponse]));
}

/** Whether a record has content beside the results of calls. */
export function hasOwnMessage(record: JsonObject): boolean {
  const responses = listResponses(record).length;
  return responses === 0 || responses < listContentParts(record).length;
}

/** The id of the call that a response answers. */
export function responseCallIdOf({ id }: JsonObject): string {
  return asString(id) ?? '';
}

export function buildResponse(record: JsonObject, index: number): JsonObject {
  const functionResponse = listResponses(record)[index] ?? {};
  const parts = [{ functionResponse }];
  const toolCallId = responseCallIdOf(functionResponse);
  const toolName = asString(functionResponse['name']) ?? '';
  const timestamp = readGeminiTime(record);
  const content = toResultBlocks(parts);
  const isError = isErrorResponse(parts);
  return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp };
}

function listContentParts(record: JsonObject): readonly JsonObject[] {
  return listParts(record['content'] ?? record['parts']);
}

/** The message of a record, without the results of calls. */
export function buildGeminiMessage(record: JsonObject): JsonObject {
  const isUser = geminiRoleOf(record) === 'user';
  const time = readGeminiTime(record);
  const all = listContentParts(record);
  const parts = isUser ? all.filter(({ functionResponse }) => !isObject(functionResponse)) : all;
  const text = toGeminiBlocks(parts, (index) => callIdAt(record, index));
  if (isUser) return { role: 'user', content: text, timestamp: time };
  const named = new Set(text.map(({ id }) => id));
  const calls = listFunctionCalls(record)
    .map((call, index) => toCallBlock(call, callIdAt(record, index)))
    .filter(({ id }) => !named.has(id));
  const content = [...toThoughtBlocks(record['thoughts']), ...text, ...calls];
  const message = buildGeminiAnswer(content, asString(record['model']), time);
  const usage = findGeminiUsage(record);
  return usage === null ? message : { ...message, usage };
}

/** The usage of the request that a record answers; null if it has none. */
export function findGeminiUsage({ tokens }: JsonObject): JsonObject | null {
  const [counts] = listObjects([tokens]);
  const { input: prompt, output: answer, cached, thoughts, total } = counts ?? {};
  return toGeminiUsage({ prompt, cached, answer, thoughts, total });
}

export function listFunctionCalls({ toolCalls }: JsonObject): readonly JsonObject[] {
  return listObjects(toolCalls);
}

/** Whether a call of a record has a result. */
export function hasCallResult(call: JsonObject): boolean {
  return listParts(call['result']).length > 0;
}

/** The result of a call as a message. */
export function buildCallResult(record: JsonObject, index: number): JsonObject {
  const call = listFunctionCalls(record)[index] ?? {};
  const toolCallId = asString(call['id']) ?? callIdAt(record, index);
  const toolName = asString(call['name']) ?? '';
  const parts = filterParts(toolCallId, listParts(call['result']));
  const isError = call['status'] === 'error' || isErrorResponse(parts);
  const timestamp = readGeminiTime('timestamp' in call ? call : record);
  return { role: 'toolResult', toolCallId, toolName, content: toResultBlocks(parts), isError, timestamp };
}

/**
 * The parts that answer a call: in a list that replaced all messages, each call has the results of all calls beside it.
 */
function filterParts(callId: string, parts: readonly JsonObject[]): readonly JsonObject[] {
  const ids = parts.map(({ functionResponse }) => asString(asObject(functionResponse)['id']));
  if (!ids.includes(callId)) return parts;
  return parts.filter((_, index) => ids[index] === null || ids[index] === callId);
}

function callIdAt({ id }: JsonObject, index: number): string {
  return `${asString(id) ?? ''}-${index}`;
}

/** All messages of a list of records, each result once. */
export function toGeminiMessages(records: readonly JsonObject[]): readonly JsonObject[] {
  const answered = new Set<unknown>();
  return records.flatMap((record) => {
    if (geminiRoleOf(record) === null) return [];
    const results = [
      ...listFunctionCalls(record).flatMap((call, index) =>
        hasCallResult(call) ? [buildCallResult(record, index)] : [],
      ),
      ...listResponses(record).map((_, index) => buildResponse(record, index)),
    ].filter(({ toolCallId: id }) => id === '' || !answered.has(id));
    for (const { toolCallId } of results) answered.add(toolCallId);
    const message = hasOwnMessage(record) ? [buildGeminiMessage(record)] : [];
    return geminiRoleOf(record) === 'user' ? [...results, ...message] : [...message, ...results];
  });
}

/** Whether a record begins a session. */
export function isGeminiHeader(value: JsonObject): boolean {
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string' && !('type' in value);
}
