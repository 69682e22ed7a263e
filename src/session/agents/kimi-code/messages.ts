import { asObject, asString, isObject, type JsonObject, listObjects, parseJson } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { inferStopReason, parseImageUrl, toTextBlock, toTokens } from '../blocks.js';
import type { EntryLines } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';

/** The content of a message or a result as blocks: a text, or a list of parts. */
function toKimiBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [toTextBlock(content)];
  return listObjects(content).map(toBlock);
}

function toBlock(part: JsonObject): JsonObject {
  const { type, text, think, encrypted, image_url: image } = part;
  switch (type) {
    case 'text':
      return toTextBlock(asString(text) ?? '');
    case 'think':
      return {
        type: 'thinking',
        thinking: asString(think) ?? '',
        ...(typeof encrypted === 'string' ? { thinkingSignature: encrypted } : {}),
      };
    case 'image_url':
      // The client moves large images to files beside the record.
      return parseImageUrl(asString(asObject(image)['url']) ?? '') ?? toTextBlock('[image]');
    default:
      return toTextBlock(JSON.stringify(part));
  }
}

/**
 * Whether the client counts a part of an answer as nothing. It leaves out an answer that has only such parts and no
 * calls.
 */
export function isEmptyPart({ type, text, think, encrypted }: JsonObject): boolean {
  if (type === 'text') return (asString(text) ?? '').trim() === '';
  return type === 'think' && encrypted === undefined && (asString(think) ?? '').trim() === '';
}

/** Whether a message is of the user, and not of the client. An undo counts these, and a compaction keeps them. */
export function isOfUser({ role, origin }: JsonObject): boolean {
  if (role !== 'user') return false;
  const { kind = 'user', trigger } = asObject(origin);
  return kind === 'user' || ((kind === 'skill_activation' || kind === 'plugin_command') && trigger === 'user-slash');
}

/** A message that was recorded as a whole. */
export function buildKimiMessage(message: JsonObject, time: number): JsonObject {
  const { role, content, toolCalls, toolCallId, isError } = message;
  const blocks = toKimiBlocks(content);
  if (role === 'assistant')
    return {
      role,
      content: [...blocks, ...listObjects(toolCalls).map(toCall)],
      provider: 'unknown',
      model: 'unknown',
      stopReason: 'stop',
      timestamp: time,
    };
  if (role === 'tool')
    return {
      role: 'toolResult',
      toolCallId: asString(toolCallId) ?? '',
      toolName: '',
      content: blocks,
      isError: isError === true,
      timestamp: time,
    };
  return { role: 'user', content: blocks, timestamp: time };
}

function toCall({ id, name, arguments: json }: JsonObject): JsonObject {
  const input = typeof json === 'string' ? parseJson(json) : json;
  return { type: 'toolCall', id: asString(id) ?? '', name: asString(name) ?? '', arguments: asObject(input) };
}

/** The answer of a step: the records of its parts and calls, and of its end. */
export function buildKimiAnswer(records: readonly JsonObject[], provider: string, model: string): JsonObject {
  const events = records.map(({ event }) => asObject(event));
  const content = events.flatMap((event) => (event['type'] === 'step.end' ? [] : [toAnswerBlock(event)]));
  const usage = findStepUsage(events.find(({ type }) => type === 'step.end') ?? {});
  return {
    role: 'assistant',
    content,
    provider,
    model,
    ...(usage === null ? {} : { usage }),
    stopReason: inferStopReason(content),
    timestamp: readKimiTime(records[0] ?? {}),
  };
}

function toAnswerBlock({ type, part, toolCallId, name, args }: JsonObject): JsonObject {
  if (type !== 'tool.call') return toBlock(asObject(part));
  return { type: 'toolCall', id: asString(toolCallId) ?? '', name: asString(name) ?? '', arguments: asObject(args) };
}

/** A result with its note. The words with which the client marks an error or an empty result are not recorded. */
export function buildKimiResult(record: JsonObject, toolName: string): JsonObject {
  const { toolCallId, result } = asObject(record['event']);
  const { output, isError, note } = asObject(result);
  const blocks = toKimiBlocks(output);
  return {
    role: 'toolResult',
    toolCallId: asString(toolCallId) ?? '',
    toolName,
    content: typeof note === 'string' && note !== '' ? [...blocks, toTextBlock(note)] : blocks,
    isError: isError === true,
    timestamp: readKimiTime(record),
  };
}

/**
 * The summary of a compaction: the text that the model gets, else the summary alone, which early versions record as a
 * message.
 */
export function buildKimiSummary({ contextSummary, summary }: JsonObject, time: number): JsonObject {
  const content = contextSummary ?? (isObject(summary) ? summary['content'] : summary);
  return { role: 'user', content: toKimiBlocks(content), timestamp: time };
}

/** The usage at the end of a step; null without one. */
export function findStepUsage({ usage }: JsonObject): JsonObject | null {
  return isObject(usage) ? toKimiUsage(usage) : null;
}

export function toKimiUsage(usage: JsonObject): JsonObject | null {
  const input = toTokens(usage['inputOther']);
  const output = toTokens(usage['output']);
  const cacheRead = toTokens(usage['inputCacheRead']);
  const cacheWrite = toTokens(usage['inputCacheCreation']);
  const totalTokens = input + output + cacheRead + cacheWrite;
  return totalTokens === 0 ? null : { input, output, cacheRead, cacheWrite, totalTokens, cost: {} };
}

/** Milliseconds since 1970, NaN if unknown. */
export function readKimiTime({ time, created_at: created }: JsonObject): number {
  if (typeof time === 'number') return time;
  return typeof created === 'number' ? created : Number.NaN;
}

/** Returns the lines of an entry: that of its record, and the others from which it is built. */
export function placeOf(line: AgentRecord, ...others: readonly LineSpan[]): EntryLines {
  return { lines: [toLineSpan(line), ...others], time: readKimiTime(line.value) };
}
