import type { JsonObject } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { chatIds, chatMessages } from './chat-messages.js';
import { type ChatHabits, chatHabits } from './chat-providers.js';
import type { RequestFormat, RequestToExport } from './define.js';
import { effortFor, offEffort, thinkingOf } from './model-facts.js';
import { messagesOf, numberIn, payloadPieces, wellFormed } from './payload.js';
import { addressed, type Recipient } from './recipient.js';
import { strictSchema } from './strict-schema.js';
import { transformed } from './transformed.js';

export default {
  name: 'openai-chat',
  takes: 'request',
  isPayload: true,
  summary: 'what the Chat Completions API of OpenAI is sent, and those of others that are like it',
  leavesOut: [
    'Headers, the cache key and whether the answer is streamed.',
    'The limit of the answer, where neither the session nor --max-tokens says it.',
    'Whether a model thinks is told from a list of models, else from its thinking level.',
    'How much it is to think, for providers that want to be told in a form of their own.',
    'Tools whose input follows a grammar are sent as functions.',
  ],
  write,
} satisfies RequestFormat;

const DIALECT = { vendor: 'openai', apis: ['openai-completions'] } as const;

function write(request: RequestToExport): ReturnType<RequestFormat['write']> {
  const { envelope } = request;
  const { recipient, problems } = addressed(request, DIALECT);
  const habits = chatHabits(recipient);
  const system = wellFormed(envelope.system.compiled);
  const role = habits.hasDeveloper && thinkingOf(recipient).thinks ? 'developer' : 'system';
  const messages = chatMessages(transformed(messagesOf(envelope), recipient, chatIds(recipient)), habits);
  const all = [...(system === '' ? [] : [{ role, content: system }]), ...messages];
  const tools = envelope.tools.map((tool) => toolOf(tool, habits));
  const payload = {
    model: recipient.model,
    messages: habits.marksCache ? marked(all) : all,
    ...(tools.length === 0 ? {} : { tools: habits.marksCache ? withLast(tools, withMark) : tools }),
    [habits.limit]: numberIn(envelope.options.maxTokens) ?? request.maxTokens,
    temperature: numberIn(envelope.options.temperature),
    ...effortOf(recipient, habits),
    ...(habits.canStore ? { store: false } : {}),
  };
  return { pieces: payloadPieces(payload), problems };
}

function toolOf(tool: ToolDefinition, { hasStrictTools }: ChatHabits): JsonObject {
  const schema = hasStrictTools ? strictSchema(tool) : null;
  const { name, description, parameters } = tool;
  const strict = hasStrictTools ? schema !== null : undefined;
  return { type: 'function', function: { name, description, parameters: schema ?? parameters, strict } };
}

function effortOf(recipient: Recipient, { effort }: ChatHabits): JsonObject {
  const facts = thinkingOf(recipient);
  if (effort === null || !facts.thinks) return {};
  const level = recipient.thinking === 'off' ? null : effortFor(facts, recipient.thinking);
  // Only a router is told not to think where the list has no word for that.
  const off = effort === 'reasoning' || facts.efforts.has('off') ? offEffort(facts) : null;
  const told = level ?? off;
  if (told === null) return {};
  return effort === 'reasoning' ? { reasoning: { effort: told } } : { reasoning_effort: told };
}

const MARK = { cache_control: { type: 'ephemeral' } } as const;

function withMark(value: JsonObject): JsonObject {
  return { ...value, ...MARK };
}

/** Marks the system prompt and the last message that holds text. */
function marked(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.findLastIndex((message) => message['role'] !== 'system' && markedMessage(message) !== null);
  return messages.map((message, at) => {
    const isPrompt = at === 0 && (message['role'] === 'system' || message['role'] === 'developer');
    return (isPrompt || at === last ? markedMessage(message) : null) ?? message;
  });
}

/** null where there is no text to be marked. */
function markedMessage(message: JsonObject): JsonObject | null {
  const { content } = message;
  if (typeof content === 'string')
    return content === '' ? null : { ...message, content: [withMark({ type: 'text', text: content })] };
  const parts: readonly JsonObject[] = Array.isArray(content) ? content : [];
  const last = parts.findLastIndex(({ type }) => type === 'text');
  return last === -1 ? null : { ...message, content: parts.map((part, at) => (at === last ? withMark(part) : part)) };
}

function withLast<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  return list.map((item, at) => (at === list.length - 1 ? change(item) : item));
}
