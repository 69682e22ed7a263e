import { asCount, asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { findFirstPast } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildReplacement, inferStopReason } from '../blocks.js';
import { type EntryLines, EntryList } from '../entry-list.js';
import { readOnce } from '../one-document.js';
import { type AnswerModel, AS_KEPT, buildClineUsage, listBodies, listCalls, readModel } from './parts.js';
import { FIRST_KEPT, listRequests, type SentMessages, type TaskRequest } from './task-requests.js';
import { applyChanges, listTextChanges, type TextChange } from './text-changes.js';

const listMessages = readOnce((document): readonly JsonObject[] => listObjects(document['messages']));
const toolNamesOf = readOnce(
  (document): ReadonlyMap<string, string> => new Map(listMessages(document).flatMap(listCalls)),
);

/** Makes entries of a task of Cline before version 4. */
export class TaskReader {
  readonly list: EntryList;
  /** Milliseconds since 1970 at which the task began; NaN if unknown. */
  readonly begin: number;
  private readonly requests: ReadonlyMap<number, TaskRequest>;

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
    let sent: SentMessages = NOTHING_CHANGED;
    let time = this.begin;
    for (const [at, message] of listMessages(this.document).entries()) {
      const request = this.requests.get(at);
      time = asCount(message['ts']) ?? request?.time ?? time;
      if (request && (request.deletedTo !== sent.deletedTo || request.changes !== sent.changes)) {
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
        answer !== null && answer.usage !== null,
      );
    }
  }

  /** The messages of a request from which some were left out, up to its answer. */
  private replace(answer: number, request: SentMessages, time: number): void {
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

const NOTHING_CHANGED: SentMessages = { deletedTo: null, since: 0, changes: 0 };

interface AnswerRecord {
  readonly usage: JsonObject | null;
  readonly model: AnswerModel | null;
}

function buildMessage(body: JsonObject | undefined, time: number, answer: AnswerRecord | null): JsonObject {
  if (answer === null) return { ...body, timestamp: time };
  const { usage, model } = answer;
  return {
    ...body,
    ...(model ?? { provider: 'unknown', model: 'unknown' }),
    ...(usage === null ? {} : { usage }),
    stopReason: inferStopReason(listObjects(body?.['content'])),
    timestamp: time,
  };
}

const listAllBodies = readOnce((document) =>
  listMessages(document).map((message) => listBodies(message, toolNamesOf(document), AS_KEPT)),
);

function listBodiesAt(document: JsonObject, at: number): readonly JsonObject[] {
  return listAllBodies(document)[at] ?? [];
}

/**
 * The tokens that an answer itself records, for a task without a screen. `cached` sums up the tokens that were read
 * from the cache and written to it, so only answers without a cache tell all tokens.
 */
function readMetrics({ metrics }: JsonObject): JsonObject | null {
  const { prompt, completion, cached } = asObject(asObject(metrics)['tokens']);
  if ((asCount(cached) ?? 0) > 0) return null;
  return buildClineUsage({ prompt, output: completion, cacheRead: 0, cacheWrite: 0, cost: null });
}

/**
 * The messages before an answer as they were sent: the first two and those that were not left out, with changed texts.
 */
function listSent(
  document: JsonObject | undefined,
  answer: number,
  sent: SentMessages,
  time: number,
): readonly JsonObject[] {
  if (!document) return [];
  const { deletedTo, since } = sent;
  const changes = new Map<number, TextChange[]>();
  for (const change of listTextChanges(document)) {
    if (change.time <= since) addTo(changes, change.message, change);
  }
  const toolNames = toolNamesOf(document);
  return listMessages(document)
    .slice(0, answer)
    .flatMap((message, at) => {
      if (deletedTo !== null && at >= FIRST_KEPT && at <= deletedTo) return [];
      const own = applyChanges(message, changes.get(at) ?? []);
      const kept = deletedTo !== null && at === deletedTo + 1 ? dropResults(own) : own;
      return listBodies(kept, toolNames, AS_KEPT).map((body) => ({
        ...body,
        ...(body['role'] === 'assistant' ? (readModel(message) ?? { provider: 'unknown', model: 'unknown' }) : {}),
        timestamp: asCount(message['ts']) ?? time,
      }));
    });
}

/** Drops the results of the first message after those that were left out, since their calls are gone. */
function dropResults(message: JsonObject): JsonObject {
  const { role, content } = message;
  return role === 'user' && Array.isArray(content)
    ? { ...message, content: listObjects(content).filter(({ type }) => type !== 'tool_result') }
    : message;
}

/** The models that a task used, in the order of their times. */
const listUsedModels = readOnce((document) =>
  listObjects(asObject(document['metadata'])['model_usage'])
    .map((used) => ({ ...used, ts: asCount(used['ts']) ?? Infinity }))
    .toSorted((a, b) => (a.ts < b.ts ? -1 : Number(a.ts > b.ts))),
);

/** The model that a task used at a time, for messages that do not name theirs. */
function findModel(document: JsonObject, time: number): AnswerModel | null {
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
