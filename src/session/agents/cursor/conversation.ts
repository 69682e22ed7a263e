import { asObject, asString, isObject, type JsonObject, listObjects, parseJson } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { inferStopReason, toTextBlock } from '../blocks.js';
import { readOnce } from '../one-document.js';
import { isMissing } from './database.js';

/** A message of Pi, made from messages of the editor. Each of those has one text, thought or call. */
export interface CursorMessage {
  readonly role: 'user' | 'assistant' | 'toolResult';
  /** Milliseconds since 1970, NaN if unknown. */
  readonly time: number;
  readonly message: JsonObject;
  /** The model that the message names; null if it names none. */
  readonly model: string | null;
}

/**
 * The messages of a document: the thoughts, texts and calls of an answer are one message up to the result of a call.
 */
export const listCursorMessages = readOnce((document): readonly CursorMessage[] => {
  const messages: CursorMessage[] = [];
  const { modelName } = asObject(asObject(document['composer'])['modelConfig']);
  let answer: { readonly content: JsonObject[]; readonly time: number; readonly model: string | null } | null = null;
  const end = (): void => {
    if (answer && answer.content.length > 0) messages.push(toAnswer(answer));
    answer = null;
  };
  for (const bubble of listObjects(document['messages'])) {
    const { type, text, createdAt, modelInfo } = bubble;
    if (isMissing(bubble)) continue;
    const time = parseTimestamp(createdAt ?? Number.NaN);
    const model = readName(asObject(modelInfo)['modelName']) ?? readName(modelName);
    if (type === USER) {
      end();
      const message = { role: 'user', content: [toTextBlock(asString(text) ?? '')], timestamp: time };
      messages.push({ role: 'user', time, message, model });
      continue;
    }
    answer ??= { content: [], time, model };
    answer.content.push(...listAnswerBlocks(bubble));
    const result = buildResult(bubble, time);
    if (result) {
      end();
      messages.push({ role: 'toolResult', time, message: result, model });
    }
  }
  end();
  return messages;
});

const USER = 1;

/** `default` means that Cursor chooses a model. */
function readName(name: unknown): string | null {
  return name === 'default' || name === '' ? null : asString(name);
}

function toAnswer({
  content,
  time,
  model,
}: {
  readonly content: readonly JsonObject[];
  readonly time: number;
  readonly model: string | null;
}): CursorMessage {
  const message = {
    role: 'assistant',
    content,
    provider: 'cursor',
    model: model ?? 'unknown',
    stopReason: inferStopReason(content),
    timestamp: time,
  };
  return { role: 'assistant', time, message, model };
}

function listAnswerBlocks({ text, thinking, toolFormerData }: JsonObject): readonly JsonObject[] {
  const thought = asString(asObject(thinking)['text']) ?? asString(thinking) ?? '';
  const words = asString(text) ?? '';
  return [
    ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought }]),
    ...(words === '' ? [] : [toTextBlock(words)]),
    ...(isObject(toolFormerData) ? [toCall(toolFormerData)] : []),
  ];
}

function toCall({ toolCallId, name, rawArgs, params }: JsonObject): JsonObject {
  const given = parseJson(asString(rawArgs) ?? asString(params) ?? '');
  return {
    type: 'toolCall',
    id: asString(toolCallId) ?? '',
    name: asString(name) ?? '',
    arguments: isObject(given) ? given : asObject(params),
  };
}

/** The result that the database has: not always the text that was sent. Null while the call runs. */
function buildResult({ toolFormerData }: JsonObject, time: number): JsonObject | null {
  const { toolCallId, name, result, status, error } = asObject(toolFormerData);
  const value = result ?? error;
  if (value === undefined || value === null) return null;
  return {
    role: 'toolResult',
    toolCallId: asString(toolCallId) ?? '',
    toolName: asString(name) ?? '',
    content: [toTextBlock(asString(value) ?? JSON.stringify(value))],
    isError: status === 'error' || (result ?? null) === null,
    timestamp: time,
  };
}

/** The content of a line of a transcript: texts and calls, in some versions also thoughts and results. */
export function toTranscriptBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [toTextBlock(content)];
  return listObjects(content).flatMap((block): readonly JsonObject[] => {
    const { type, text, thinking, id, name, input } = block;
    if (type === 'text') return [toTextBlock(asString(text) ?? '')];
    if (type === 'thinking' || type === 'reasoning')
      return [{ type: 'thinking', thinking: asString(thinking) ?? asString(text) ?? '' }];
    if (type === 'tool_use')
      return [{ type: 'toolCall', id: asString(id) ?? '', name: asString(name) ?? '', arguments: asObject(input) }];
    return type === 'tool_result' ? [] : [toTextBlock(JSON.stringify(block))];
  });
}

/** The results in the content of a line. */
export function listTranscriptResults(content: unknown): readonly JsonObject[] {
  return listObjects(content)
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id: id, content: own, is_error: isError }) => ({
      role: 'toolResult',
      toolCallId: asString(id) ?? '',
      content: typeof own === 'string' ? [toTextBlock(own)] : toTranscriptBlocks(own),
      isError: isError === true,
    }));
}
