import { buildWarning, type Problem } from '#base/errors.js';
import { asString, asText, isObject, type JsonObject, parseJson } from '#base/json.js';
import { computeShortHash } from '#base/short-hash.js';
import type { LlmMessage, ToolDefinition } from '#context/replay/content.js';
import { readTarget } from '#context/request/wire-messages.js';
import type { RequestFormat, RequestToExport } from './define.js';
import {
  findOutputLimit,
  formatPayload,
  isImage,
  joinBlockTexts,
  listLlmMessages,
  readBlockText,
  replaceLoneSurrogates,
  toDataUrl,
  toOptionNumber,
} from './payload.js';
import { type PreparedMessage, prepareMessages, type ToCallId } from './prepare-messages.js';
import { addressRequest, type Recipient } from './recipient.js';
import { toStrictSchema } from './strict-schema.js';
import { chooseEffort, findEffortForOff, findThinkingModes } from './thinking-modes.js';

export default {
  name: 'openai-responses',
  takes: 'request',
  isPayload: true,
  summary: 'the request body of the OpenAI Responses API, which caches without breakpoints',
  leavesOut: [
    'Headers, the cache key and streaming.',
    'max_output_tokens, if neither the session nor --max-tokens sets it.',
    'Pi sends some models changes of prompt, tools and thinking level within the conversation; here they come before it.',
    'Tools with a grammar for their input are sent as functions.',
    'Deviations of other providers from this API.',
  ],
  write: formatResponses,
} satisfies RequestFormat;

const DIALECT = {
  vendor: 'openai',
  apis: ['openai-responses', 'openai-codex-responses', 'azure-openai-responses'],
} as const;

/** The API refuses a limit that is lower. */
const LEAST_OUTPUT = 16;

function formatResponses(request: RequestToExport): ReturnType<RequestFormat['write']> {
  const { envelope } = request;
  const { recipient, problems } = addressRequest(request, DIALECT);
  const { limit, problems: ofLimit } = findOutputLimit(request, recipient);
  const system = replaceLoneSurrogates(envelope.system.compiled);
  const role = findThinkingModes(recipient).thinks ? 'developer' : 'system';
  const items = listItems(prepareMessages(listLlmMessages(envelope), recipient, createIdRule(recipient)), recipient);
  const payload = {
    model: recipient.model,
    input: [...(system === '' ? [] : [{ role, content: system }]), ...items.written],
    tools: envelope.tools.length === 0 ? undefined : toTools(envelope.tools, recipient),
    max_output_tokens: limit === undefined ? undefined : Math.max(limit, LEAST_OUTPUT),
    temperature: toOptionNumber(envelope.options.temperature),
    ...toReasoning(recipient),
    store: false,
  };
  return { pieces: formatPayload(payload), problems: [...problems, ...ofLimit, ...items.problems] };
}

/** The providers of this API that support strict tools. */
const STRICT_PROVIDERS: ReadonlySet<string> = new Set(['openai', 'cloudflare-ai-gateway', 'github-copilot']);

function toTools(tools: readonly ToolDefinition[], { provider }: Recipient): readonly JsonObject[] {
  return tools.map((tool) => {
    const schema = STRICT_PROVIDERS.has(provider) ? toStrictSchema(tool) : null;
    return {
      type: 'function',
      name: tool.name,
      description: tool.description,
      parameters: schema ?? tool.parameters,
      strict: STRICT_PROVIDERS.has(provider) ? schema !== null : undefined,
    };
  });
}

function toReasoning(recipient: Recipient): JsonObject {
  const facts = findThinkingModes(recipient);
  if (!facts.thinks || recipient.thinking === null) return {};
  const effort = chooseEffort(facts, recipient.thinking);
  if (recipient.thinking !== 'off' && effort !== null)
    return { reasoning: { effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] };
  const off = recipient.provider === 'github-copilot' ? null : findEffortForOff(facts);
  return off === null ? {} : { reasoning: { effort: off } };
}

/** The longest id that the API takes. */
const LONGEST_ID = 64;

/** Providers whose ids name a call and the item that it came in, as `call|item`. */
const NAME_ITEMS: ReadonlySet<string> = new Set(['openai', 'openai-codex', 'opencode']);

function createIdRule({ provider, api }: Recipient): ToCallId {
  return (id, message) => {
    const [call = '', item] = id.split('|');
    if (item === undefined || !NAME_ITEMS.has(provider)) return toPlainId(id);
    const from = readTarget(message);
    const isFromElsewhere = from.provider !== provider || from.api !== api;
    const name = isFromElsewhere ? `fc_${computeShortHash(item)}` : toPlainId(item);
    return `${toPlainId(call)}|${name.startsWith('fc_') ? name : toPlainId(`fc_${name}`)}`;
  };
}

function toPlainId(id: string): string {
  return id
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .slice(0, LONGEST_ID)
    .replace(/_+$/, '');
}

function listItems(messages: readonly PreparedMessage[], recipient: Recipient) {
  const written: JsonObject[] = [];
  let unreadable = 0;
  let sent = 0;
  for (const message of messages) {
    const { items, lost } = toItems(message, recipient, sent);
    for (const item of items) written.push(item);
    unreadable += lost;
    // Messages are counted, to give texts without an id one.
    if (items.length > 0) sent += 1;
  }
  return { written, problems: unreadable === 0 ? [] : [warnUnreadableThinking(unreadable)] };
}

/** The items of a message; `lost`: the number of thoughts that could not be sent. */
function toItems(message: PreparedMessage, recipient: Recipient, at: number) {
  if (message.role === 'user') {
    const content = toUserContent(message.content);
    return { items: content.length === 0 ? [] : [{ role: message.sentAs, content }], lost: 0 };
  }
  if (message.role === 'toolResult') {
    const callId = message.toolCallId?.split('|')[0];
    return { items: [{ type: 'function_call_output', call_id: callId, output: toOutput(message.content) }], lost: 0 };
  }
  const answer = { from: findOrigin(message.message, recipient), at };
  let texts = 0;
  const items = message.content.map((block) => toItem(block, answer, block.type === 'text' ? texts++ : 0));
  return {
    items: items.filter((item) => item !== null && item !== undefined),
    lost: items.filter((item) => item === null).length,
  };
}

function toUserContent(content: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: readBlockText({ text: content }) }];
  return content.map((block) =>
    isImage(block) ? toImageItem(block) : { type: 'input_text', text: readBlockText(block) },
  );
}

function toImageItem(block: JsonObject): JsonObject {
  return { type: 'input_image', detail: 'auto', image_url: toDataUrl(block) };
}

function toOutput(content: readonly JsonObject[]): string | readonly JsonObject[] {
  const text = joinBlockTexts(content);
  const images = content.filter(isImage);
  const isBlank = text.trim() === '';
  if (images.length === 0) return isBlank ? '(no tool output)' : replaceLoneSurrogates(text);
  return [...(isBlank ? [] : [{ type: 'input_text', text: replaceLoneSurrogates(text) }]), ...images.map(toImageItem)];
}

interface Answer {
  readonly from: 'the model' | 'another model there' | 'elsewhere';
  /** The place among the messages. */
  readonly at: number;
}

function findOrigin(message: LlmMessage, { provider, api, model }: Recipient): Answer['from'] {
  const from = readTarget(message);
  if (from.provider !== provider || from.api !== api) return 'elsewhere';
  return from.model === model ? 'the model' : 'another model there';
}

/** undefined for a block that is not sent, null for thinking that cannot be sent. */
function toItem(block: JsonObject, answer: Answer, texts: number): JsonObject | null | undefined {
  switch (block.type) {
    case 'thinking':
      return block.thinkingSignature ? readReasoningItem(block.thinkingSignature) : undefined;
    case 'text': {
      const { id, phase } = readTextSignature(block.textSignature);
      const name = id || `msg_pi_${answer.at}${texts === 0 ? '' : `_${texts}`}`;
      return {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: readBlockText(block), annotations: [] }],
        status: 'completed',
        id: name.length > LONGEST_ID ? `msg_${computeShortHash(name)}` : name,
        phase,
      };
    }
    default:
      return toCallItem(block, answer);
  }
}

/** The signature is the item itself, as the API gave it. */
function readReasoningItem(signature: unknown): JsonObject | null {
  const item = parseJson(asText(signature));
  return isObject(item) ? item : null;
}

/** The id that a text had, alone or as JSON with the part that it has in the answer. */
function readTextSignature(signature: unknown) {
  const text = asString(signature);
  if (!text) return {};
  if (!text.startsWith('{')) return { id: text };
  const { v, id, phase } = (parseJson(text) ?? {}) as JsonObject;
  if (v !== 1 || typeof id !== 'string') return { id: text };
  return phase === 'commentary' || phase === 'final_answer' ? { id, phase } : { id };
}

/** The item of another model at the same place was one with its thinking, and cannot be named without that. */
function toCallItem({ id, name, arguments: given, namespace }: JsonObject, { from }: Answer): JsonObject {
  const [callId, item] = (asString(id) ?? '').split('|');
  return {
    type: 'function_call',
    id: from !== 'another model there' && item?.startsWith('fc_') ? item : undefined,
    call_id: callId,
    name,
    arguments: JSON.stringify(given ?? {}),
    namespace: from === 'the model' ? namespace : undefined,
  };
}

function warnUnreadableThinking(count: number): Problem {
  const what =
    'of the signatures of thinking are no items of this API and were left out: Pi could not send this request';
  return buildWarning('unreadable-thinking', `${count} ${what}`);
}
