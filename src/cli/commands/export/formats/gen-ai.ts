import { asString, type JsonObject } from '#base/json.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import { toBlocks } from '#context/words/message-blocks.js';
import type { Attributes } from './otlp.js';

// The words of the semantic conventions of OpenTelemetry 1.41, `docs/gen-ai`, whose status is Development.

/** The names that the conventions have for providers, where they are others than those of sessions. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  'azure-openai-responses': 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_call',
  error: 'error',
  aborted: 'error',
};

/** The tokens of the prompt include those of the cache. */
export function toUsage(usage: JsonObject | null): Attributes {
  if (usage === null) return {};
  const { input, output, cacheRead, cacheWrite } = readUsageNumbers(usage);
  const { reasoning } = usage;
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': typeof reasoning === 'number' && reasoning > 0 ? reasoning : null,
  };
}

/** A message in the form of the conventions: a role and parts. */
export function toMessage(role: string, message: JsonObject): JsonObject {
  if (role === 'tool')
    return {
      role,
      parts: [{ type: 'tool_call_response', id: asString(message.toolCallId), response: readTexts(message) }],
    };
  return { role, parts: toBlocks(message.content).map(toPart) };
}

function toPart({ type, text, thinking, id, name, arguments: input, mimeType, data }: JsonObject): JsonObject {
  switch (type) {
    case 'text':
      return { type: 'text', content: text };
    case 'thinking':
      return { type: 'reasoning', content: thinking };
    case 'toolCall':
      return { type: 'tool_call', id, name, arguments: input };
    case 'image':
      return { type: 'blob', modality: 'image', mime_type: mimeType, content: data };
    default:
      return { type: asString(type) ?? 'unknown' };
  }
}

/** The texts of a message, with the type of each other block. */
export function readTexts(message: JsonObject): string {
  return toBlocks(message.content)
    .map(({ type, text }) => asString(text) ?? `[${asString(type) ?? 'block'}]`)
    .join('\n');
}

/** The attributes of the system prompt and the tools. */
export function toPrompt({ system, tools }: Pick<ContextEnvelope, 'system' | 'tools'>): Attributes {
  const parts = system.parts.map(({ text }) => ({ type: 'text', content: text }));
  const definitions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }));
  return {
    'gen_ai.system_instructions': parts.length === 0 ? null : JSON.stringify(parts),
    'gen_ai.tool.definitions': definitions.length === 0 ? null : JSON.stringify(definitions),
  };
}
