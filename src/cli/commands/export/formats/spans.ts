import { createHash } from 'node:crypto';
import { listUsages, NO_MODEL, type UsageRecord } from '#analysis/stats/usage-records.js';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { FINISH_REASONS, PROVIDERS, readTexts, toMessage, toPrompt, toUsage } from './gen-ai.js';
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

/** The type of an error that has no other name in the conventions. */
const OTHER = '_OTHER';

/** The types of entries without a role that a request sends. */
const SENT: ReadonlySet<string> = new Set(['compaction', 'branch_summary', 'custom_message']);

/** The beginning of a span, and its names. */
interface SpanStart {
  readonly spanId: string;
  readonly operation: string;
  /** The model, the tool or the agent; null if it is not recorded. */
  readonly subject: string | null;
  readonly kind: number;
  /** Milliseconds since 1970; NaN if it is unknown. */
  readonly start: number;
}

/** A call of a tool without its result. */
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
  /**
   * The time of the newest entry that a request sends: others, such as a change of the model, may have that of its
   * answer.
   */
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
    this.openCalls(message);
    const output = { ...toMessage('assistant', message), finish_reason: reason ?? undefined };
    const content = this.hasContent
      ? {
          'gen_ai.input.messages': JSON.stringify(this.inputs),
          'gen_ai.output.messages': JSON.stringify([output]),
        }
      : {};
    this.inputs = [];
    const request = readName(model);
    const spanId = this.nameSpan(String(head.index));
    return this.build(
      { spanId, operation: 'chat', subject: request, kind: CLIENT, start: before },
      {
        'gen_ai.provider.name': this.nameProvider(provider),
        'gen_ai.request.model': request,
        'gen_ai.response.model': asString(responseModel),
        'gen_ai.response.id': asString(responseId),
        'gen_ai.response.finish_reasons': reason === null ? null : [reason],
        'error.type': reason === 'error' ? OTHER : null,
        ...toUsage(usage),
        ...content,
      },
    );
  }

  /** Remembers the calls of an answer until their results. */
  private openCalls(message: JsonObject): void {
    for (const { type, id, name, arguments: input } of listObjects(message.content)) {
      if (type !== 'toolCall') continue;
      this.calls.set(asString(id) ?? '', { name: asString(name) ?? '', input, time: this.time });
    }
  }

  /** A call beside the conversation, such as one for a summary. */
  private buildSideCall(head: Head, { model, usage }: UsageRecord, at: number, before: number): OtlpSpan {
    const [, provider = null, name = null] = (model !== NO_MODEL && /^([^/?]+)\/([^?].*)$/.exec(model)) || [];
    const spanId = this.nameSpan(`${head.index} side ${at}`);
    return this.build(
      { spanId, operation: 'chat', subject: name, kind: CLIENT, start: before },
      {
        'gen_ai.provider.name': provider === null ? (this.provider ?? OTHER) : (PROVIDERS[provider] ?? provider),
        'gen_ai.request.model': name,
        ...toUsage(usage),
      },
    );
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
    const spanId = this.nameSpan(`${head.index} tool`);
    yield this.build(
      { spanId, operation: 'execute_tool', subject: name, kind: INTERNAL, start: call.time },
      {
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
        'error.type': isError === true ? OTHER : null,
        ...content,
      },
    );
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
    const content = this.hasContent ? toPrompt(buildEnvelope(session, path.at(-1) ?? null)) : {};
    const spanId = this.sessionSpan;
    return this.build(
      { spanId, operation: 'invoke_agent', subject: name, kind: INTERNAL, start: this.first },
      {
        'gen_ai.provider.name': this.provider ?? OTHER,
        'gen_ai.agent.name': name,
        'gen_ai.agent.version': session.agent?.version ?? null,
        ...content,
      },
    );
  }

  /** A span that began at a time and ends now. */
  private build({ spanId, operation, subject, kind, start }: SpanStart, attributes: Attributes): OtlpSpan {
    // 0 is an unknown time.
    const end = Number.isNaN(this.time) ? 0 : this.time;
    return {
      traceId: this.traceId,
      spanId,
      parentSpanId: spanId === this.sessionSpan ? undefined : this.sessionSpan,
      name: subject === null ? operation : `${operation} ${subject}`,
      kind,
      startTimeUnixNano: toNanoseconds(Number.isNaN(start) ? end : start),
      endTimeUnixNano: toNanoseconds(end),
      attributes: toAttributes({
        'gen_ai.operation.name': operation,
        'gen_ai.conversation.id': this.session.header.id,
        ...attributes,
      }),
      status: attributes['error.type'] ? FAILED : undefined,
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
