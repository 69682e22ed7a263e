import { asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { memoizeLongLine } from '../../scan/memoize-long-line.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildReplacement } from '../blocks.js';
import { type EntryLines, EntryList, type ListedEntry } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import {
  type ListRecord,
  listRecordsOf,
  type MessageList,
  pickListRecord,
  toReplacementEntry,
} from './message-list.js';
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

/** Takes the record of a message out of the values of its lines. */
type PickRecord = (values: readonly JsonObject[]) => JsonObject;

/** A record of a message, with its line. */
interface MessageRecord {
  readonly line: AgentRecord;
  readonly value: JsonObject;
  readonly role: 'user' | 'assistant';
  readonly pick: PickRecord;
}

/** A message with the entries that represent it. */
interface ListedMessage {
  /** The entry before them. */
  readonly before: string | null;
  readonly entries: ListedEntry[];
  /** The entries of the results, by the places of their calls. */
  readonly resultsOf: Map<number, ListedEntry>;
  /** The newest line of the record. */
  newest: LineSpan;
}

/** The entry of a compression that is known only from a notice to the user. */
interface NoticeEntry {
  readonly id: string;
  /** The entry before it. */
  readonly before: string | null;
  readonly wasApproximate: boolean;
}

/**
 * The maximum of records in the lists that `updateListRecord` makes. Each has all messages, so their time is quadratic.
 * Later ones are left out; no real file has that many.
 */
const MOST_RELISTED = 1_000_000;

/**
 * Makes entries of the records of a session, in which a later record may replace or drop an earlier one. Its messages are
 * those of the newest list that replaced all of them, and those that were added since.
 */
export class GeminiConversation {
  readonly list: EntryList;
  /** Lines that a later one with the same id replaces. */
  readonly replaced: LineSpan[] = [];
  /** Whether a compression has no record of the messages after it. */
  isApproximate = false;
  /** The list that replaced all messages; null before the first one. */
  private replacement: MessageList | null = null;
  /** The messages since that list, or all if there is none, by their ids. */
  private messages = new Map<unknown, ListedMessage>();
  /** Whether a line set that list, and no answer followed yet. */
  private isListUnanswered = false;
  /** The newest record of a message, which may have the results of its calls. */
  private last: MessageRecord | null = null;
  private notice: NoticeEntry | null = null;
  /** The ids of the calls whose results are known. */
  private readonly answered = new Set<string>();
  /** The number of records in the lists that `updateListRecord` has made. */
  private relistedRecords = 0;
  /** The value of a line with a list, kept until another one is read: its records may all come again. */
  private readonly listValueAt: (span: LineSpan) => JsonObject;

  constructor(
    sessionId: string,
    private readonly valueAt: (span: LineSpan) => JsonObject,
  ) {
    this.list = new EntryList(sessionId);
    this.listValueAt = memoizeLongLine(0, valueAt);
  }

  /** Adds what a line adds to the conversation. Returns false if that is nothing. */
  addLine(line: AgentRecord): boolean {
    const { value } = line;
    const { $set: set, $rewindTo: target } = value;
    if (isObject(set) && Array.isArray(set['messages'])) return this.setMessages(line, listObjects(set['messages']));
    if (typeof target === 'string') return this.rewind(line, target);
    if (isGeminiHeader(value)) return this.addDocument(line, listObjects(value['messages']));
    return 'id' in value && this.addRecord(line, value, (values) => values.at(-1) ?? {});
  }

  /** The messages of a file that is one document. */
  private addDocument(line: AgentRecord, records: readonly JsonObject[]): boolean {
    const before = this.list.entries.length;
    for (const [index, record] of records.entries())
      this.addRecord(line, record, ([value]) => listObjects(value?.['messages'])[index] ?? {});
    return this.list.entries.length > before;
  }

  /** Adds a message, or changes the one that had the record before. Returns false if the record adds nothing. */
  private addRecord(line: AgentRecord, value: JsonObject, pick: PickRecord): boolean {
    const role = geminiRoleOf(value);
    if (role === null) return isCompressionNotice(value) && this.addCompressionNotice(line, value);
    const record = { line, value, role, pick };
    const earlier = this.messages.get(value['id']);
    if (earlier) return this.updateMessage(earlier, record);
    const place = this.findInReplacement(value['id']);
    if (this.replacement && place >= 0) return this.updateListRecord(this.replacement, place, record);
    if (listResponses(value).length > 0) return this.addResponses(record);
    return this.addMessage(record);
  }

  /** The place of a record in the list that replaced all messages; -1 if it is not there. */
  private findInReplacement(wanted: unknown): number {
    return this.replacement?.records.findIndex(({ id }) => id === wanted) ?? -1;
  }

  private addMessage(record: MessageRecord): true {
    // The function of the entry is kept. If it used `record`, it would keep all of its texts in memory.
    const { value, role, pick } = record;
    const at = toEntryLines(record);
    this.list.addModel('google', asString(value['model']), at);
    const message = this.beginMessage(record);
    message.entries.push(this.list.addMessage(role, at, (values) => buildGeminiMessage(pick(values))));
    this.noteNewestRecord(message, record);
    return true;
  }

  /** A later record of a message: the client writes it again when its calls have results, and when it masks these. */
  private updateMessage(message: ListedMessage, record: MessageRecord): true {
    if (record.role === 'assistant' && this.isFollowed(message)) {
      this.editMaskedResults(message, record);
      return true;
    }
    this.replaceNewestLine(message, record.line);
    this.noteNewestRecord(message, record);
    return true;
  }

  private beginMessage({ line, value }: MessageRecord): ListedMessage {
    const message = { before: this.list.leafId, entries: [], resultsOf: new Map(), newest: toLineSpan(line) };
    this.messages.set(value['id'], message);
    return message;
  }

  private noteNewestRecord(message: ListedMessage, record: MessageRecord): void {
    this.last = record;
    if (record.role === 'assistant') {
      this.isListUnanswered = false;
      this.setUsage(message, record.value);
    }
    this.addResults(message, record);
  }

  /** Adds the results of calls that had none. */
  private addResults(message: ListedMessage, record: MessageRecord): void {
    const { value, pick } = record;
    for (const [index, call] of listFunctionCalls(value).entries()) {
      if (!hasCallResult(call) || message.resultsOf.has(index)) continue;
      this.answered.add(responseCallIdOf(call));
      const build = (values: readonly JsonObject[]): JsonObject => buildCallResult(pick(values), index);
      const entry = this.list.addMessage('toolResult', toEntryLines(record), build);
      message.resultsOf.set(index, entry);
      message.entries.push(entry);
    }
  }

  private setUsage({ entries: [entry] }: ListedMessage, value: JsonObject): void {
    if (!entry) return;
    entry.hasUsage = findGeminiUsage(value) !== null;
    this.list.hasUsage ||= entry.hasUsage;
  }

  /** Whether other messages follow those of a record, so that a request had them as they were. */
  private isFollowed({ entries }: ListedMessage): boolean {
    return entries.length > 0 && this.list.entries.at(-1) !== entries.at(-1);
  }

  /** Replaces the newest line of a message. The first line stays, since it locates the entry. */
  private replaceNewestLine(message: ListedMessage, line: LineSpan): void {
    message.newest = toLineSpan(line);
    for (const { lines } of message.entries) this.replaced.push(...setSecondLine(lines, line));
  }

  /** Edits the results that a later record of the same message has in another form: the client masks them. */
  private editMaskedResults(message: ListedMessage, record: MessageRecord): void {
    const { line, value } = record;
    const earlier = this.valueAt(message.newest);
    const [own] = message.entries;
    if (own) {
      const older = setSecondLine(own.lines, line);
      if (message.resultsOf.size === 0) this.replaced.push(...older);
      this.setUsage(message, value);
    }
    for (const [index, { id }] of message.resultsOf) {
      if (!isResultChanged(earlier, value, index)) continue;
      const build = (values: readonly JsonObject[]): JsonObject => {
        return { targetId: id, replacement: { content: buildCallResult(values.at(-1) ?? {}, index)['content'] } };
      };
      this.list.add({ type: 'context_edit', lines: [toLineSpan(line)], time: Number.NaN, target: id, build });
    }
    this.addResults(message, { ...record, pick: (values) => values.at(-1) ?? {} });
    message.newest = toLineSpan(line);
  }

  /**
   * Adds the results of calls in a record of the user, and its words. Mostly the record of the calls has the results
   * already.
   */
  private addResponses(record: MessageRecord): boolean {
    const { value, pick } = record;
    const message = this.beginMessage(record);
    const at = toEntryLines(record);
    for (const [index, response] of listResponses(value).entries()) {
      const id = responseCallIdOf(response);
      if (id !== '' && this.answered.has(id)) continue;
      this.answered.add(id);
      message.entries.push(this.list.addMessage('toolResult', at, (values) => buildResponse(pick(values), index)));
    }
    if (hasOwnMessage(value))
      message.entries.push(this.list.addMessage('user', at, (values) => buildGeminiMessage(pick(values))));
    return message.entries.length > 0;
  }

  /**
   * Takes a later record of a message in the list that replaced all messages. If other messages follow it, earlier
   * requests had its earlier form: a new list then begins, which has its masked results.
   */
  private updateListRecord(replacement: MessageList, place: number, { line, value }: MessageRecord): boolean {
    if (this.relistedRecords >= MOST_RELISTED) return false;
    const earlier = replacement.records[place];
    const isFollowed = this.messages.size > 0;
    if (isFollowed && earlier && !this.hasChangedResults(earlier, value)) return false;
    this.relistedRecords += replacement.records.length + this.messages.size;
    const records = replacement.records.with(place, { id: value['id'], span: toLineSpan(line), index: null });
    const since = Array.from(this.messages, ([id, { newest }]) => ({ id, span: newest, index: null }));
    if (!isFollowed) this.list.leafId = replacement.before;
    this.replaceAll(line, [...records, ...since]);
    return true;
  }

  private hasChangedResults(earlier: ListRecord, value: JsonObject): boolean {
    const stored = pickListRecord(this.listValueAt(earlier.span), earlier);
    return listFunctionCalls(value).some((_, index) => isResultChanged(stored, value, index));
  }

  /**
   * Replaces all messages: by a compression, which has new ones, or by a list with masked results, or without an answer
   * that was taken back.
   */
  private setMessages(line: AgentRecord, messages: readonly JsonObject[]): boolean {
    this.undoNotice();
    const listed = this.replacement?.records ?? [];
    const earlier = new Set([...listed.map(({ id }) => id), ...this.messages.keys()]);
    const isCompression = messages.length < earlier.size && messages.some(({ id }) => !earlier.has(id));
    this.replaceAll(line, listRecordsOf(line, messages), isCompression ? 'compaction' : 'replacement');
    this.isListUnanswered = true;
    return true;
  }

  private replaceAll(line: AgentRecord, records: readonly ListRecord[], transformerName = 'replacement'): void {
    this.replacement = { before: this.list.leafId, records };
    this.messages = new Map();
    this.list.add(toReplacementEntry(line, records, transformerName));
  }

  /**
   * Adds a compression that records only its notice. What the model then saw is unknown, except for the newest message,
   * which was sent with it.
   */
  private addCompressionNotice(line: AgentRecord, value: JsonObject): boolean {
    if (this.isListUnanswered) return false;
    const sent = this.last?.role === 'user' ? this.last : null;
    const lines = [toLineSpan(line)];
    if (sent && sent.line.offset !== line.offset) lines.push(toLineSpan(sent.line));
    const before = this.list.leafId;
    const time = readGeminiTime(value);
    const pick = sent?.pick;
    const { id } = this.list.add({
      type: 'context_transform',
      lines,
      time,
      build(values) {
        const messages = pick ? toGeminiMessages([pick(values.slice(-1))]) : [];
        return buildReplacement([buildUnrecordedSummary(time), ...messages], 'compaction');
      },
    });
    this.notice = { id, before, wasApproximate: this.isApproximate };
    this.isApproximate = true;
    return true;
  }

  /** Goes back before the notice of a compression, if nothing but the list with its messages follows it. */
  private undoNotice(): void {
    const { notice } = this;
    if (!notice || this.list.leafId !== notice.id) return;
    this.list.leafId = notice.before;
    this.isApproximate = notice.wasApproximate;
  }

  /** Drops a message and all after it; all messages if it is unknown. Returns whether that adds an entry. */
  private rewind(line: AgentRecord, id: string): boolean {
    const message = this.messages.get(id);
    if (message) {
      this.forgetMessagesFrom(id);
      this.list.leafId = message.before;
      return false;
    }
    const place = this.findInReplacement(id);
    if (this.replacement && place >= 0) {
      this.list.leafId = this.replacement.before;
      this.replaceAll(line, this.replacement.records.slice(0, place));
      return true;
    }
    this.replacement = null;
    this.messages = new Map();
    this.list.leafId = null;
    return false;
  }

  /** Forgets a message and those after it. */
  private forgetMessagesFrom(id: string): void {
    const ids = [...this.messages.keys()];
    for (const later of ids.slice(ids.indexOf(id))) this.messages.delete(later);
  }
}

/** Leaves the first line of an entry and a newer one. Returns the lines that were between. */
function setSecondLine(lines: LineSpan[], newer: LineSpan): readonly LineSpan[] {
  return lines.splice(1, lines.length, toLineSpan(newer));
}

function toEntryLines({ line, value }: MessageRecord): EntryLines {
  return { lines: [toLineSpan(line)], time: readGeminiTime(value) };
}

/** Whether a later record has the result of a call with another content. */
function isResultChanged(earlier: JsonObject, later: JsonObject, index: number): boolean {
  if (!hasCallResult(listFunctionCalls(later)[index] ?? {})) return false;
  const before = JSON.stringify(buildCallResult(earlier, index)['content']);
  return before !== JSON.stringify(buildCallResult(later, index)['content']);
}
