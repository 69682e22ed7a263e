import { asCount, asObject, asString, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildMissingResult } from '../blocks.js';
import { type EntryLines, EntryList, type ListedEntry, type NewAgentEntry } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { Declarations } from './declarations.js';
import { findKeptInputs, findUndoStart, History, historyKindOf, type HistoryMessage } from './history.js';
import {
  buildKimiAnswer,
  buildKimiMessage,
  buildKimiResult,
  buildKimiSummary,
  findStepUsage,
  isEmptyPart,
  isOfUser,
  placeOf,
  readKimiTime,
  toKimiUsage,
} from './messages.js';

/** The part of a turn that is not finished. */
interface OpenTurn {
  /** The request that runs; null between two. */
  step: Step | null;
  /** The calls without a result, with the names of their tools. */
  readonly pending: Map<string, string>;
  /** The messages that follow the results that are still missing. */
  readonly deferred: AgentRecord[];
}

interface Step {
  readonly id: unknown;
  /** The lines of its answer, which are also those of the entry once there is one. */
  readonly lines: LineSpan[];
  entry: ListedEntry | null;
}

function beginTurn(): OpenTurn {
  return { step: null, pending: new Map(), deferred: [] };
}

/** Makes entries of the records of a session, as the client folds them into its history. */
export class WireReader {
  readonly list: EntryList;
  /** Whether a compaction left out messages of the user, which the file does not name. */
  isElided = false;
  cwd: string | null = null;
  readonly declarations: Declarations;
  private readonly history: History;
  private turn = beginTurn();
  private model = { provider: 'unknown', id: 'unknown' };

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
    this.history = new History(this.list);
    this.declarations = new Declarations(this.list);
  }

  /** Returns false for a record that is no part of a context. */
  take(line: AgentRecord): boolean {
    const record = line.value;
    switch (record['type']) {
      case 'context.append_message':
        this.takeMessage(line);
        return true;
      case 'context.append_loop_event':
        return this.takeEvent(line, asObject(record['event']));
      case 'context.apply_compaction':
        this.compact(line);
        return true;
      case 'context.clear':
        this.goBack(line, 0);
        return true;
      case 'context.undo':
        return this.takeUndo(line);
      case 'llm.request':
        return this.takeRequest(line);
      case 'llm.tools_snapshot':
        this.declarations.takeTools(line);
        return true;
      case 'usage.record':
        return this.takeSideUsage(line);
      case 'config.update':
      case 'profile.bind':
        this.cwd = asString(asObject(record['environmentDisclosure'])['cwd']) ?? this.cwd;
        return this.declarations.takePrompt(line);
      default:
        return false;
    }
  }

  /** A message that comes while a call runs is sent after its result. */
  private takeMessage(line: AgentRecord): void {
    if (this.turn.pending.size > 0) this.turn.deferred.push(line);
    else this.addMessage(line, placeOf(line));
  }

  private addMessage(line: AgentRecord, at: EntryLines): void {
    const message = asObject(line.value['message']);
    const item: HistoryMessage = {
      kind: historyKindOf(message),
      lines: at.lines,
      build: toMessageBuilder(at),
      id: message['id'],
      owner: asObject(message['origin'])['ownerPromptId'],
    };
    this.history.add(item, () => this.addMessageEntry(message, at, item.build));
  }

  private addMessageEntry(message: JsonObject, at: EntryLines, build: HistoryMessage['build']): void {
    const { role, origin } = message;
    if (role === 'assistant') this.list.addMessage('assistant', at, build);
    else if (role === 'tool') this.list.addMessage('toolResult', at, build);
    else if (isOfUser(message)) this.list.addMessage('user', at, build);
    else {
      const customType = asString(asObject(origin)['kind']) ?? asString(role) ?? 'message';
      this.list.add({
        ...at,
        type: 'custom_message',
        build: (values) => ({ customType, content: build(values)['content'], display: true }),
      });
    }
  }

  private takeEvent(line: AgentRecord, event: JsonObject): boolean {
    const { type, uuid, stepUuid, toolCallId, finishReason } = event;
    switch (type) {
      case 'step.begin':
        this.endStep(line);
        this.turn.step = { id: uuid, lines: [], entry: null };
        return true;
      case 'content.part':
        if (this.turn.step?.id !== stepUuid) return false;
        this.addToAnswer(line, isEmptyPart(asObject(event['part'])));
        return true;
      case 'tool.call':
        if (this.turn.step?.id !== stepUuid) return false;
        this.addToAnswer(line, false);
        this.turn.pending.set(asString(toolCallId) ?? '', asString(event['name']) ?? '');
        return true;
      case 'tool.result':
        return this.takeResult(line, asString(toolCallId) ?? '');
      case 'step.end':
        if (findStepUsage(event)) this.addUsage(line);
        if (finishReason !== 'interrupted' && finishReason !== 'error') this.endStep(line);
        return true;
      default:
        return false;
    }
  }

  /** The entry of an answer begins with the first part that the client keeps, or with its tokens. */
  private addToAnswer(line: AgentRecord, isEmpty: boolean): void {
    const { step } = this.turn;
    if (!step) return;
    step.lines.push(toLineSpan(line));
    if (!step.entry && !isEmpty) step.entry = this.addAnswer(step.lines, readKimiTime(line.value));
  }

  private addAnswer(lines: LineSpan[], time: number): ListedEntry {
    const { provider, id } = this.model;
    const build = (values: readonly JsonObject[]): JsonObject => buildKimiAnswer(values, provider, id);
    return this.history.add({ kind: 'other', lines, build }, () =>
      this.list.add({
        type: 'message',
        role: 'assistant',
        lines,
        time,
        build: (values) => ({ message: build(values) }),
      }),
    );
  }

  private addUsage(line: AgentRecord): void {
    this.addToAnswer(line, false);
    const entry = this.turn.step?.entry;
    if (!entry) return;
    entry.hasUsage = true;
    this.list.hasUsage = true;
  }

  private takeResult(line: AgentRecord, callId: string): boolean {
    const { pending } = this.turn;
    const toolName = pending.get(callId);
    if (toolName === undefined) return false;
    pending.delete(callId);
    this.addResult(placeOf(line), ([value]) => buildKimiResult(value ?? {}, toolName));
    if (pending.size === 0) this.addDeferred(line);
    return true;
  }

  private addResult(at: EntryLines, build: NewAgentEntry['build']): void {
    this.history.add({ kind: 'other', lines: at.lines, build }, () => this.list.addMessage('toolResult', at, build));
  }

  /** Ends a step: calls that still have no result get one that says so. */
  private endStep(line: AgentRecord): void {
    const { pending } = this.turn;
    const at = placeOf(line);
    for (const [callId, toolName] of pending)
      this.addResult(placeOf(line), () => buildMissingResult(callId, toolName, at.time));
    pending.clear();
    this.turn.step = null;
    this.addDeferred(line);
  }

  private addDeferred(line: AgentRecord): void {
    for (const message of this.turn.deferred.splice(0))
      this.addMessage(message, { lines: [toLineSpan(line), toLineSpan(message)], time: readKimiTime(message.value) });
  }

  /** Takes back messages of the user with all that follows them, if there are enough after the last compaction. */
  private takeUndo(line: AgentRecord): boolean {
    const count = asCount(line.value['count']) ?? 0;
    const start = count === 0 ? null : findUndoStart(this.history.messages, count);
    if (start === null) return false;
    this.goBack(line, start);
    return true;
  }

  /** Goes back to the first messages of the history. */
  private goBack(line: AgentRecord, length: number): void {
    this.turn = beginTurn();
    const index = this.history.goBack(line, length);
    this.declarations.declareAgain(line, index);
  }

  /** A summary after the messages of the user, or in early versions before the newest messages of all kinds. */
  private compact(line: AgentRecord): void {
    const { keptUserMessageCount, keptHeadUserMessageCount, compactedCount, count, legacyTail } = line.value;
    const kept = asCount(keptUserMessageCount);
    const span = toLineSpan(line);
    const time = readKimiTime(line.value);
    const summary: HistoryMessage = {
      kind: 'summary',
      lines: [span],
      build: ([value]) => buildKimiSummary(value ?? {}, time),
    };
    const isEarly = legacyTail === true || (legacyTail === undefined && kept === null);
    if (isEarly) {
      const newest = this.history.messages.slice(asCount(compactedCount) ?? asCount(count) ?? 0);
      this.history.replace(line, [summary, ...newest], 'compaction');
    } else {
      const inputs = findKeptInputs(this.history.messages, kept ?? Infinity, asCount(keptHeadUserMessageCount), span);
      this.isElided ||= inputs.isElided;
      this.history.replace(line, [...inputs.messages, summary], 'compaction');
    }
    this.turn = beginTurn();
  }

  private takeRequest(line: AgentRecord): boolean {
    const { kind, provider, model } = line.value;
    if (kind === 'compaction') return false;
    this.model = { provider: asString(provider) ?? 'unknown', id: asString(model) ?? 'unknown' };
    this.list.addModel(this.model.provider, this.model.id, placeOf(line));
    this.declarations.takePrompt(line);
    return true;
  }

  /** The tokens of a turn's requests are also at the ends of its steps. */
  private takeSideUsage(line: AgentRecord): boolean {
    const { usage, usageScope } = line.value;
    if (usageScope !== 'session' || toKimiUsage(asObject(usage)) === null) return false;
    const { provider } = this.model;
    this.list.add({
      ...placeOf(line),
      type: 'model_usage',
      hasUsage: true,
      build: ([value]) => ({
        purpose: 'session',
        provider,
        model: value?.['model'],
        usage: toKimiUsage(asObject(value?.['usage'])),
      }),
    });
    return true;
  }
}

/** Builds the message of the last line. It is made here, since it is kept, and would hold what its caller reads. */
function toMessageBuilder({ lines, time }: EntryLines): HistoryMessage['build'] {
  const ownLine = lines.length - 1;
  return (values) => buildKimiMessage(asObject(values[ownLine]?.['message']), time);
}
