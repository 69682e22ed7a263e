import { asString, asText, type JsonObject, parseJson } from '#base/json.js';
import { computeShortHash } from '#base/short-hash.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { type ChatVariant, findChatVariant } from './chat-variant.js';
import type { RequestFormat, RequestToExport } from './define.js';
import {
  findOutputLimit,
  formatPayload,
  isBlankText,
  isImage,
  joinBlockTexts,
  listLlmMessages,
  readBlockText,
  replaceLoneSurrogates,
  toDataUrl,
  toOptionNumber,
} from './payload.js';
import {
  groupResults,
  type PreparedMessage,
  type PreparedResult,
  prepareMessages,
  type ToCallId,
} from './prepare-messages.js';
import { addressRequest, type Recipient } from './recipient.js';
import { toStrictSchema } from './strict-schema.js';
import { chooseEffort, findEffortForOff, findThinkingModes } from './thinking-modes.js';

export default {
  name: 'openai-chat',
  takes: 'request',
  isPayload: true,
  summary: 'the request body of the OpenAI Chat Completions API, and of compatible ones',
  leavesOut: [
    'Headers, the cache key and streaming.',
    'The limit of the answer, if neither the session nor --max-tokens sets it.',
    'Whether a model thinks comes from a list of models, else from its thinking level.',
    'The thinking effort, for providers with their own field for it.',
    'Tools with a grammar for their input are sent as functions.',
  ],
  write: formatChat,
} satisfies RequestFormat;

const DIALECT = { vendor: 'openai', apis: ['openai-completions'] } as const;

function formatChat(request: RequestToExport): ReturnType<RequestFormat['write']> {
  const { envelope } = request;
  const { recipient, problems } = addressRequest(request, DIALECT);
  const variant = findChatVariant(recipient);
  const { limit, problems: ofLimit } = findOutputLimit(request, recipient);
  const system = replaceLoneSurrogates(envelope.system.compiled);
  const role = recipient.provider === DIALECT.vendor && findThinkingModes(recipient).thinks ? 'developer' : 'system';
  const messages = toMessages(
    prepareMessages(listLlmMessages(envelope), recipient, createIdRule(recipient)),
    variant,
    role,
  );
  const all = [...(system === '' ? [] : [{ role, content: system }]), ...messages];
  const tools = envelope.tools.map((tool, at) => {
    const isMarked = variant.marksCache && at === envelope.tools.length - 1;
    return isMarked ? addMark(toTool(tool, variant)) : toTool(tool, variant);
  });
  const payload = {
    model: recipient.model,
    messages: variant.marksCache ? markMessages(all) : all,
    tools: tools.length === 0 ? undefined : tools,
    [variant.limit]: limit,
    temperature: toOptionNumber(envelope.options.temperature),
    ...toEffort(recipient, variant),
    store: variant.canStore ? false : undefined,
  };
  return { pieces: formatPayload(payload), problems: [...problems, ...ofLimit] };
}

function toTool(tool: ToolDefinition, { hasStrictTools }: ChatVariant): JsonObject {
  const schema = hasStrictTools ? toStrictSchema(tool) : null;
  const { name, description, parameters } = tool;
  const strict = hasStrictTools ? schema !== null : undefined;
  return { type: 'function', function: { name, description, parameters: schema ?? parameters, strict } };
}

function toEffort(recipient: Recipient, { effort }: ChatVariant): JsonObject {
  const facts = findThinkingModes(recipient);
  if (effort === null || !facts.thinks || recipient.thinking === null) return {};
  const level = recipient.thinking === 'off' ? null : chooseEffort(facts, recipient.thinking);
  // If the list has no word for no thinking, only a router receives one.
  const off = effort === 'reasoning' || facts.efforts.has('off') ? findEffortForOff(facts) : null;
  const effortWord = level ?? off;
  if (effortWord === null) return {};
  return effort === 'reasoning' ? { reasoning: { effort: effortWord } } : { reasoning_effort: effortWord };
}

const MARK = { cache_control: { type: 'ephemeral' } } as const;

function addMark(value: JsonObject): JsonObject {
  return { ...value, ...MARK };
}

/** Marks the system prompt and the last message that holds text. */
function markMessages(messages: readonly JsonObject[]): readonly JsonObject[] {
  const last = messages.findLastIndex((message) => message.role !== 'system' && markMessage(message) !== null);
  return messages.map((message, at) => {
    const isPrompt = at === 0 && (message.role === 'system' || message.role === 'developer');
    return (isPrompt || at === last ? markMessage(message) : null) ?? message;
  });
}

/** Marks a message as a cache breakpoint; null if it has no text. */
function markMessage(message: JsonObject): JsonObject | null {
  const { content } = message;
  if (typeof content === 'string')
    return content === '' ? null : { ...message, content: [addMark({ type: 'text', text: content })] };
  const parts: readonly JsonObject[] = Array.isArray(content) ? content : [];
  const last = parts.findLastIndex(({ type }) => type === 'text');
  return last === -1 ? null : { ...message, content: parts.map((part, at) => (at === last ? addMark(part) : part)) };
}

/** The longest id that OpenAI takes. */
const LONGEST_ID = 40;
const HASH_CHARACTERS = 8;

/** Ids of the Responses API name a call and its item, and several calls may share their first part. */
function createIdRule({ provider }: Recipient): ToCallId {
  return (id) => {
    const bar = id.indexOf('|');
    if (bar === -1) return provider === 'openai' ? id.slice(0, LONGEST_ID) : id;
    const call = replaceForbidden(id.slice(0, bar));
    const item = replaceForbidden(id.slice(bar + 1));
    const joined = item === '' ? call : `${call}_${item}`;
    if (joined.length <= LONGEST_ID) return joined;
    const hash = computeShortHash(id).slice(0, HASH_CHARACTERS);
    return `${call.slice(0, LONGEST_ID - hash.length - 1)}_${hash}`;
  };
}

function replaceForbidden(part: string): string {
  return part.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** Messages of the Chat Completions API. Images of results follow in their own message. */
function toMessages(
  messages: readonly PreparedMessage[],
  variant: ChatVariant,
  systemRole: string,
): readonly JsonObject[] {
  const written: JsonObject[] = [];
  for (const message of groupResults(messages)) {
    if (message.role === 'toolResults') {
      const { results } = message;
      for (const result of results) written.push(toResultMessage(result));
      const images = results.flatMap(({ content }) => content.filter(isImage)).map(toImagePart);
      const text = 'Attached image(s) from tool result:';
      if (images.length > 0) written.push({ role: 'user', content: [{ type: 'text', text }, ...images] });
    } else if (message.role === 'user') {
      const content = toUserContent(message.content);
      if (content !== null) written.push({ role: message.sentAs === 'user' ? 'user' : systemRole, content });
    } else {
      const answer = toAnswerMessage(message.content, variant);
      if (answer) written.push(answer);
    }
  }
  return written;
}

/** null for a list with nothing in it; an empty text alone is sent. */
function toUserContent(content: string | readonly JsonObject[]): string | readonly JsonObject[] | null {
  if (typeof content === 'string') return readBlockText({ text: content });
  const parts = content.flatMap((block): readonly JsonObject[] => {
    if (isImage(block)) return [toImagePart(block)];
    return block.text === '' ? [] : [{ type: 'text', text: readBlockText(block) }];
  });
  return parts.length === 0 ? null : parts;
}

function toImagePart(block: JsonObject): JsonObject {
  return { type: 'image_url', image_url: { url: toDataUrl(block) } };
}

function toResultMessage({ toolCallId, content }: PreparedResult): JsonObject {
  const text = joinBlockTexts(content);
  const nothing = content.some(isImage) ? '(see attached image)' : '(no tool output)';
  return {
    role: 'tool',
    content: text.trim() === '' ? nothing : replaceLoneSurrogates(text),
    tool_call_id: toolCallId,
  };
}

/** null for an answer without sendable blocks. */
function toAnswerMessage(blocks: readonly JsonObject[], { wantsReasoning }: ChatVariant): JsonObject | null {
  const selectBlocks = (type: string): readonly JsonObject[] => blocks.filter((block) => block.type === type);
  const text = selectBlocks('text')
    .filter((block) => !isBlankText(block.text))
    .map(readBlockText)
    .join('');
  const calls = selectBlocks('toolCall').map(toCallPart);
  if (text === '' && calls.length === 0) return null;
  const thoughts = toThoughts(selectBlocks('thinking'), selectBlocks('toolCall'));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.length === 0 ? undefined : calls,
    reasoning_content: wantsReasoning ? '' : undefined,
    ...thoughts,
  };
}

function toCallPart({ id, name, arguments: given }: JsonObject): JsonObject {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given ?? {}) } };
}

const FIELDS: ReadonlySet<unknown> = new Set(['reasoning', 'reasoning_content', 'reasoning_text']);

/** The signature of a thought is the name of the field that it came in, or a list of what came with it. */
function toThoughts(thoughts: readonly JsonObject[], calls: readonly JsonObject[]): JsonObject {
  const details =
    thoughts.map((block) => readDetails(block.thinkingSignature)).find((list) => list !== null) ??
    toListOrNull(calls.flatMap((call) => readEncrypted(call.thoughtSignature) ?? []));
  if (details) return { reasoning_details: details };
  const sentThoughts = thoughts.filter(({ thinking }) => !isBlankText(thinking));
  const field = sentThoughts[0]?.thinkingSignature;
  return FIELDS.has(field) ? { [asText(field)]: sentThoughts.map(({ thinking }) => asText(thinking)).join('\n') } : {};
}

function toListOrNull<Item>(list: readonly Item[]): readonly Item[] | null {
  return list.length === 0 ? null : list;
}

function readDetails(signature: unknown): readonly unknown[] | null {
  const value = parseJson(asString(signature) ?? '');
  return Array.isArray(value) && value.length > 0 && value.every(isDetail) ? value : null;
}

/** Encrypted thinking as older sessions record it, at a call. */
function readEncrypted(signature: unknown): JsonObject | null {
  const value = parseJson(asString(signature) ?? '');
  return isDetail(value) && value.type === 'reasoning.encrypted' && value.id && value.data ? value : null;
}

function isDetail(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type, id, format, index, summary, data, text, signature } = value as JsonObject;
  if (!isTextOrNull(id) || !(format === undefined || typeof format === 'string')) return false;
  if (!(index === undefined || typeof index === 'number')) return false;
  if (type === 'reasoning.summary') return typeof summary === 'string';
  if (type === 'reasoning.encrypted') return typeof data === 'string';
  return type === 'reasoning.text' && typeof text === 'string' && isTextOrNull(signature);
}

function isTextOrNull(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}
