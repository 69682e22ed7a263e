import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { inferStopReason, toTextBlock } from '../blocks.js';

/** The messages that one of Droid becomes, without a time: a result of each call, and one of the rest. */
export function listBodies(message: JsonObject, toolNames: ReadonlyMap<string, string>): readonly JsonObject[] {
  const { role, content, modelId } = message;
  const blocks = typeof content === 'string' ? [toTextBlock(content)] : listObjects(content);
  if (role === 'assistant') return [buildAnswer(blocks, modelId)];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const others = blocks.filter(({ type }) => type !== 'tool_result').map(toBlock);
  return [
    ...results.map((block) => toResult(block, toolNames)),
    ...(others.length > 0 || results.length === 0 ? [{ role: 'user', content: others }] : []),
  ];
}

/** The tools that an answer calls, by the ids of the calls. */
export function listCalls({ role, content }: JsonObject): readonly (readonly [id: string, name: string])[] {
  if (role !== 'assistant') return [];
  return listObjects(content)
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name }) => [asString(id) ?? '', asString(name) ?? '']);
}

function buildAnswer(blocks: readonly JsonObject[], modelId: unknown): JsonObject {
  const content = blocks.map(toBlock);
  return {
    role: 'assistant',
    content,
    provider: 'factory',
    model: asString(modelId) ?? 'unknown',
    stopReason: inferStopReason(content),
  };
}

function toBlock(block: JsonObject): JsonObject {
  const { type, text, thinking, data, id, name, input } = block;
  switch (type) {
    case 'text':
      return toTextBlock(asString(text) ?? '');
    case 'thinking':
      return { type, thinking: asString(thinking) ?? '', ...toSignature(block['signature']) };
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', redacted: true, ...toSignature(data) };
    case 'tool_use':
      return { type: 'toolCall', id: asString(id) ?? '', name: asString(name) ?? '', arguments: asObject(input) };
    case 'image':
      return toImage(asObject(block['source']));
    default:
      return toTextBlock(JSON.stringify(block));
  }
}

function toSignature(signature: unknown): JsonObject {
  return typeof signature === 'string' ? { thinkingSignature: signature } : {};
}

function toImage({ data, media_type: mimeType }: JsonObject): JsonObject {
  return typeof data === 'string'
    ? { type: 'image', data, mimeType: asString(mimeType) ?? 'image/png' }
    : toTextBlock('[image]');
}

function toResult(block: JsonObject, toolNames: ReadonlyMap<string, string>): JsonObject {
  const { tool_use_id: id, content, is_error: isError } = block;
  const toolCallId = asString(id) ?? '';
  return {
    role: 'toolResult',
    toolCallId,
    toolName: toolNames.get(toolCallId) ?? '',
    content: typeof content === 'string' ? [toTextBlock(content)] : listObjects(content).map(toBlock),
    isError: isError === true,
  };
}

/** The message with a summary, and with the environment as it was at the compaction. */
export function buildSummary({ summaryText, systemInfoText }: JsonObject): JsonObject {
  const texts = ['[the client introduces a summary of the conversation]', summaryText, systemInfoText];
  return { role: 'user', content: texts.filter((text) => typeof text === 'string').map(toTextBlock) };
}
