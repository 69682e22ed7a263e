import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { inferStopReason, toTextBlock, toTokens } from '../blocks.js';

/** The answer of one call: the events of its chunks, and after them its usage if it is recorded. */
export function buildCopilotAnswer(values: readonly JsonObject[], model: string, time: number): JsonObject {
  const chunks = values.filter(({ type }) => type === 'assistant.message').map(({ data }) => asObject(data));
  const recorded = values.find(({ type }) => type === 'session.usage_record');
  const usage = recorded ? toCopilotUsage(asObject(asObject(recorded['data'])['usage'])) : null;
  const content = chunks.flatMap(toBlocks);
  return {
    role: 'assistant',
    content,
    provider: 'github-copilot',
    model,
    ...(usage === null ? {} : { usage }),
    stopReason: inferStopReason(content),
    timestamp: time,
  };
}

function toBlocks({ reasoningText, content, toolRequests }: JsonObject): readonly JsonObject[] {
  const thinking = asString(reasoningText) ?? '';
  const text = asString(content) ?? '';
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
    ...(text === '' ? [] : [toTextBlock(text)]),
    ...listObjects(toolRequests).map(toCall),
  ];
}

/** A tool with a free text for its input gets it as `input`. */
function toCall({ toolCallId, name, arguments: input }: JsonObject): JsonObject {
  const given = isObject(input) ? input : { input };
  return { type: 'toolCall', id: asString(toolCallId) ?? '', name: asString(name) ?? '', arguments: given };
}

/** A result with the text that the model gets: `detailedContent` is for the screen. */
export function buildCopilotResult(data: JsonObject, toolName: string, time: number): JsonObject {
  const { toolCallId, success, result, error } = data;
  const text = asString(asObject(result)['content']) ?? asString(asObject(error)['message']) ?? '';
  const images = listObjects(asObject(result)['binaryResultsForLlm']).flatMap(toImage);
  return {
    role: 'toolResult',
    toolCallId: asString(toolCallId) ?? '',
    toolName,
    content: [toTextBlock(text), ...images],
    isError: success !== true,
    timestamp: time,
  };
}

function toImage({ data, mimeType, type }: JsonObject): readonly JsonObject[] {
  return type === 'image' && typeof data === 'string' ? [{ type: 'image', data, mimeType }] : [];
}

/** The usage of a request; null if it has no tokens. `inputTokens` are all of the prompt, with those of the cache. */
export function toCopilotUsage(usage: JsonObject): JsonObject | null {
  const cacheRead = toTokens(usage['cacheReadTokens']);
  const cacheWrite = toTokens(usage['cacheWriteTokens']);
  const input = Math.max(0, toTokens(usage['inputTokens']) - cacheRead - cacheWrite);
  const output = toTokens(usage['outputTokens']);
  const totalTokens = input + cacheRead + cacheWrite + output;
  return totalTokens === 0 ? null : { input, output, cacheRead, cacheWrite, totalTokens, cost: {} };
}
