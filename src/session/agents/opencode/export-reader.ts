import { asObject, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { buildReplacement } from '../blocks.js';
import { type EntryLines, EntryList, type ListedEntry, type NewAgentEntry } from '../entry-list.js';
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

/** A result that is pruned later. */
interface PrunedResult {
  readonly entry: ListedEntry;
  readonly time: number;
}

export class ExportReader {
  readonly list: EntryList;
  /** The leaf before the messages that were reverted; undefined if none were. */
  leafId: string | null | undefined = undefined;
  private pruned: PrunedResult[] = [];

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
      for (const [at, part] of step.entries()) {
        if (hasPartResult(part)) this.takeResult({ index, number, at }, part, time);
      }
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

  private at(time: number): EntryLines {
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
