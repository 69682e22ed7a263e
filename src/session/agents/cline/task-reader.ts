import { asCount, asObject, asString, type JsonObject, listObjects, parseJson } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildReplacement } from '../blocks.js';
import { type EntryLines, EntryList } from '../entry-list.js';
import { listOnce } from '../list-once.js';
import { AS_KEPT, buildClineUsage, listBodies, listCalls, readModel } from './parts.js';

/** The messages that were left out of a request, and the changes in it. */
interface Sent {
  /** The last message of those from the third on that were left out; null if none were. */
  readonly deletedTo: number | null;
  /** Milliseconds since 1970 up to which changes of texts count. */
  readonly since: number;
  /** The number of those changes. */
  readonly edits: number;
}

/** A request as the screen shows it. */
interface Request extends Sent {
  /** The place of its answer among the messages. */
  readonly answer: number;
  readonly time: number;
  readonly usage: JsonObject | null;
}

const listMessages = listOnce((document): readonly JsonObject[] => listObjects(document['messages']));
const listToolNames = listOnce((document) => [new Map(listMessages(document).flatMap(listCalls))]);

function toolNamesOf(document: JsonObject): ReadonlyMap<string, string> {
  return listToolNames(document)[0] ?? new Map<string, string>();
}

/** Makes entries of a task of Cline before version 4. */
export class TaskReader {
  readonly list: EntryList;
  /** Milliseconds since 1970 at which the task began; NaN if unknown. */
  readonly begin: number;
  private readonly requests: ReadonlyMap<number, Request>;

  constructor(
    private readonly span: LineSpan,
    sessionId: string,
    private readonly document: JsonObject,
  ) {
    this.list = new EntryList(sessionId);
    this.requests = new Map(listRequests(document).map((request) => [request.answer, request] as const));
    const [first] = listObjects(document['ui']);
    // A task is named by the time at which it began.
    this.begin = asCount(first?.['ts']) ?? (/^\d{13}$/.test(sessionId) ? Number(sessionId) : Number.NaN);
  }

  readAll(): void {
    let sent: Sent = NOTHING_CHANGED;
    let time = this.begin;
    for (const [at, message] of listMessages(this.document).entries()) {
      const request = this.requests.get(at);
      time = asCount(message['ts']) ?? request?.time ?? time;
      if (request && (request.deletedTo !== sent.deletedTo || request.edits !== sent.edits)) {
        this.replace(at, request, time);
        sent = request;
      }
      this.take(at, message, time);
    }
  }

  private take(at: number, message: JsonObject, time: number): void {
    const model = readModel(message) ?? findModel(this.document, time);
    if (message['role'] === 'assistant' && model) this.list.addModel(model.provider, model.model, this.at(time));
    for (const [index, body] of listBodiesAt(this.document, at).entries()) {
      const role = asString(body['role']) ?? 'user';
      const request = role === 'assistant' ? this.requests.get(at) : undefined;
      const answer = role === 'assistant' ? { usage: request?.usage ?? readMetrics(message), model } : null;
      this.list.addMessage(
        role,
        this.at(time),
        ([document]) => buildMessage(document && listBodiesAt(document, at)[index], time, answer),
        answer?.usage !== null && answer !== null,
      );
    }
  }

  /** The messages of a request from which some were left out, up to its answer. */
  private replace(answer: number, request: Sent, time: number): void {
    this.list.add({
      type: 'context_transform',
      ...this.at(time),
      build: ([document]) => buildReplacement(listSent(document, answer, request, time)),
    });
  }

  private at(time: number): EntryLines {
    return { lines: [this.span], time };
  }
}

const NOTHING_CHANGED: Sent = { deletedTo: null, since: 0, edits: 0 };

interface AnswerRecord {
  readonly usage: JsonObject | null;
  readonly model: ReturnType<typeof readModel>;
}

function buildMessage(body: JsonObject | undefined, time: number, answer: AnswerRecord | null): JsonObject {
  if (answer === null) return { ...body, timestamp: time };
  const calls = listObjects(body?.['content']).some(({ type }) => type === 'toolCall');
  const { usage, model } = answer;
  return {
    ...body,
    ...(model ?? { provider: 'unknown', model: 'unknown' }),
    ...(usage === null ? {} : { usage }),
    stopReason: calls ? 'toolUse' : 'stop',
    timestamp: time,
  };
}

const listAllBodies = listOnce((document) =>
  listMessages(document).map((message) => listBodies(message, toolNamesOf(document), AS_KEPT)),
);

function listBodiesAt(document: JsonObject, at: number): readonly JsonObject[] {
  return listAllBodies(document)[at] ?? [];
}

/** The requests of a task, by what the screen shows. */
function listRequests(document: JsonObject): readonly Request[] {
  const ui = listObjects(document['ui']);
  const starts = ui.flatMap(({ say }, at) => (say === 'api_req_started' ? [at] : []));
  const editTimes = listEdits(document)
    .map(({ time }) => time)
    .filter((time) => !Number.isNaN(time))
    .toSorted((a, b) => a - b);
  let before = -Infinity;
  return starts.map((at, index) => {
    const start = ui[at] ?? {};
    const own = ui.slice(at + 1, starts[index + 1]).find(({ say }) => !BEFORE_REQUEST.has(asString(say) ?? ''));
    const since = before;
    before = asCount(start['ts']) ?? before;
    return {
      answer: (readInteger(start['conversationHistoryIndex']) ?? index * 2 - 1) + 2,
      time: before,
      usage: readUsage(start),
      deletedTo: readDeletedTo(own ?? start),
      since,
      edits: findFirstPast(editTimes.length, (place) => (editTimes[place] ?? 0) > since),
    };
  });
}

/** The kinds of messages on the screen that come before the messages to leave out are chosen. */
const BEFORE_REQUEST: ReadonlySet<string> = new Set(['checkpoint_created', 'hook_status', 'api_req_retried']);

function readInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null;
}

/** From the third message on, up to this one. */
function readDeletedTo({ conversationHistoryDeletedRange: range }: JsonObject): number | null {
  const end = Array.isArray(range) ? readInteger(range[1]) : null;
  return end !== null && end >= FIRST_KEPT ? end : null;
}

/** The first two messages always stay. */
const FIRST_KEPT = 2;

function readUsage({ text }: JsonObject): JsonObject | null {
  const counts = asObject(parseJson(asString(text) ?? ''));
  const { tokensIn, tokensOut, cacheReads, cacheWrites, cost } = counts;
  const prompt = (asCount(tokensIn) ?? 0) + (asCount(cacheReads) ?? 0) + (asCount(cacheWrites) ?? 0);
  return buildClineUsage({ prompt, output: tokensOut, cacheRead: cacheReads, cacheWrite: cacheWrites, cost });
}

/**
 * The tokens that an answer has itself, for a task without a screen. `cached` is the sum of what was read from the cache and
 * what was written to it, so that only answers without a cache tell all tokens.
 */
function readMetrics({ metrics }: JsonObject): JsonObject | null {
  const { prompt, completion, cached } = asObject(asObject(metrics)['tokens']);
  if ((asCount(cached) ?? 0) > 0) return null;
  return buildClineUsage({ prompt, output: completion, cacheRead: 0, cacheWrite: 0, cost: null });
}

/** A text of a message that was replaced. */
interface Edit {
  readonly message: number;
  readonly block: number;
  readonly time: number;
  readonly text: string;
}

/** `context_history.json`: `[message, [kind, [[block, [[time, "text", [text], …], …]], …]]]`. */
const listEdits = listOnce((document): readonly Edit[] =>
  listItems(document['edits']).flatMap(([message, tuple]) =>
    listItems(Array.isArray(tuple) ? (tuple as unknown[])[1] : null).flatMap(([block, changes]) =>
      listItems(changes).flatMap(([time, kind, texts]) => {
        const [text] = Array.isArray(texts) ? (texts as unknown[]) : [];
        const isText = kind === 'text' && typeof text === 'string';
        return isText ? [{ message: Number(message), block: Number(block), time: Number(time), text }] : [];
      }),
    ),
  ),
);

function listItems(value: unknown): readonly (readonly unknown[])[] {
  return Array.isArray(value) ? value.filter((item): item is unknown[] => Array.isArray(item)) : [];
}

/** The messages before an answer as they were sent: the first two and those that were not left out, with changed texts. */
function listSent(document: JsonObject | undefined, answer: number, sent: Sent, time: number): readonly JsonObject[] {
  if (!document) return [];
  const { deletedTo, since } = sent;
  const edits = new Map<number, Edit[]>();
  for (const edit of listEdits(document)) if (edit.time <= since) addTo(edits, edit.message, edit);
  const toolNames = toolNamesOf(document);
  return listMessages(document)
    .slice(0, answer)
    .flatMap((message, at) => {
      if (deletedTo !== null && at >= FIRST_KEPT && at <= deletedTo) return [];
      const own = applyEdits(message, edits.get(at) ?? []);
      const kept = deletedTo !== null && at === deletedTo + 1 ? dropResults(own) : own;
      return listBodies(kept, toolNames, AS_KEPT).map((body) => ({
        ...body,
        ...(body['role'] === 'assistant' ? (readModel(message) ?? { provider: 'unknown', model: 'unknown' }) : {}),
        timestamp: asCount(message['ts']) ?? time,
      }));
    });
}

/** The calls of the first message after those that were left out are gone, and so are their results. */
function dropResults(message: JsonObject): JsonObject {
  const { role, content } = message;
  return role === 'user' && Array.isArray(content)
    ? { ...message, content: listObjects(content).filter(({ type }) => type !== 'tool_result') }
    : message;
}

/** The last change of each block counts. */
function applyEdits(message: JsonObject, edits: readonly Edit[]): JsonObject {
  const { content } = message;
  if (edits.length === 0 || !Array.isArray(content)) return message;
  const texts = new Map(edits.map(({ block, text }) => [block, text] as const));
  return {
    ...message,
    content: listObjects(content).map((block, at) => (texts.has(at) ? setText(block, texts.get(at) ?? '') : block)),
  };
}

function setText(block: JsonObject, text: string): JsonObject {
  if (block['type'] === 'text') return { ...block, text };
  const [first, ...others] = listObjects(block['content']);
  if (block['type'] !== 'tool_result' || first?.['type'] !== 'text') return block;
  return { ...block, content: [{ ...first, text }, ...others] };
}

/** The models that a task used, in the order of their times. */
const listUsedModels = listOnce((document) =>
  listObjects(asObject(document['metadata'])['model_usage'])
    .map((used) => ({ ...used, ts: asCount(used['ts']) ?? Infinity }))
    .toSorted((a, b) => (a.ts < b.ts ? -1 : Number(a.ts > b.ts))),
);

/** The model that a task used at a time, for messages that do not name theirs. */
function findModel(document: JsonObject, time: number): ReturnType<typeof readModel> {
  const used = listUsedModels(document);
  const place = findFirstPast(used.length, (at) => !((used[at]?.ts ?? Infinity) <= time));
  const entry: JsonObject | undefined = used[Math.max(0, place - 1)];
  const provider = asString(entry?.['model_provider_id']);
  const model = asString(entry?.['model_id']);
  return provider === null || model === null ? null : { provider, model };
}

/** The working directory that the first message names: Cline tells it to the model. */
export function findWorkingDirectory(document: JsonObject): string | null {
  const [first] = listMessages(document);
  for (const { text } of listObjects(first?.['content'])) {
    const [, cwd] = DIRECTORY.exec(asString(text) ?? '') ?? [];
    if (cwd !== undefined) return cwd;
  }
  return null;
}

const DIRECTORY = /# Current Working Directory \(((?:\/|[A-Za-z]:)[^\n]{0,4096}?)\) Files\n/;
