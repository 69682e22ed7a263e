import type { Problem } from '#base/errors.js';
import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { formatIdWord } from '../../heads/head.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildPromptDeclaration, buildSpanProblem } from '../blocks.js';
import { LinkedEntries, type LinkedPart, readLineId, toSamePart, toUnsentPart } from '../linked-entries.js';
import type { AgentRecord } from '../native-records.js';
import { buildCompaction, findKeptAfter } from './compaction.js';
import { joinPrunedResult, listExtensionEntries, listOwnEntries, type SentEntry } from './messages.js';
import { listAnswerEdits, type OpenAnswer, toContinuedAnswer } from './open-answer.js';
import { toPlainPart, toTitlePart } from './plain-parts.js';
import type { Start } from './start.js';

/** Reads the entries of a session of oh-my-pi, which has Pi's format with rules of its own. */
export class SessionReader {
  readonly list: LinkedEntries;
  /** Whether a prompt is recorded: only of a subagent. */
  hasPrompt = false;
  /** The record with which a process ended, if it is the last one. */
  private exit: AgentRecord | null = null;
  /** The record of the newest message. */
  private lastMessage: AgentRecord | null = null;
  /** The answers, by the last entry of the line after which they are open. */
  private readonly answers = new Map<string | null, OpenAnswer>();
  private lastLine: string | null = null;

  constructor(
    sessionId: string,
    private readonly start: Start,
  ) {
    this.list = new LinkedEntries(sessionId);
    if (start.title) this.list.addRoot(start.title, toTitlePart(start.title.value));
  }

  /** Adds the entries of a line; false if it has none. */
  take(record: AgentRecord): boolean {
    const { value } = record;
    const id = readLineId(value);
    if (typeof value['type'] !== 'string' || (id === null && this.start.version >= 2)) return false;
    // Version 1 is a list without ids.
    const parentId = this.start.version < 2 ? this.lastLine : toParentId(value['parentId']);
    const before = this.answers.get(this.list.endOf(parentId)) ?? null;
    const { parts, after, begins } = this.toParts(record, before);
    const ids = this.list.add(record, parts, parentId);
    const answer = begins ? { id: ids.at(-1) ?? '', ...begins } : after;
    if (answer) this.answers.set(this.list.lastId, answer);
    this.lastLine = this.list.lastId;
    this.exit = value['type'] === 'custom' && value['customType'] === EXIT ? record : null;
    if (value['type'] === 'message') this.lastMessage = record;
    return true;
  }

  /**
   * A killed process may end a file on an older branch, while another process went on with a newer one. oh-my-pi
   * resumes the older one.
   */
  listProblems(): readonly Problem[] {
    const { exit, lastMessage } = this;
    if (!exit || !lastMessage || this.isBefore(lastMessage, exit)) return [];
    const id = this.list.endOf(readLineId(lastMessage.value));
    const what = `oh-my-pi resumes this session where a killed process was, without entry ${formatIdWord(id)} and those before it on another branch`;
    return [buildSpanProblem(exit, 'stale-leaf', 'warning', what)];
  }

  /** Whether a line is on the path to another one. */
  private isBefore(line: AgentRecord, other: AgentRecord): boolean {
    const parents = new Map(this.list.entries.map(({ id, parentId }) => [id, parentId]));
    const wanted = this.list.endOf(readLineId(line.value));
    const seen = new Set<string>();
    for (
      let id = this.list.endOf(readLineId(other.value));
      id !== null && !seen.has(id);
      id = parents.get(id) ?? null
    ) {
      if (id === wanted) return true;
      seen.add(id);
    }
    return false;
  }

  private toParts(record: AgentRecord, before: OpenAnswer | null): LineEntries {
    const { value } = record;
    switch (value['type']) {
      case 'message':
        return this.takeMessage(record, asObject(value['message']), before);
      case 'custom_message':
        return this.takeAdded(listExtensionEntries(value), ([line = {}]) => listExtensionEntries(line), before, value);
      case 'compaction':
        return { parts: [toCompactionPart(value)], after: before };
      case 'reset_boundary':
        return { parts: [toSamePart(value)], after: null };
      case 'session_init':
        return { parts: [this.toPrompt(value)], after: before };
      default:
        return { parts: [toPlainPart(value)], after: before };
    }
  }

  private takeMessage(record: AgentRecord, message: JsonObject, before: OpenAnswer | null): LineEntries {
    const own = listOwnEntries(message);
    if (own)
      return this.takeAdded(own, ([line = {}]) => listOwnEntries(asObject(line['message'])) ?? [], before, message);
    const { role } = message;
    if (role === 'toolResult') return takeResult(record.value, message, before);
    if (role === 'assistant') return this.takeAnswer(record, message, before);
    return { parts: [...listAnswerEdits(before), toSamePart(record.value)], after: null };
  }

  private takeAnswer(record: AgentRecord, message: JsonObject, before: OpenAnswer | null): LineEntries {
    const { stopReason, content } = message;
    const calls = listObjects(content).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : []));
    const isFailed = stopReason === 'error' || stopReason === 'aborted';
    return {
      parts: [...listAnswerEdits(before), toSamePart(record.value)],
      after: null,
      begins: { span: toLineSpan(record), isFailed, calls },
    };
  }

  /** Entries that are messages of no role of Pi; the line is a `custom` entry if the model gets none. */
  private takeAdded(
    entries: readonly SentEntry[],
    listAgain: (values: readonly JsonObject[]) => readonly SentEntry[],
    before: OpenAnswer | null,
    { customType, role }: JsonObject,
  ): LineEntries {
    const continued = before?.isFailed && customType === 'interrupted-thinking' ? [toContinuedAnswer(before)] : [];
    if (entries.length === 0) return { parts: [toUnsentPart(asText(customType ?? role))], after: before };
    const parts = entries.map((sample, at): LinkedPart => {
      const isAdded = sample['sentRole'] === 'developer';
      return { sample, isAdded, isNamed: at === 0, build: (values) => listAgain(values)[at] ?? sample };
    });
    return { parts: [...continued, ...parts], after: before };
  }

  private toPrompt({ systemPrompt }: JsonObject): LinkedPart {
    if (typeof systemPrompt !== 'string') return toUnsentPart('session_init');
    this.hasPrompt = true;
    return {
      sample: { type: 'context_transform' },
      build: ([line]) => buildPromptDeclaration(asString(line?.['systemPrompt']) ?? ''),
    };
  }
}

/** The entries of a line, and the newest answer after them. */
interface LineEntries {
  readonly parts: readonly LinkedPart[];
  /** An answer before the line that is still the newest one; null for none. */
  readonly after: OpenAnswer | null;
  /** The answer that the line holds. Its id is that of the last entry of the line. */
  readonly begins?: Omit<OpenAnswer, 'id'>;
}

/** The entry that a process writes when it ends. */
const EXIT = 'session_exit';

function toParentId(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Takes the result of a call. A failed answer is not sent, and so its results are not either. */
function takeResult(value: JsonObject, message: JsonObject, before: OpenAnswer | null): LineEntries {
  const { toolCallId } = message;
  if (before?.isFailed && before.calls.includes(toolCallId))
    return { parts: [toUnsentPart('toolResult')], after: before };
  const part: LinkedPart = {
    sample: value,
    build: ([line = {}]) => ({ ...line, message: joinPrunedResult(asObject(line['message'])) }),
  };
  const after = before && { ...before, calls: before.calls.filter((id) => id !== toolCallId) };
  return { parts: [part], after };
}

function toCompactionPart(value: JsonObject): LinkedPart {
  const time = parseTimestamp(value['timestamp']);
  return { sample: value, target: findKeptAfter(value), build: ([line = {}]) => buildCompaction(line, time) };
}
