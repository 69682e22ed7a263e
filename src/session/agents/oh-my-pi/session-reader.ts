import type { Problem } from '#base/errors.js';
import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { formatIdWord } from '../../heads/head.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildSpanProblem } from '../blocks.js';
import { LinkedEntries, type LinkedPart, readLineId } from '../linked-entries.js';
import type { AgentRecord } from '../native-records.js';
import { buildCompaction, findKeptAfter } from './compaction.js';
import { joinPrunedResult, listExtensionEntries, listOwnEntries, type SentEntry } from './messages.js';
import type { Start } from './start.js';

/** The newest answer on the path to an entry. */
interface OpenAnswer {
  readonly id: string;
  readonly span: LineSpan;
  /** Whether it failed, so that neither it nor the results of its calls are sent. */
  readonly isFailed: boolean;
  /** The ids of its calls that have no result yet. */
  readonly calls: readonly unknown[];
}

/** Reads the entries of a session of oh-my-pi, which has Pi's format with rules of its own. */
export class SessionReader {
  readonly list: LinkedEntries;
  /** Whether a prompt is recorded: only of a subagent. */
  hasPrompt = false;
  /** The record with which a process ended, if it is the last one. */
  private exit: AgentRecord | null = null;
  /** The newest message, and the line before which it is. */
  private lastMessage: AgentRecord | null = null;
  /** The answers, by the last entry of the line after which they are open. */
  private readonly answers = new Map<string | null, OpenAnswer>();
  private lastLine: string | null = null;

  constructor(
    sessionId: string,
    private readonly start: Start,
  ) {
    this.list = new LinkedEntries(sessionId);
    if (start.title) this.list.addRoot(start.title, toTitle(start.title.value));
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
   * A process that was killed may end a file on an older branch than the one on which another process went on: oh-my-pi
   * resumes it there.
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
        return this.takeMessage(record, isObject(value['message']) ? value['message'] : {}, before);
      case 'custom_message':
        return this.takeAdded(listExtensionEntries(value), ([line = {}]) => listExtensionEntries(line), before, value);
      case 'compaction':
        return { parts: [toCompactionPart(value)], after: before };
      case 'reset_boundary':
        return { parts: [toSame(value)], after: null };
      case 'session_init':
        return { parts: [this.toPrompt(value)], after: before };
      default:
        return { parts: [toPlain(value)], after: before };
    }
  }

  private takeMessage(record: AgentRecord, message: JsonObject, before: OpenAnswer | null): LineEntries {
    const own = listOwnEntries(message);
    if (own) return this.takeAdded(own, ([line = {}]) => listOwnEntries(messageOf(line)) ?? [], before, message);
    const { role } = message;
    if (role === 'toolResult') return takeResult(record.value, message, before);
    if (role === 'assistant') return this.takeAnswer(record, message, before);
    return { parts: [...listUnanswered(before), toSame(record.value)], after: null };
  }

  private takeAnswer(record: AgentRecord, message: JsonObject, before: OpenAnswer | null): LineEntries {
    const { stopReason, content } = message;
    const calls = listObjects(content).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : []));
    const isFailed = stopReason === 'error' || stopReason === 'aborted';
    return {
      parts: [...listUnanswered(before), toSame(record.value)],
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
    const continued = before?.isFailed && customType === 'interrupted-thinking' ? [toContinued(before)] : [];
    if (entries.length === 0) return { parts: [toUnsent(asText(customType ?? role))], after: before };
    const parts = entries.map((sample, at): LinkedPart => {
      const isAdded = sample['sentRole'] === 'developer';
      return { sample, isAdded, isNamed: at === 0, build: (values) => listAgain(values)[at] ?? sample };
    });
    return { parts: [...continued, ...parts], after: before };
  }

  private toPrompt({ systemPrompt }: JsonObject): LinkedPart {
    if (typeof systemPrompt !== 'string') return toUnsent('session_init');
    this.hasPrompt = true;
    return {
      sample: { type: 'context_transform' },
      build: ([line]) => buildPrompt(asString(line?.['systemPrompt']) ?? ''),
    };
  }
}

/** The entries of a line, and the newest answer after them. */
interface LineEntries {
  readonly parts: readonly LinkedPart[];
  /** An answer before the line that is still the newest one; null for none. */
  readonly after: OpenAnswer | null;
  /** The answer that the line is, whose id is that of its last entry. */
  readonly begins?: Omit<OpenAnswer, 'id'>;
}

/** The entry that a process writes when it ends. */
const EXIT = 'session_exit';

function toParentId(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function messageOf({ message }: JsonObject): JsonObject {
  return isObject(message) ? message : {};
}

/** The result of a call. That of a failed answer is not sent, as the answer is not. */
function takeResult(value: JsonObject, message: JsonObject, before: OpenAnswer | null): LineEntries {
  const { toolCallId } = message;
  if (before?.isFailed && before.calls.includes(toolCallId)) return { parts: [toUnsent('toolResult')], after: before };
  const part: LinkedPart = {
    sample: value,
    build: ([line = {}]) => ({ ...line, message: joinPrunedResult(messageOf(line)) }),
  };
  const after = before && { ...before, calls: before.calls.filter((id) => id !== toolCallId) };
  return { parts: [part], after };
}

/** The change of an answer whose calls have no results on the path: it is sent without them, and without signatures. */
function listUnanswered(answer: OpenAnswer | null): readonly LinkedPart[] {
  if (!answer || answer.isFailed || answer.calls.length === 0) return [];
  const { id, span, calls } = answer;
  const open = new Set(calls);
  return [
    {
      sample: { type: 'context_edit', targetId: id },
      lines: [span],
      build: ([line = {}]) => ({ targetId: id, replacement: buildWithoutCalls(messageOf(line), open) }),
    },
  ];
}

function buildWithoutCalls({ content }: JsonObject, open: ReadonlySet<unknown>): JsonObject | null {
  const blocks = listObjects(content)
    .filter(({ type, id }) => !(type === 'toolCall' && open.has(id)) && type !== 'redactedThinking')
    .map((block) => (block['type'] === 'thinking' ? { ...block, thinkingSignature: undefined } : block));
  return blocks.length === 0 ? null : { content: blocks };
}

/** An answer that the user interrupted, which is sent again after all if a note about its last thoughts follows. */
function toContinued({ span }: OpenAnswer): LinkedPart {
  return {
    sample: { type: 'message', message: { role: 'assistant' } },
    lines: [span],
    isAdded: true,
    build: ([line = {}]) => ({ message: continueAnswer(messageOf(line)) }),
  };
}

/** The answer without the thoughts at its end that have no signature, and without its usage. */
function continueAnswer({ usage: _usage, ...answer }: JsonObject): JsonObject {
  const blocks = listObjects(answer['content']);
  let end = blocks.length;
  while (end > 0 && isBlank(blocks[end - 1] ?? {})) end -= 1;
  let start = end;
  while (start > 0 && isUnsignedThought(blocks[start - 1] ?? {})) start -= 1;
  return { ...answer, stopReason: 'stop', content: start === end ? blocks : blocks.slice(0, start) };
}

function toCompactionPart(value: JsonObject): LinkedPart {
  const keptAfter = findKeptAfter(value);
  const time = parseTimestamp(value['timestamp']);
  return {
    sample: value,
    ...(keptAfter === undefined ? {} : { target: keptAfter }),
    build: ([line = {}]) => buildCompaction(line, time),
  };
}

/** An entry of Pi that is kept as it is. */
function toSame(value: JsonObject): LinkedPart {
  return { sample: value, build: ([line = {}]) => line };
}

/** An entry without a message. */
function toPlain(value: JsonObject): LinkedPart {
  const { type, model, role } = value;
  switch (type) {
    case 'branch_summary':
    case 'custom':
    case 'label':
    case 'model_usage':
      return toSame(value);
    case 'thinking_level_change':
      return { sample: value, build: ([line = {}]) => ({ ...line, thinkingLevel: line['thinkingLevel'] ?? 'off' }) };
    case 'model_change':
      return role === undefined || role === 'default' ? toModel(model, value) : toUnsent(`model of ${asText(role)}`);
    case 'title_change':
      return toTitle(value);
    default:
      return toUnsent(String(type));
  }
}

function toTitle({ timestamp }: JsonObject): LinkedPart {
  return { sample: { type: 'session_info', timestamp }, build: ([line]) => ({ name: line?.['title'] }) };
}

/** A model is named `provider/id`. */
function toModel(model: unknown, value: JsonObject): LinkedPart {
  if (typeof model !== 'string') return toSame(value);
  const at = model.indexOf('/');
  const named = at === -1 ? { modelId: model } : { provider: model.slice(0, at), modelId: model.slice(at + 1) };
  return { sample: { type: 'model_change' }, build: () => named };
}

/** An entry that no request has. `customType`: what it is. */
function toUnsent(customType: string): LinkedPart {
  return { sample: { type: 'custom' }, build: ([data]) => ({ customType, data }) };
}

function buildPrompt(text: string): JsonObject {
  const parts = [{ name: 'system', text }];
  const op = { op: 'system_parts_replace', scope: 'cached', invalidateCacheReason: 'the prompt of the request', parts };
  return { schemaVersion: 1, transformerName: 'declaration', patch: [op] };
}

function isBlank({ type, text }: JsonObject): boolean {
  return type === 'text' && asText(text).trim() === '';
}

function isUnsignedThought({ type, thinking, thinkingSignature }: JsonObject): boolean {
  return type === 'thinking' && asText(thinking).trim() !== '' && !thinkingSignature;
}
