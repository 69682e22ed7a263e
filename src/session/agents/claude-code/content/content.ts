import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import { parseTimestamp } from '#base/time.js';
import { isLocalAnswer } from '../../../heads/answer.js';
import { toTextBlock } from '../../blocks.js';
import { isResultBlock } from '../records/fields.js';
import { toDocumentBlock } from './documents.js';
import { readCounts, readIterations, readModifiers } from './usage.js';

/** The content of a user message in Pi's blocks, without the results of calls. */
export function toUserContent(content: unknown): unknown {
  if (typeof content === 'string') return content;
  return listObjects(content)
    .filter((block) => !isResultBlock(block))
    .map(toBlock);
}

/** The content of a message whose blocks are in several lines, without the results of calls. */
export function joinContent(values: readonly JsonObject[]): unknown {
  const [first = {}] = values;
  if (values.length === 1) return toUserContent(contentOf(first));
  return toUserContent(values.flatMap((value) => listContentBlocks(contentOf(value))));
}

/** The blocks of a content: a text is one. */
export function listContentBlocks(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [toTextBlock(content)];
  return Array.isArray(content) ? content : [];
}

/** A block with a result of a user record. */
export function resultBlockAt(record: JsonObject, place: number): JsonObject {
  return listResultBlocks(record)[place] ?? {};
}

/** The message of one result of a user record. */
export function buildClaudeResult(record: JsonObject, place: number, toolName: string): JsonObject {
  const block = resultBlockAt(record, place);
  const { content } = block;
  return {
    role: 'toolResult',
    toolCallId: asString(block['tool_use_id']) ?? '',
    toolName,
    content: toBlocks(content),
    isError: block['is_error'] === true,
    timestamp: parseTimestamp(record['timestamp']),
  };
}

/**
 * The content that Claude Code 2.1.330 sends for a result that it has cut: `standIn`, unless the result has to stay.
 */
export function toCutContent(record: JsonObject, place: number, standIn: string): readonly JsonObject[] {
  const { content, isError } = buildClaudeResult(record, place, '');
  const blocks = listObjects(content);
  const isOther = blocks.some(({ type }) => type !== 'text' && type !== 'image');
  const isShort = blocks.every(({ type }) => type === 'text') && joinTextBlocks(blocks).length <= standIn.length;
  return isError === true || isOther || isShort ? blocks : [toTextBlock(standIn)];
}

/** The results of a record, which may be very many, by its value. */
const listResultBlocks = memoizeByObject((record: JsonObject) => listObjects(contentOf(record)).filter(isResultBlock));

export function contentOf({ message }: JsonObject): unknown {
  return isObject(message) ? message['content'] : undefined;
}

/** The text of a summary. */
export function joinTextBlocks(content: unknown): string {
  if (typeof content === 'string') return content;
  return listObjects(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

/** The message of an answer: the blocks of all of its lines, with the usage of the last one. */
export function buildClaudeAnswer(lines: readonly JsonObject[]): JsonObject {
  const messages = lines.map(({ message }) => asObject(message));
  const last = messages.at(-1) ?? {};
  const isLocal = isLocalAnswer({ role: 'assistant', model: last['model'] });
  const content = messages.flatMap((message) => toBlocks(message['content']));
  const reason = messages.findLast((message) => typeof message['stop_reason'] === 'string')?.['stop_reason'];
  const error = lines.some((line) => line['isApiErrorMessage'] === true);
  const id = asString(last['id']);
  return {
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: detectProvider(last),
    model: asString(last['model']) ?? 'unknown',
    ...(id === null ? {} : { responseId: id }),
    usage: {
      ...buildUsage(isLocal ? null : findLastObject(messages, 'usage'), lines.at(-1)?.['costUSD']),
      ...(reason === undefined && !isLocal && { partialOutput: true }),
    },
    stopReason: error ? 'error' : toStopReason(reason, content),
    ...(error ? { errorMessage: joinTextBlocks(content) } : {}),
    ...buildReports(findLastObject(messages, 'diagnostics'), findLastObject(messages, 'context_management')),
    timestamp: parseTimestamp(lines[0]?.['timestamp']),
  };
}

/**
 * The content of an answer without the calls that have no result, as the replacement of an edit; null if only thinking
 * is left, which the client does not send alone.
 */
export function buildAnsweredContent(
  lines: readonly JsonObject[],
  isAnswered: (call: string) => boolean,
): { readonly content: readonly JsonObject[] } | null {
  const content = lines
    .flatMap(({ message }) => toBlocks(asObject(message)['content']))
    .filter(({ type, id }) => type !== 'toolCall' || isAnswered(asString(id) ?? ''));
  return content.every(({ type }) => type === 'thinking') ? null : { content };
}

function findLastObject(messages: readonly JsonObject[], field: string): JsonObject | null {
  return messages.flatMap((message) => listObjects([message[field]])).at(-1) ?? null;
}

/** The reports of the provider about a request: why the cache missed, and what was cleared before the model saw it. */
function buildReports(diagnostics: JsonObject | null, edits: JsonObject | null): JsonObject {
  const isEdited = listObjects(edits?.['applied_edits']).length > 0;
  const reports = [
    ...(diagnostics ? [{ type: 'provider', ...diagnostics }] : []),
    ...(isEdited ? [{ type: 'context_management', ...edits }] : []),
  ];
  return reports.length === 0 ? {} : { diagnostics: reports };
}

/** The provider of an answer, from its id: Anthropic's own, Bedrock or Vertex. */
export function detectProvider({ id }: JsonObject): string {
  const text = asString(id) ?? '';
  if (text.startsWith('msg_bdrk_')) return 'amazon-bedrock';
  return text.startsWith('msg_vrtx_') ? 'google-vertex' : 'anthropic';
}

function toBlocks(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [toTextBlock(content)] : listObjects(content).map(toBlock);
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'toolUse',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};

/** Most lines are written before the reason is known. */
function toStopReason(reason: unknown, content: readonly JsonObject[]): string {
  const stopReason =
    typeof reason === 'string' && Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason] : undefined;
  return stopReason ?? (content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop');
}

function toBlock(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'text':
      return toTextBlock(asString(block['text']) ?? '');
    case 'thinking':
      return { type: 'thinking', thinking: asString(block['thinking']) ?? '', ...toSignature(block['signature']) };
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', redacted: true, ...toSignature(block['data']) };
    case 'tool_use':
      return {
        type: 'toolCall',
        id: asString(block['id']) ?? '',
        name: asString(block['name']) ?? '',
        arguments: asObject(block['input']),
      };
    case 'image':
      return toImageBlock(block);
    case 'document':
      return toDocumentBlock(block);
    default:
      return toTextBlock(JSON.stringify(block));
  }
}

function toSignature(value: unknown): JsonObject {
  return typeof value === 'string' && SIGNATURE.test(value) ? { thinkingSignature: value } : {};
}

/** Programs that remove private data leave something else in its place. */
const SIGNATURE = /^[\w+/=-]+$/;

function toImageBlock(block: JsonObject): JsonObject {
  const source = asObject(block['source']);
  const data = asString(source['data']);
  const mimeType = asString(source['media_type']);
  return data === null || mimeType === null ? toTextBlock(JSON.stringify(block)) : { type: 'image', data, mimeType };
}

/**
 * Builds a usage from what is recorded. Only old files record a cost. The mark shows that an answer is not a counted
 * call.
 */
function buildUsage(usage: JsonObject | null, cost: unknown): JsonObject {
  const total = asCount(cost);
  const costs = { cost: total === null ? {} : { total } };
  if (usage === null) return total === null ? { ...costs, notRecorded: true } : costs;
  return { ...readCounts(usage), ...readModifiers(usage), ...readIterations(usage), ...costs };
}
