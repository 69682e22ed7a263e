import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildReplacement } from '../blocks.js';
import type { AgentRecord } from '../define.js';
import { EntryList, type ListedEntry } from '../entry-list.js';
import {
  buildCallResult,
  buildGeminiMessage,
  buildResponse,
  buildUnrecordedSummary,
  findGeminiUsage,
  geminiRoleOf,
  hasCallResult,
  hasOwnMessage,
  isCompressionNotice,
  isGeminiHeader,
  listFunctionCalls,
  listResponses,
  readGeminiTime,
  responseCallIdOf,
  toGeminiMessages,
} from './parts.js';

type Place = { readonly lines: LineSpan[]; readonly time: number };

/** Takes the record of a message out of the values of its lines. */
type PickRecord = (values: readonly JsonObject[]) => JsonObject;

/** A message with the entries that represent it. */
interface ListedMessage {
  readonly before: string | null;
  readonly entries: ListedEntry[];
  /** The entries of the results, by the places of their calls. */
  readonly resultsOf: Map<number, ListedEntry>;
  /** The newest line of the record. */
  newest: LineSpan;
}

/** A record of a list that replaced all messages: by its place in the list on its line, or alone on it. */
interface ListRecord {
  readonly id: unknown;
  readonly span: LineSpan;
  readonly index: number | null;
}

/** A list that replaced all messages, and its place in the tree. */
interface MessageList {
  readonly before: string | null;
  readonly records: readonly ListRecord[];
}

/** The records in lists that are made for records which come again: later ones are left out, as no real file has them. */
const MOST_RESTATED = 1_000_000;

interface PlaceInList {
  readonly base: MessageList;
  readonly at: number;
}

/** A record by its place in the list of a line; the line itself without one. */
function findRecord(value: JsonObject | undefined, index: number | null): JsonObject {
  if (index === null) return value ?? {};
  return listObjects(asObject(value?.['$set'])['messages'])[index] ?? {};
}

export class GeminiConversation {
  readonly list: EntryList;
  /** Lines that a later one with the same id replaces. */
  readonly replaced: LineSpan[] = [];
  private known = new Map<unknown, ListedMessage>();
  private base: MessageList | null = null;
  /** The ids of the calls whose results are known. */
  private readonly answered = new Set<string>();
  /** The number of records in lists that were made for records which came again. */
  private restated = 0;
  /** The line of a list that was read last: its records may all come again. */
  private read: { readonly offset: number; readonly value: JsonObject } | null = null;
  /** Whether a compression has no record of the messages after it. */
  isApproximate = false;
  /** The notice of a compression after the newest message, and what was before it. */
  private notice: { readonly id: string; readonly before: string | null; readonly wasApproximate: boolean } | null =
    null;
  /** Whether no answer follows the list that replaced all messages. */
  private isNewList = false;
  /** The newest message, with the results of its calls. */
  private last: { readonly line: LineSpan; readonly pick: PickRecord; readonly role: 'user' | 'assistant' } | null =
    null;

  constructor(
    sessionId: string,
    private readonly valueAt: (span: LineSpan) => JsonObject,
  ) {
    this.list = new EntryList(sessionId);
  }

  /** Adds what a line adds to the conversation; false if that is nothing. */
  take(line: AgentRecord): boolean {
    const { value } = line;
    const set = isObject(value['$set']) ? value['$set'] : null;
    if (set && Array.isArray(set['messages'])) return this.replaceAll(line, listObjects(set['messages']));
    if (typeof value['$rewindTo'] === 'string') return this.rewind(line, value['$rewindTo']);
    if (isGeminiHeader(value)) return this.takeAll(line, listObjects(value['messages']));
    return 'id' in value && this.takeRecord(line, value, (values) => values.at(-1) ?? {});
  }

  /** The messages of a file that is one document. */
  private takeAll(line: AgentRecord, records: readonly JsonObject[]): boolean {
    const before = this.list.entries.length;
    for (const [index, record] of records.entries())
      this.takeRecord(line, record, ([value]) => listObjects(value?.['messages'])[index] ?? {});
    return this.list.entries.length > before;
  }

  private takeRecord(line: AgentRecord, record: JsonObject, pick: PickRecord): boolean {
    const role = geminiRoleOf(record);
    if (role === null) return isCompressionNotice(record) && this.compress(line, record);
    const time = readGeminiTime(record);
    // No function here may use the record: that of the entry, which is kept, would hold it with all of its texts.
    const recordId = record['id'];
    const earlier = this.known.get(recordId);
    const { base } = this;
    const inBase = !earlier && base ? base.records.findIndex(({ id }) => id === recordId) : -1;
    if (base && inBase >= 0) return this.renewInBase(line, record, { base, at: inBase });
    if (earlier && role === 'assistant' && this.isFollowed(earlier)) return this.changeResults(earlier, line, record);
    if (earlier) this.renew(earlier, line);
    else if (listResponses(record).length > 0) return this.takeResponses(line, record, pick);
    else this.list.addModel('google', asString(record['model']), { lines: [toLineSpan(line)], time });
    const known: ListedMessage = earlier ?? {
      before: this.list.leafId,
      entries: [],
      resultsOf: new Map(),
      newest: toLineSpan(line),
    };
    this.known.set(recordId, known);
    this.last = { line: toLineSpan(line), pick, role };
    if (role === 'assistant') this.isNewList = false;
    const at = { lines: [toLineSpan(line)], time };
    if (!earlier) known.entries.push(this.list.addMessage(role, at, (values) => buildGeminiMessage(pick(values))));
    if (known.entries[0] && role === 'assistant') this.noteUsage(known.entries[0], record);
    this.addResults(known, record, at, pick);
    return true;
  }

  /** Adds the results of calls that had none. */
  private addResults(known: ListedMessage, record: JsonObject, at: Place, pick: PickRecord): void {
    for (const [index, call] of listFunctionCalls(record).entries()) {
      if (!hasCallResult(call) || known.resultsOf.has(index)) continue;
      this.answered.add(responseCallIdOf(call));
      const entry = this.list.addMessage('toolResult', at, (values) => buildCallResult(pick(values), index));
      known.resultsOf.set(index, entry);
      known.entries.push(entry);
    }
  }

  /** Whether other messages follow those of a record, so that a request had them as they were. */
  private isFollowed({ entries }: ListedMessage): boolean {
    return entries.length > 0 && this.list.entries.at(-1) !== entries.at(-1);
  }

  /** Edits the results that a later record of the same message has in another form: the client masks them. */
  private changeResults(known: ListedMessage, line: AgentRecord, record: JsonObject): boolean {
    const earlier = this.valueAt(known.newest);
    const at = { lines: [toLineSpan(line)], time: readGeminiTime(record) };
    const [message] = known.entries;
    if (message) {
      const older = message.lines.splice(1, message.lines.length, toLineSpan(line));
      if (known.resultsOf.size === 0) this.replaced.push(...older);
      this.noteUsage(message, record);
    }
    for (const [index, { id }] of known.resultsOf) {
      const old = buildCallResult(earlier, index)['content'];
      const now = buildCallResult(record, index)['content'];
      if (!hasCallResult(listFunctionCalls(record)[index] ?? {}) || JSON.stringify(old) === JSON.stringify(now))
        continue;
      const build = (values: readonly JsonObject[]): JsonObject => {
        return { targetId: id, replacement: { content: buildCallResult(values.at(-1) ?? {}, index)['content'] } };
      };
      this.list.add({ type: 'context_edit', lines: at.lines, time: Number.NaN, target: id, build });
    }
    this.addResults(known, record, at, (values) => values.at(-1) ?? {});
    known.newest = toLineSpan(line);
    return true;
  }

  /**
   * A compression of which only the notice is recorded: what the model saw then is not known, other than the newest
   * message, which was sent with it.
   */
  private compress(line: AgentRecord, record: JsonObject): boolean {
    if (this.isNewList) return false;
    const { last } = this;
    const before = this.list.leafId;
    const isSent = last?.role === 'user';
    const lines = [toLineSpan(line), ...(last && isSent && last.line.offset !== line.offset ? [last.line] : [])];
    const time = readGeminiTime(record);
    const build = (values: readonly JsonObject[]): JsonObject => {
      const sent = last && isSent ? toGeminiMessages([last.pick(values.slice(-1))]) : [];
      return buildReplacement([buildUnrecordedSummary(time), ...sent], 'compaction');
    };
    const { id } = this.list.add({ type: 'context_transform', lines, time, build });
    this.notice = { id, before, wasApproximate: this.isApproximate };
    this.isApproximate = true;
    return true;
  }

  /** Adds the results of calls that the user's record has, unless they are known from the calls, as mostly. */
  private takeResponses(line: AgentRecord, record: JsonObject, pick: PickRecord): boolean {
    const known: ListedMessage = {
      before: this.list.leafId,
      entries: [],
      resultsOf: new Map(),
      newest: toLineSpan(line),
    };
    const at = { lines: [toLineSpan(line)], time: readGeminiTime(record) };
    for (const [index, response] of listResponses(record).entries()) {
      const id = responseCallIdOf(response);
      if (id !== '' && this.answered.has(id)) continue;
      this.answered.add(id);
      known.entries.push(this.list.addMessage('toolResult', at, (values) => buildResponse(pick(values), index)));
    }
    if (hasOwnMessage(record))
      known.entries.push(this.list.addMessage('user', at, (values) => buildGeminiMessage(pick(values))));
    this.known.set(record['id'], known);
    return known.entries.length > 0;
  }

  /** Only the first line, which locates an entry, and the newest one are kept. */
  private renew(known: ListedMessage, line: LineSpan): void {
    known.newest = toLineSpan(line);
    for (const { lines } of known.entries) this.replaced.push(...lines.splice(1, lines.length, toLineSpan(line)));
  }

  /**
   * Replaces a message of the list that replaced all messages. If others follow it, requests had it as it was: from now on,
   * a new list has its masked results.
   */
  private renewInBase(line: AgentRecord, record: JsonObject, { base, at }: PlaceInList): boolean {
    if (this.restated >= MOST_RESTATED) return false;
    if (this.known.size > 0 && !this.hasOtherResults(record, base.records[at])) return false;
    this.restated += base.records.length + this.known.size;
    const records = base.records.with(at, { id: record['id'], span: toLineSpan(line), index: null });
    if (this.known.size === 0) {
      this.list.leafId = base.before;
      this.addReplacement(line, records);
      this.base = { ...base, records };
      return true;
    }
    const since = [...this.known].map(([id, { newest }]) => ({ id, span: newest, index: null }));
    const before = this.list.leafId;
    this.base = { before, records: [...records, ...since] };
    this.addReplacement(line, this.base.records);
    this.known = new Map();
    return true;
  }

  private hasOtherResults(record: JsonObject, earlier: ListRecord | undefined): boolean {
    if (!earlier) return false;
    const { span, index: place } = earlier;
    if (this.read?.offset !== span.offset) this.read = { offset: span.offset, value: this.valueAt(span) };
    const old = findRecord(this.read.value, place);
    return listFunctionCalls(record).some((call, index) => {
      const before = JSON.stringify(buildCallResult(old, index)['content']);
      const now = JSON.stringify(buildCallResult(record, index)['content']);
      return hasCallResult(call) && before !== now;
    });
  }

  private noteUsage(entry: ListedEntry, record: JsonObject): void {
    entry.hasUsage = findGeminiUsage(record) !== null;
    this.list.hasUsage ||= entry.hasUsage;
  }

  /** A compression, which has new messages; results that were masked, or an answer that was taken back. */
  private replaceAll(line: AgentRecord, records: readonly JsonObject[]): boolean {
    if (this.notice && this.list.leafId === this.notice.id) {
      this.list.leafId = this.notice.before;
      this.isApproximate = this.notice.wasApproximate;
    }
    this.isNewList = true;
    const before = this.list.leafId;
    const earlier = new Set([...(this.base?.records ?? []).map(({ id }) => id), ...this.known.keys()]);
    const listed = records.map(({ id }, index) => ({ id, span: toLineSpan(line), index }));
    const isSummary = listed.length < earlier.size && listed.some(({ id }) => !earlier.has(id));
    this.addReplacement(line, listed, isSummary ? 'compaction' : 'replacement');
    this.base = { before, records: listed };
    this.known = new Map();
    return true;
  }

  private addReplacement(line: AgentRecord, records: readonly ListRecord[], transformerName = 'replacement'): void {
    const spans = new Map([[line.offset, toLineSpan(line)]]);
    for (const { span } of records) spans.set(span.offset, span);
    const places = new Map([...spans.keys()].map((offset, place) => [offset, place]));
    const build = (values: readonly JsonObject[]): JsonObject => {
      const stored = records.map(({ span, index }) => findRecord(values[places.get(span.offset) ?? 0], index));
      return buildReplacement(toGeminiMessages(stored), transformerName);
    };
    const lines = [...spans.values()];
    this.list.add({ type: 'context_transform', lines, time: readGeminiTime(line.value), build });
  }

  /** Drops a message and all after it; all messages if it is unknown. */
  private rewind(line: AgentRecord, id: string): boolean {
    const { base } = this;
    const at = base?.records.findIndex((record) => record.id === id) ?? -1;
    const found = this.known.get(id);
    if (found) {
      this.forget(id);
      this.list.leafId = found.before;
      return false;
    }
    this.known = new Map();
    this.base = null;
    this.list.leafId = base && at >= 0 ? base.before : null;
    if (!base || at < 0) return false;
    const records = base.records.slice(0, at);
    this.addReplacement(line, records);
    this.base = { ...base, records };
    return true;
  }

  /** Forgets a message and those after it. */
  private forget(id: string): void {
    let isAfter = false;
    for (const each of this.known.keys()) {
      isAfter ||= each === id;
      if (isAfter) this.known.delete(each);
    }
  }
}
