import { asObject, asString, type JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildMissingResult, buildReplacement } from '../blocks.js';
import { type EntryLines, EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { buildSummary, listBodies, listCalls } from './messages.js';

/** A message of the client's history, which a compaction may keep. */
interface HistoryItem {
  /** The id of its record; null for one that the file lacks. */
  readonly id: string | null;
  readonly line: LineSpan;
  readonly isResult: boolean;
  build(value: JsonObject): JsonObject;
}

/** Makes entries of the records of a session. */
export class MessageReader {
  readonly list: EntryList;
  /** Whether the requests had words that the file lacks, or lacked some that it has. */
  isApproximate = false;
  /** The time of the first record that has one, as a text of the file. */
  firstTime: string | null = null;
  private readonly history: HistoryItem[] = [];
  /** The calls of the newest answer that have no result yet, with the names of their tools. */
  private readonly pending = new Map<string, string>();
  private reminders = 0;

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
  }

  /** Returns false for a record that is no part of a context. */
  take(line: AgentRecord): boolean {
    const { type, timestamp } = line.value;
    this.firstTime ??= asString(timestamp);
    const at = { lines: [toLineSpan(line)], time: parseTimestamp(timestamp ?? Number.NaN) };
    if (type === 'message') return this.takeMessage(line, at);
    if (type === 'compaction_state') return this.takeCompaction(line, at);
    return false;
  }

  /** A message for the user only, such as the run of a hook, is not sent. */
  private takeMessage(line: AgentRecord, at: EntryLines): boolean {
    const message = asObject(line.value['message']);
    if (message['visibility'] === 'user_only') return false;
    const id = asString(line.value['id']);
    const names = new Map(this.pending);
    const bodies = listBodies(message, names);
    const isResult = bodies.some(({ role }) => role === 'toolResult');
    if (!isResult) this.endCalls(line, at.time);
    for (const [index, { role, toolCallId }] of bodies.entries()) {
      const build = (value: JsonObject): JsonObject => ({
        ...listBodies(asObject(value['message']), names)[index],
        timestamp: at.time,
      });
      this.history.push({ id, line: toLineSpan(line), isResult: role === 'toolResult', build });
      this.addEntry(message, role, at, build);
      this.pending.delete(asString(toolCallId) ?? '');
    }
    for (const [callId, name] of listCalls(message)) this.pending.set(callId, name);
    return true;
  }

  private addEntry(message: JsonObject, role: unknown, at: EntryLines, build: HistoryItem['build']): void {
    if (role === 'assistant') this.list.addModel('factory', asString(message['modelId']), at);
    const isAdded = role === 'user' && (message['visibility'] === 'llm_only' || message['role'] !== 'user');
    if (!isAdded) {
      const piRole = role === 'assistant' || role === 'toolResult' ? role : 'user';
      this.list.addMessage(piRole, at, ([value]) => build(value ?? {}));
      return;
    }
    this.reminders += 1;
    // Once there is a newer reminder about the environment, the client leaves out the older one.
    if (this.reminders > 1) this.isApproximate = true;
    this.list.add({
      ...at,
      lines: [...at.lines],
      type: 'custom_message',
      build: ([value]) => ({ customType: 'context', content: build(value ?? {})['content'], display: true }),
    });
  }

  /** Calls without a result get one before the next message. */
  private endCalls(line: AgentRecord, time: number): void {
    for (const [callId, name] of this.pending) {
      const build = (): JsonObject => buildMissingResult(callId, name, time);
      this.history.push({ id: null, line: toLineSpan(line), isResult: true, build });
      this.list.addMessage('toolResult', { lines: [toLineSpan(line)], time }, build);
      this.isApproximate = true;
    }
    this.pending.clear();
  }

  /** A summary, and after it the messages that follow the last one that was summarised. */
  private takeCompaction(line: AgentRecord, at: EntryLines): boolean {
    const { summaryText, anchorMessage } = line.value;
    if (typeof summaryText !== 'string') return false;
    const kept = this.history.slice(this.findKept(asString(asObject(anchorMessage)['id'])));
    this.list.add({
      ...at,
      lines: [...at.lines, ...kept.map((item) => item.line)],
      type: 'context_transform',
      build: ([value, ...values]) =>
        buildReplacement([
          { ...buildSummary(value ?? {}), timestamp: at.time },
          ...kept.map((item, index) => item.build(values[index] ?? {})),
        ]),
    });
    return true;
  }

  /** The index of the first message that is kept: all are, if the file lacks the last one that was summarised. */
  private findKept(anchorId: string | null): number {
    let index = anchorId === null ? 0 : this.history.findLastIndex(({ id }) => id === anchorId) + 1;
    if (index > 0) while (this.history[index]?.isResult === true) index += 1;
    return index;
  }
}
