import { createHash } from 'node:crypto';
import { listUsages, NO_MODEL, type UsageRecord } from '#analysis/stats/usage-records.js';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import { toBlocks } from '#context/words/message-blocks.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { type Attributes, CLIENT, FAILED, INTERNAL, type OtlpSpan, toAttributes, toNanoseconds } from './otlp.js';

/**
 * Makes the spans of a path: one for each request and each tool call, and the one of the session last, since it ends with
 * them. Source of the attributes: the semantic conventions of OpenTelemetry 1.41, `docs/gen-ai`, whose status is Development.
 */
export function* listSpans(session: OpenSession, path: readonly Head[], hasContent: boolean): Generator<OtlpSpan> {
  const spans = new SpanBuilder(session, hasContent);
  for (const head of path) yield* spans.take(head);
  yield spans.buildSession(path);
}

/** The names that the conventions have for providers, where they are others than those of sessions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  'azure-openai-responses': 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_call',
  error: 'error',
  aborted: 'error',
};

/** The type of an error that has no other name in the conventions. */
const OTHER = '_OTHER';

/** The types of entries without a role that a request sends. */
const SENT: ReadonlySet<string> = new Set(['compaction', 'branch_summary', 'custom_message']);

interface OpenCall {
  readonly name: string;
  readonly input: unknown;
  readonly time: number;
}

class SpanBuilder {
  private readonly traceId: string;
  private readonly sessionSpan: string;
  /** The newest recorded time, in milliseconds; NaN before the first one. */
  private time = Number.NaN;
  /** The time of the newest entry that a request sends: others, such as a change of the model, may have that of its answer. */
  private sent = Number.NaN;
  private first = Number.NaN;
  private provider: string | null = null;
  /** The messages since the last request. */
  private inputs: JsonObject[] = [];
  private readonly calls = new Map<string, OpenCall>();

  constructor(
    private readonly session: OpenSession,
    private readonly hasContent: boolean,
  ) {
    this.traceId = hash('trace', session.header.id).slice(0, 32);
    this.sessionSpan = this.nameSpan('session');
  }

  *take(head: Head): Generator<OtlpSpan> {
    const entry = this.session.entry(head);
    const before = this.sent;
    // A time before an earlier one is that of a copy, or of another clock.
    if (!Number.isNaN(head.time) && !(head.time < this.time)) this.time = head.time;
    if (Number.isNaN(this.first)) this.first = this.time;
    const message = asObject(entry.message);
    const [own, ...others] = listUsages(head, entry);
    if (head.role === 'assistant' && answersRequest(head)) {
      yield this.buildRequest(head, message, own?.usage ?? null, before);
      for (const [at, call] of others.entries()) yield this.buildSideCall(head, call, at, before);
    } else if (own && own.source !== 'tools') yield this.buildSideCall(head, own, 0, before);
    if (head.role === 'toolResult') yield* this.takeResult(head, message);
    if (head.role !== 'assistant') this.addInput(entry);
    if (head.role !== null || SENT.has(head.type ?? '')) this.sent = this.time;
  }

  private buildRequest(head: Head, message: JsonObject, usage: JsonObject | null, before: number): OtlpSpan {
    const { provider, model, responseModel, responseId, stopReason } = message;
    const reason = FINISH_REASONS[asString(stopReason) ?? ''] ?? null;
    for (const { type, id, name, arguments: input } of listObjects(message.content))
      if (type === 'toolCall')
        this.calls.set(asString(id) ?? '', { name: asString(name) ?? '', input, time: this.time });
    const content = this.hasContent
      ? {
          'gen_ai.input.messages': JSON.stringify(this.inputs),
          'gen_ai.output.messages': JSON.stringify([
            { ...toMessage('assistant', message), ...(reason === null ? {} : { finish_reason: reason }) },
          ]),
        }
      : {};
    this.inputs = [];
    const request = readName(model);
    return this.build(this.nameSpan(String(head.index)), ['chat', request], CLIENT, [before, this.time], {
      'gen_ai.provider.name': this.nameProvider(provider),
      'gen_ai.request.model': request,
      'gen_ai.response.model': asString(responseModel),
      'gen_ai.response.id': asString(responseId),
      'gen_ai.response.finish_reasons': reason === null ? null : [reason],
      'error.type': reason === 'error' ? OTHER : null,
      ...toUsage(usage),
      ...content,
    });
  }

  /** A call beside the conversation, such as one for a summary. */
  private buildSideCall(head: Head, { model, usage }: UsageRecord, at: number, before: number): OtlpSpan {
    const [, provider = null, name = null] = (model !== NO_MODEL && /^([^/?]+)\/([^?].*)$/.exec(model)) || [];
    return this.build(this.nameSpan(`${head.index} side ${at}`), ['chat', name], CLIENT, [before, this.time], {
      'gen_ai.provider.name': provider === null ? (this.provider ?? OTHER) : (PROVIDERS[provider] ?? provider),
      'gen_ai.request.model': name,
      ...toUsage(usage),
    });
  }

  /** A call of a tool, from its answer to its result. */
  private *takeResult(head: Head, message: JsonObject): Generator<OtlpSpan> {
    const { toolCallId, toolName, isError } = message;
    const id = asString(toolCallId) ?? '';
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.delete(id);
    const name = asString(toolName) || call.name;
    const content = this.hasContent
      ? {
          'gen_ai.tool.call.arguments': JSON.stringify(call.input ?? null),
          'gen_ai.tool.call.result': readTexts(message),
        }
      : {};
    // Some providers use the ids of calls again in a later answer.
    yield this.build(this.nameSpan(`${head.index} tool`), ['execute_tool', name], INTERNAL, [call.time, this.time], {
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'error.type': isError === true ? OTHER : null,
      ...content,
    });
  }

  private addInput(entry: JsonObject): void {
    if (!this.hasContent) return;
    const stored = readEntryMessage(entry);
    const message = stored && toLlmMessage(stored);
    if (!message) return;
    const role = message.role === 'toolResult' ? 'tool' : message.role;
    this.inputs.push(toMessage(role, message));
  }

  /** The whole session, as the call of an agent. */
  buildSession(path: readonly Head[]): OtlpSpan {
    const { session } = this;
    const name = session.agent?.name ?? 'pi';
    const content = this.hasContent ? describePrompt(session, path) : {};
    return this.build(this.sessionSpan, ['invoke_agent', name], INTERNAL, [this.first, this.time], {
      'gen_ai.provider.name': this.provider ?? OTHER,
      'gen_ai.agent.name': name,
      'gen_ai.agent.version': session.agent?.version ?? null,
      ...content,
    });
  }

  private build(
    spanId: string,
    [operation, subject]: readonly [operation: string, subject: string | null],
    kind: number,
    [start, end]: readonly [start: number, end: number],
    attributes: Attributes,
  ): OtlpSpan {
    // 0 is an unknown time.
    const last = Number.isNaN(end) ? 0 : end;
    const isSession = spanId === this.sessionSpan;
    return {
      traceId: this.traceId,
      spanId,
      ...(isSession ? {} : { parentSpanId: this.sessionSpan }),
      name: subject === null ? operation : `${operation} ${subject}`,
      kind,
      startTimeUnixNano: toNanoseconds(Number.isNaN(start) ? last : start),
      endTimeUnixNano: toNanoseconds(last),
      attributes: toAttributes({
        'gen_ai.operation.name': operation,
        'gen_ai.conversation.id': this.session.header.id,
        ...attributes,
      }),
      ...(attributes['error.type'] ? { status: FAILED } : {}),
    };
  }

  private nameProvider(provider: unknown): string {
    const name = readName(provider) ?? OTHER;
    this.provider = PROVIDERS[name] ?? name;
    return this.provider;
  }

  /** The id of a span, which is the same in every export of the session. */
  private nameSpan(name: string): string {
    return hash('span', this.session.header.id, name).slice(0, 16);
  }
}

/** The name of a model or a provider; null for the word that readers of agents have for one that is not recorded. */
function readName(value: unknown): string | null {
  const name = asString(value);
  return name === 'unknown' ? null : name;
}

function hash(...words: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

/** The tokens of the prompt include those of the cache. */
function toUsage(usage: JsonObject | null): Attributes {
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
function toMessage(role: string, message: JsonObject): JsonObject {
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

function readTexts(message: JsonObject): string {
  return toBlocks(message.content)
    .map(({ type, text }) => asString(text) ?? `[${asString(type) ?? 'block'}]`)
    .join('\n');
}

function describePrompt(session: OpenSession, path: readonly Head[]): Attributes {
  const { system, tools } = buildEnvelope(session, path.at(-1) ?? null);
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
