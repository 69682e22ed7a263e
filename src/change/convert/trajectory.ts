import { asCount, asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { listBlocks, toBlocks } from '#context/words/message-blocks.js';
import { type Entry, messageOf, type StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';

/** The entries that become one step: those before it that are no messages, and an answer with its results. */
interface StepEntries {
  readonly source: 'system' | 'user' | 'agent';
  readonly entries: Entry[];
  /** The entry with the message of the step. */
  readonly main: Entry;
  readonly results: StoredMessage[];
}

/**
 * Writes a path of a session as a trajectory in ATIF 1.7, in pieces of its JSON. Each step has in `extra.ctx.entries` the entries
 * that it is made of, so that ctx reads the trajectory back as the session. Source: RFC 0001 of harbor-framework/harbor.
 */
export function* writeTrajectory(session: OpenSession, path: readonly Head[]): Generator<string> {
  const { header, agent } = session;
  const { system, tools } = buildEnvelope(session, path.at(-1) ?? null);
  const description = {
    name: agent?.name ?? 'pi',
    version: agent?.version || 'unknown',
    ...(tools.length > 0 ? { tool_definitions: tools.map(toFunction) } : {}),
  };
  yield `{"schema_version":"ATIF-v1.7","session_id":${JSON.stringify(header.id)},"agent":${JSON.stringify(description)},`;
  yield `"extra":${JSON.stringify({ ctx: { header: { ...header.fields, type: 'session', id: header.id } } })},"steps":[`;
  const totals = new Totals();
  let id = 0;
  const prompt = system.parts.map(({ text }) => text).join('\n\n');
  if (prompt !== '') {
    id += 1;
    yield JSON.stringify({ step_id: id, source: 'system', message: prompt, extra: { ctx: { entries: [] } } });
  }
  for (const step of groupSteps(session, path)) {
    id += 1;
    const written = buildStep(id, step);
    totals.add(asObject(written.metrics));
    yield `${id > 1 ? ',' : ''}\n${JSON.stringify(written)}`;
  }
  yield `],"final_metrics":${JSON.stringify({ ...totals.toMetrics(), total_steps: id })}}\n`;
}

function toFunction(tool: JsonObject): JsonObject {
  const { name, description, parameters } = tool;
  return { type: 'function', function: { name, description, parameters } };
}

/** Groups the entries of a path, in their order. */
function* groupSteps(session: OpenSession, path: readonly Head[]): Generator<StepEntries> {
  let before: Entry[] = [];
  let step: StepEntries | null = null;
  for (const head of path) {
    const entry = session.entry(head);
    const message = messageOf(entry);
    const source = findSource(entry);
    if (step && message?.role === 'toolResult' && step.source === 'agent') {
      step.entries.push(...before, entry);
      step.results.push(message);
      before = [];
    } else if (source === null) before.push(entry);
    else {
      if (step) yield step;
      step = { source, entries: [...before, entry], main: entry, results: [] };
      before = [];
    }
  }
  if (before.length > 0) {
    const [first] = before;
    if (step) step.entries.push(...before);
    else if (first) step = { source: 'system', entries: before, main: first, results: [] };
  }
  if (step) yield step;
}

/** The source of the step that an entry begins; null for one that is no message. */
function findSource(entry: Entry): StepEntries['source'] | null {
  const message = messageOf(entry);
  if (message?.role === 'user') return 'user';
  if (message?.role === 'assistant') return 'agent';
  return message || entry.type === 'compaction' || entry.type === 'custom_message' || entry.type === 'branch_summary'
    ? 'system'
    : null;
}

function buildStep(id: number, { source, main, entries, results }: StepEntries): JsonObject {
  const timestamp = asString(main.timestamp);
  const isTime = timestamp !== null && !Number.isNaN(parseTimestamp(timestamp));
  return {
    step_id: id,
    ...(isTime ? { timestamp } : {}),
    source,
    ...(source === 'agent' ? buildAnswerFields(main, results) : { message: buildMessage(main) }),
    extra: {
      ...(main.type === 'compaction' ? { context_management: { type: 'compaction', boundary: 'replace' } } : {}),
      ctx: { entries },
    },
  };
}

/** The message of a step of the user or of the program. */
function buildMessage(entry: Entry): unknown {
  if (entry.type === 'compaction') return readText(entry.summary);
  const stored = readEntryMessage(entry);
  const message = stored && toLlmMessage(stored);
  return message ? toContent(listBlocks(message)) : '';
}

function buildAnswerFields(entry: Entry, results: readonly StoredMessage[]): JsonObject {
  const message = messageOf(entry) ?? {};
  const { provider, model, content, usage } = message as JsonObject;
  const blocks = toBlocks(content);
  const thinking = blocks.flatMap((block) => (block.type === 'thinking' ? [readText(block.thinking)] : []));
  const calls = blocks.filter(({ type }) => type === 'toolCall').map(toCall);
  const metrics = isObject(usage) ? toMetrics(usage) : null;
  return {
    ...(typeof model === 'string' ? { model_name: typeof provider === 'string' ? `${provider}/${model}` : model } : {}),
    message: toContent(blocks.filter(({ type }) => type === 'text' || type === 'image')),
    ...(thinking.some((text) => text !== '') ? { reasoning_content: thinking.join('\n\n') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(results.length > 0 ? { observation: { results: results.map((result) => toResult(result, calls)) } } : {}),
    ...(metrics ? { metrics } : {}),
  };
}

function toCall({ id, name, arguments: input }: JsonObject, at: number): JsonObject {
  return {
    tool_call_id: readText(id) || `call-${at + 1}`,
    function_name: readText(name) || 'tool',
    arguments: isObject(input) ? input : { input },
  };
}

/** A result of a call of another step names no call. */
function toResult(result: StoredMessage, calls: readonly JsonObject[]): JsonObject {
  const { toolCallId, content } = result as JsonObject;
  const isOfStep = calls.some(({ tool_call_id: id }) => id === toolCallId);
  return { ...(isOfStep ? { source_call_id: toolCallId } : {}), content: toContent(toBlocks(content)) };
}

/** A text, or parts where there are images: these are data URLs. */
function toContent(blocks: readonly JsonObject[]): unknown {
  if (blocks.every(({ type }) => type === 'text')) return blocks.map(({ text }) => readText(text)).join('\n');
  return blocks.flatMap(({ type, text, data, mimeType }): readonly JsonObject[] => {
    if (type === 'text') return [{ type, text: readText(text) }];
    const isShown = type === 'image' && IMAGES.has(mimeType);
    const source = { media_type: mimeType, path: `data:${readText(mimeType)};base64,${readText(data)}` };
    return isShown ? [{ type, source }] : [{ type: 'text', text: `[${readText(type) || 'block'}]` }];
  });
}

const IMAGES: ReadonlySet<unknown> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** The prompt tokens are all of the prompt, with those of the cache. */
function toMetrics(usage: JsonObject): JsonObject {
  const cacheRead = readTokens(usage.cacheRead);
  const cacheWrite = readTokens(usage.cacheWrite);
  const cost = asCount(asObject(usage.cost).total);
  return {
    prompt_tokens: readTokens(usage.input) + cacheRead + cacheWrite,
    completion_tokens: readTokens(usage.output),
    cached_tokens: cacheRead,
    ...(cost === null ? {} : { cost_usd: cost }),
    ...(cacheWrite > 0 ? { extra: { cache_creation_input_tokens: cacheWrite } } : {}),
  };
}

function readTokens(value: unknown): number {
  return Math.round(asCount(value) ?? 0);
}

/** The sums of all steps. */
class Totals {
  private prompt = 0;
  private completion = 0;
  private cached = 0;
  private cost: number | null = null;

  add(metrics: JsonObject): void {
    const cost = asCount(metrics.cost_usd);
    this.prompt += asCount(metrics.prompt_tokens) ?? 0;
    this.completion += asCount(metrics.completion_tokens) ?? 0;
    this.cached += asCount(metrics.cached_tokens) ?? 0;
    if (cost !== null) this.cost = (this.cost ?? 0) + cost;
  }

  toMetrics(): JsonObject {
    return {
      total_prompt_tokens: this.prompt,
      total_completion_tokens: this.completion,
      total_cached_tokens: this.cached,
      ...(this.cost === null ? {} : { total_cost_usd: this.cost }),
    };
  }
}

function readText(value: unknown): string {
  return asString(value) ?? '';
}
