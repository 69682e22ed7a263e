import { asCount, asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import type { LineSpan } from '../../scan/lines.js';
import { spanOf } from '../../scan/scan.js';
import { buildPiHeader, buildReplacement } from '../blocks.js';
import { type AgentFormat, type AgentRecord, type AgentSession } from '../define.js';
import { EntryList, type ListedEntry, type NewAgentEntry } from '../entry-list.js';
import { partsWithoutPrompt } from '../versions.js';
import {
  buildClearedContent,
  buildOpencodeAnswer,
  buildOpencodeResult,
  findOpencodeUsage,
  hasPartResult,
  listOpencodeMessages,
  listRequestParts,
  messageTimeOf,
  type OpencodeMessage,
  pruneTimeOf,
  toOpencodeBlocks,
  toOpencodeMessages,
} from './parts.js';

/** Reads an export, which is one document. */
function read(lines: Iterable<AgentRecord>): AgentSession {
  const [document, ...others] = lines;
  const value = document?.value ?? {};
  const info = asObject(value['info']);
  const { id, time, directory, parentID, version, title, revert } = info;
  const created = asCount(asObject(time)['created']);
  const reader = new ExportReader(
    document ? spanOf(document) : NO_SPAN,
    asString(id) ?? '',
    listOpencodeMessages(value),
  );
  if (typeof title === 'string') reader.name(title, created ?? Number.NaN);
  reader.readAll(isObject(revert) ? asString(revert['messageID']) : null);
  return {
    header: buildPiHeader({
      id: asString(id) ?? '',
      timestamp: formatTime(created),
      cwd: directory,
      parentSession: parentID,
    }),
    isSubagent: typeof parentID === 'string',
    version: asString(version),
    entries: reader.list.entries,
    leafId: reader.leafId === undefined ? reader.list.leafId : reader.leafId,
    unusedLines: others.length + (document && reader.list.entries.length === 0 ? 1 : 0),
    problems: [],
    parts: partsWithoutPrompt(reader.list.hasUsage),
  };
}

const NO_SPAN: LineSpan = { line: 1, offset: 0, length: 0 };

/** A result that is pruned later. */
interface Pruned {
  readonly entry: ListedEntry;
  readonly time: number;
}

class ExportReader {
  readonly list: EntryList;
  /** The leaf before the messages that were reverted; undefined if none were. */
  leafId: string | null | undefined = undefined;
  private pruned: Pruned[] = [];

  constructor(
    private readonly span: LineSpan,
    sessionId: string,
    private readonly messages: readonly OpencodeMessage[],
  ) {
    this.list = new EntryList(sessionId);
  }

  name(name: string, time: number): void {
    this.list.add({ type: 'session_info', ...this.at(time), build: () => ({ name }) });
  }

  /** `reverted`: the first message that the user took back. */
  readAll(reverted: string | null): void {
    for (const [index, message] of this.messages.entries()) {
      this.prune(messageTimeOf(message));
      if (reverted !== null && message.info['id'] === reverted) this.leafId = this.list.leafId;
      if (message.info['role'] === 'user') this.takeUser(index, message);
      else this.takeAnswer(index, message);
      if (this.isSummary(message)) this.compact(index, message);
    }
    this.prune(Infinity);
  }

  private takeUser(index: number, message: OpencodeMessage): void {
    const time = messageTimeOf(message);
    this.noteModel(message.info['model'], time);
    this.list.addMessage('user', this.at(time), ([document]) => {
      return {
        role: 'user',
        content: toOpencodeBlocks(listOpencodeMessages(document)[index]?.parts ?? []),
        timestamp: time,
      };
    });
  }

  private takeAnswer(index: number, message: OpencodeMessage): void {
    const time = messageTimeOf(message);
    const steps = listRequestParts(message);
    this.noteModel(message.info, time);
    for (const [number, step] of steps.entries()) {
      const hasUsage = findOpencodeUsage(message, step, number === steps.length - 1) !== null;
      this.list.addMessage(
        'assistant',
        this.at(time),
        ([document]) => buildAnswerAt(document, index, number),
        hasUsage,
      );
      for (const [at, part] of step.entries())
        if (hasPartResult(part)) this.takeResult({ index, number, at }, part, time);
    }
  }

  private takeResult({ index, number, at }: PartPlace, part: JsonObject, time: number): void {
    const entry = this.list.addMessage('toolResult', this.at(time), ([document]) => {
      const stored = listOpencodeMessages(document)[index];
      return buildOpencodeResult((stored && listRequestParts(stored)[number]?.[at]) ?? {}, time);
    });
    const pruned = pruneTimeOf(part);
    if (pruned !== null) this.pruned.push({ entry, time: pruned });
  }

  /** Adds the edits for results that were pruned up to a time. */
  private prune(now: number): void {
    const due = this.pruned.filter(({ time }) => time <= now);
    this.pruned = this.pruned.filter(({ time }) => time > now);
    for (const { entry, time } of due) {
      const { id } = entry;
      const build = (): JsonObject => ({ targetId: id, replacement: { content: buildClearedContent() } });
      this.list.add({ type: 'context_edit', ...this.at(time), target: id, build });
    }
  }

  /** Whether an answer is the summary of a compaction that was finished. */
  private isSummary({ info: { role, summary, finish, error, parentID } }: OpencodeMessage): boolean {
    if (role !== 'assistant' || summary !== true || !finish || error) return false;
    return this.messages.some(({ info, parts }) => info['id'] === parentID && parts.some(isCompaction));
  }

  /** The request for the summary, the summary, and the messages that stay. */
  private compact(index: number, message: OpencodeMessage): void {
    const asked = this.messages.findIndex(({ info }) => info['id'] === message.info['parentID']);
    const tail = this.messages[asked]?.parts.find(isCompaction)?.['tail_start_id'];
    const kept = typeof tail === 'string' ? this.messages.findIndex(({ info }) => info['id'] === tail) : -1;
    const time = messageTimeOf(message);
    const build: NewAgentEntry['build'] = ([document]) => {
      const all = listOpencodeMessages(document);
      const from = kept < 0 ? asked : kept;
      const list = [...all.slice(asked, asked + 1), ...all.slice(index, index + 1), ...all.slice(from, asked)];
      return buildReplacement(toOpencodeMessages(list, time));
    };
    this.list.add({ type: 'context_transform', ...this.at(time), build });
  }

  private noteModel(fields: unknown, time: number): void {
    const { providerID: provider, modelID: modelId } = asObject(fields);
    if (typeof provider !== 'string' || typeof modelId !== 'string') return;
    this.list.addModel(provider, modelId, this.at(time));
  }

  private at(time: number): Pick<NewAgentEntry, 'lines' | 'time'> {
    return { lines: [this.span], time };
  }
}

/** A part by its message, its step, and its place in the step. */
interface PartPlace {
  readonly index: number;
  readonly number: number;
  readonly at: number;
}

function isCompaction({ type }: JsonObject): boolean {
  return type === 'compaction';
}

function buildAnswerAt(document: JsonObject | undefined, index: number, number: number): JsonObject {
  const message = listOpencodeMessages(document)[index] ?? { info: {}, parts: [] };
  const steps = listRequestParts(message);
  return buildOpencodeAnswer(message, steps[number] ?? [], number === steps.length - 1);
}

/** opencode: the document that `opencode export` writes. Its own store is a database. */
export const opencode: AgentFormat = {
  name: 'opencode',
  title: 'opencode',
  knownVersions: ['1.0', '1.19'],
  detect: ([document]) =>
    isObject(document?.['info']) && typeof document['info']['id'] === 'string' && Array.isArray(document['messages']),
  document: /^\s*\{\s*"(?:info|messages)"/,
  folders: () => [],
  elsewhere: 'opencode keeps its sessions in a database; save one: opencode export ID > session.json',
  isSession: (file) => file.endsWith('.json'),
  read,
};
