import { buildWarning } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import type { CacheTtl } from '#lab/injectors/cache-breakpoints.js';
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
  toOptionNumber,
} from './payload.js';
import { groupResults, type PreparedMessage, type PreparedResult, prepareMessages } from './prepare-messages.js';
import { addressRequest, type Recipient } from './recipient.js';
import { isRefusedByAnthropic, toStrictSchema } from './strict-schema.js';
import { chooseClaudeEffort, chooseThinkingBudget, findEffortForOff, findThinkingModes } from './thinking-modes.js';

export default {
  name: 'anthropic',
  takes: 'request',
  isPayload: true,
  summary: 'the request body of the Anthropic Messages API, with its cache breakpoints',
  leavesOut: [
    'Headers, beta features and streaming.',
    'max_tokens, which is required, is 32000, or the known limit of the model if lower, unless the session or --max-tokens sets it.',
    'A cache of one hour is written as one of five minutes.',
    'Pi sends some models changes of prompt, tools and thinking level within the conversation; here they come before it.',
    'What a subscription adds, and deviations of other providers from this API.',
  ],
  write: formatAnthropic,
} satisfies RequestFormat;

const DIALECT = { vendor: 'anthropic', apis: ['anthropic-messages'] } as const;

function formatAnthropic(request: RequestToExport): ReturnType<RequestFormat['write']> {
  const { recipient, problems } = addressRequest(request, DIALECT);
  const { limit, usual, problems: own } = findOutputLimit(request, recipient);
  const maxTokens = limit ?? usual;
  const thinking = toThinking(recipient, maxTokens);
  const system = markSystem(request);
  const payload = {
    model: recipient.model,
    max_tokens: maxTokens,
    system: system.length === 0 ? undefined : system,
    tools: request.envelope.tools.length === 0 ? undefined : toTools(request, recipient),
    messages: markMessages(
      toMessages(prepareMessages(listLlmMessages(request.envelope), recipient, toCallId)),
      request,
    ),
    ...thinking,
    ...toTemperature(recipient, request.envelope.options.temperature),
  };
  return { pieces: formatPayload(payload), problems: [...problems, ...own, ...(thinking === NO_ROOM ? [TIGHT] : [])] };
}

/** Letters, digits, dashes and no more than 64 of them. */
function toCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

function toTools(request: RequestToExport, { provider }: Recipient): readonly JsonObject[] {
  return request.envelope.tools.map((tool, at) => {
    const isStrict = provider === DIALECT.vendor || provider === 'github-copilot';
    const strict = isStrict ? toStrictSchema(tool, isRefusedByAnthropic) : null;
    const schema = strict ?? (isObject(tool.parameters) ? tool.parameters : {});
    return {
      name: tool.name,
      description: tool.description,
      eager_input_streaming: true,
      strict: strict ? true : undefined,
      input_schema: { ...strict, ...toObjectSchema(schema) },
      ...findToolMarker(request, at),
    };
  });
}

/** Builds a schema that the API accepts: an object at the root, with the definitions that its properties refer to. */
function toObjectSchema({ properties, required, additionalProperties, $defs, definitions }: JsonObject): JsonObject {
  const rest = { additionalProperties, $defs, definitions };
  return { type: 'object', properties: properties ?? {}, required: required ?? [], ...rest };
}

function toThinking(recipient: Recipient, maxTokens: number): JsonObject {
  const { thinking } = recipient;
  const facts = findThinkingModes(recipient);
  if (!facts.thinks || thinking === null) return {};
  if (thinking === 'off') return findEffortForOff(facts) === null ? {} : { thinking: { type: 'disabled' } };
  const display = 'summarized';
  if (facts.thinksByEffort)
    return { thinking: { type: 'adaptive', display }, output_config: { effort: chooseClaudeEffort(facts, thinking) } };
  const budget = chooseThinkingBudget(thinking, maxTokens);
  return budget === null ? NO_ROOM : { thinking: { type: 'enabled', budget_tokens: budget, display } };
}

/** No thinking, because the limit of the answer is too low for any. */
const NO_ROOM = {};
const TIGHT = buildWarning('no-thinking', 'thinking needs a limit of more than 1024 tokens: the request asks for none');

/** The temperature, which a thinking model does not accept. */
function toTemperature({ thinking }: Recipient, temperature: unknown): JsonObject {
  return thinking === null || thinking === 'off' ? { temperature: toOptionNumber(temperature) } : {};
}

/** Messages of the Messages API. Results that follow one another are one message of the user. */
function toMessages(messages: readonly PreparedMessage[]): readonly JsonObject[] {
  const written: JsonObject[] = [];
  for (const message of groupResults(messages)) {
    if (message.role === 'toolResults') written.push({ role: 'user', content: toResultBlocks(message.results) });
    else {
      const content = message.role === 'user' ? toUserContent(message.content) : toAnswerBlocks(message.content);
      if (content.length > 0) written.push({ role: message.role, content });
    }
  }
  return written;
}

function toUserContent(content: string | readonly JsonObject[]): string | readonly JsonObject[] {
  if (typeof content === 'string') return isBlankText(content) ? '' : readBlockText({ text: content });
  // A text that consists of half a surrogate pair is dropped.
  return content.flatMap((block) =>
    isImage(block) ? [toImageBlock(block)] : toTextBlocks({ text: readBlockText(block) }),
  );
}

function toAnswerBlocks(content: readonly JsonObject[]): readonly JsonObject[] {
  return content.flatMap((block): readonly JsonObject[] => {
    switch (block.type) {
      case 'thinking':
        return toThinkingBlocks(block);
      case 'toolCall':
        return [{ type: 'tool_use', id: block.id, name: block.name, input: block.arguments ?? {} }];
      default:
        return toTextBlocks(block);
    }
  });
}

/** Thinking without a signature is sent as text, since Anthropic cannot verify that the model wrote it. */
function toThinkingBlocks({ thinking, thinkingSignature, redacted }: JsonObject): readonly JsonObject[] {
  if (redacted) return [{ type: 'redacted_thinking', data: thinkingSignature }];
  const text = readBlockText({ text: thinking });
  return isBlankText(thinkingSignature)
    ? toTextBlocks({ text: thinking })
    : [{ type: 'thinking', thinking: text, signature: thinkingSignature }];
}

function toTextBlocks(block: JsonObject): readonly JsonObject[] {
  return isBlankText(block.text) ? [] : [{ type: 'text', text: readBlockText(block) }];
}

function toImageBlock({ mimeType, data }: JsonObject): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** An error result cannot contain images, so the images of all results follow the last one, each with its call. */
function toResultBlocks(results: readonly PreparedResult[]): readonly JsonObject[] {
  const blocks = results.map((result) => ({
    type: 'tool_result',
    tool_use_id: result.toolCallId,
    content: toResultContent(result.isError ? replaceImages(result.content) : result.content),
    is_error: result.isError,
  }));
  return [...blocks, ...results.filter(({ isError }) => isError).flatMap(listErrorImages)];
}

const ATTACHED = { type: 'text', text: '(image attached after the tool results)' };

/** Replaces each run of images with one remark. */
function replaceImages(content: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const block of content) {
    if (!isImage(block)) kept.push(block);
    else if (kept.at(-1)?.text !== ATTACHED.text) kept.push(ATTACHED);
  }
  return kept;
}

function listErrorImages({ toolCallId, toolName, content }: PreparedResult): readonly JsonObject[] {
  const images = content.filter(isImage);
  if (images.length === 0) return [];
  const text = `Images from the error result of tool call ${toolCallId ?? '?'} (${toolName}):`;
  return [{ type: 'text', text }, ...images.map(toImageBlock)];
}

function toResultContent(content: readonly JsonObject[]): string | readonly JsonObject[] {
  if (!content.some(isImage)) return replaceLoneSurrogates(joinBlockTexts(content));
  const blocks = content.map((block) =>
    isImage(block) ? toImageBlock(block) : { type: 'text', text: readBlockText(block) },
  );
  const hasText = blocks.some(({ type }) => type === 'text');
  return hasText ? blocks : [{ type: 'text', text: '(see attached image)' }, ...blocks];
}

type Marker = { readonly cache_control: { readonly type: 'ephemeral'; readonly ttl?: CacheTtl } };

/** Five minutes, as Pi writes it. */
const CACHED: Marker = { cache_control: { type: 'ephemeral' } };

/** A marker of the Messages API; an hour needs the beta header `extended-cache-ttl-2025-04-11` with older models. */
function createMarker(ttl: CacheTtl): Marker {
  return { cache_control: { type: 'ephemeral', ttl } };
}

type CachedRequest = Pick<RequestToExport, 'envelope' | 'breakpoints'>;

/** The system prompt in blocks that end at breakpoints. Without breakpoints it is one block with Pi's marker. */
function markSystem({ envelope, breakpoints }: CachedRequest): readonly JsonObject[] {
  const { parts, compiled } = envelope.system;
  if (compiled === '') return [];
  if (!breakpoints) return [{ type: 'text', text: replaceLoneSurrogates(compiled), ...CACHED }];
  const blocks: JsonObject[] = [];
  let from = 0;
  for (const { at, ttl } of breakpoints.filter(({ place }) => place === 'system')) {
    const end = setParts(EMPTY_ENVELOPE, parts.slice(0, at + 1)).system.compiled.length;
    if (end > from)
      blocks.push({ type: 'text', text: replaceLoneSurrogates(compiled.slice(from, end)), ...createMarker(ttl) });
    from = Math.max(from, end);
  }
  const rest = compiled.slice(from);
  return rest === '' ? blocks : [...blocks, { type: 'text', text: replaceLoneSurrogates(rest) }];
}

function findToolMarker({ envelope, breakpoints }: CachedRequest, at: number): Marker | Record<string, never> {
  const found = breakpoints?.find((each) => each.place === 'tools' && each.at === at);
  if (found) return createMarker(found.ttl);
  return !breakpoints && at === envelope.tools.length - 1 ? CACHED : {};
}

/** Messages with markers at their breakpoints, or as Pi sets one: at the newest message of the user. */
function markMessages(
  messages: readonly JsonObject[],
  { envelope, breakpoints }: CachedRequest,
): readonly JsonObject[] {
  if (!breakpoints)
    return messages.at(-1)?.role === 'user' ? addMarker(messages, messages.length - 1, CACHED) : messages;
  const { cached, uncached } = envelope.messages;
  const last = cached.length + uncached.length - 1;
  return breakpoints
    .filter(({ place }) => place === 'messages')
    .reduce<readonly JsonObject[]>((all, { at, ttl }) => {
      // Results are put together and failed answers dropped, but not at the beginning, nor after the conversation.
      const place = at === 0 ? 0 : all.length - 1 - (last - at);
      return addMarker(all, place, createMarker(ttl));
    }, messages);
}

function addMarker(messages: readonly JsonObject[], place: number, marker: Marker): readonly JsonObject[] {
  return messages.map((message, at) => {
    if (at !== place) return message;
    const { content } = message;
    const blocks: readonly JsonObject[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
    // Thinking cannot have a marker.
    const end = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
    return { ...message, content: blocks.map((block, nth) => (nth === end ? { ...block, ...marker } : block)) };
  });
}
