import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { toTextBlock, toTokens } from '../blocks.js';
import { shortenMiddle } from './shorten.js';
import { stripUserTags } from './user-input.js';

/** A message of Pi, without a time. */
type Body = Readonly<JsonObject>;

/** The form in which a version sends what it keeps. */
interface Sending {
  /** The words of the user without their tags, and long results without their middle. */
  readonly isCleaned: boolean;
}

/** Version 4. */
export const CLEANED: Sending = { isCleaned: true };
/** The versions before 4. */
export const AS_KEPT: Sending = { isCleaned: false };

/** The messages that one message of Cline becomes: the results of its calls, one message each, and one of the rest. */
export function listBodies(
  message: JsonObject,
  toolNames: ReadonlyMap<string, string>,
  { isCleaned }: Sending,
): readonly Body[] {
  const { role, content } = message;
  const blocks = typeof content === 'string' ? [toTextBlock(content)] : listObjects(content);
  if (role === 'assistant') return [{ role: 'assistant', content: blocks.flatMap(toAnswerBlocks) }];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const others = blocks
    .filter(({ type }) => type !== 'tool_result')
    .map((block) =>
      isCleaned && typeof block['text'] === 'string' ? { ...block, text: stripUserTags(block['text']) } : block,
    )
    .flatMap(toInputBlocks);
  const input: Body = { role: 'user', content: others };
  return [
    ...results.map((block) => toResult(block, toolNames, isCleaned)),
    ...(others.length > 0 || results.length === 0 ? [input] : []),
  ];
}

/** The tools that an answer calls, by the ids of the calls. */
export function listCalls({ content }: JsonObject): readonly (readonly [id: string, name: string])[] {
  return listObjects(content)
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name }) => [asString(id) ?? '', asString(name) ?? ''] as const);
}

function toAnswerBlocks(block: JsonObject): readonly JsonObject[] {
  const { type, text, thinking, id, name, input } = block;
  switch (type) {
    case 'text':
      return [toTextBlock(asString(text) ?? '')];
    case 'thinking':
      return [{ type: 'thinking', thinking: asString(thinking) ?? '' }];
    case 'redacted_thinking':
      return [{ type: 'thinking', thinking: '', redacted: true }];
    case 'tool_use':
      return [
        {
          type: 'toolCall',
          id: asString(id) ?? '',
          name: asString(name) ?? '',
          arguments: isObject(input) ? input : {},
        },
      ];
    default:
      return [toTextBlock(JSON.stringify(block))];
  }
}

/** A file that the user named is sent as a text with its content. */
function toInputBlocks(block: JsonObject): readonly JsonObject[] {
  const { type, text, path, content } = block;
  if (type === 'text') return [toTextBlock(asString(text) ?? '')];
  if (type === 'image') return [toImage(block)];
  if (type !== 'file') return [toTextBlock(JSON.stringify(block))];
  return [toTextBlock(`<file_content path="${asString(path) ?? ''}">\n${asString(content) ?? ''}\n</file_content>`)];
}

/** `mediaType` and `data` in sessions of Cline 4; in older tasks as the API of Anthropic has them. */
function toImage(block: JsonObject): JsonObject {
  const source = isObject(block['source']) ? block['source'] : block;
  const mimeType = asString(source['mediaType']) ?? asString(source['media_type']);
  const data = asString(source['data']);
  return data === null ? toTextBlock('[image]') : { type: 'image', data, mimeType: mimeType ?? 'image/png' };
}

function toResult(block: JsonObject, toolNames: ReadonlyMap<string, string>, isShortened: boolean): Body {
  const { tool_use_id: id, name, content, is_error: isError } = block;
  const toolCallId = asString(id) ?? '';
  return {
    role: 'toolResult',
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? asString(name) ?? '',
    content: toResultBlocks(isShortened ? shortenMiddle(content) : content),
    isError: isError === true,
  };
}

/** A list of texts and images is sent as such, and any other value as its JSON. */
function toResultBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [toTextBlock(content)];
  const blocks = listObjects(content);
  const isPlain = Array.isArray(content) && blocks.length === content.length && blocks.every(isTextOrImage);
  if (!isPlain) return [toTextBlock(JSON.stringify(content ?? ''))];
  return blocks.map((block) =>
    block['type'] === 'image' ? toImage(block) : toTextBlock(asString(block['text']) ?? ''),
  );
}

function isTextOrImage({ type }: JsonObject): boolean {
  return type === 'text' || type === 'image';
}

/** The usage that the counts of a request are. `prompt` includes what was read from and written to the cache. */
export function buildClineUsage(counts: {
  readonly prompt: unknown;
  readonly output: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly cost: unknown;
}): JsonObject | null {
  const cacheRead = toTokens(counts.cacheRead);
  const cacheWrite = toTokens(counts.cacheWrite);
  const input = Math.max(0, toTokens(counts.prompt) - cacheRead - cacheWrite);
  const output = toTokens(counts.output);
  const totalTokens = input + output + cacheRead + cacheWrite;
  const total = asCount(counts.cost);
  if (totalTokens === 0) return null;
  return { input, output, cacheRead, cacheWrite, totalTokens, cost: total === null ? {} : { total } };
}

export interface AnswerModel {
  readonly provider: string;
  readonly model: string;
}

/** The provider and the model of an answer; null if it does not record them. */
export function readModel({ modelInfo }: JsonObject): AnswerModel | null {
  const info = asObject(modelInfo);
  const provider = asString(info['provider']) ?? asString(info['providerId']);
  const model = asString(info['id']) ?? asString(info['modelId']);
  return provider === null || model === null ? null : { provider, model };
}
