import { asCount, asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildMissingResult, buildReplacement, toTextBlock } from '../blocks.js';
import type { AgentRecord } from '../define.js';
import { EntryList, type ListedEntry, type NewAgentEntry } from '../entry-list.js';
import {
  buildKimiAnswer,
  buildKimiMessage,
  buildKimiResult,
  buildKimiSummary,
  findStepUsage,
  isEmptyPart,
  isOfUser,
  readKimiTime,
  toKimiUsage,
} from './messages.js';

/** A message of the client's history, which a compaction or an undo may keep. */
interface HistoryItem {
  readonly lines: readonly LineSpan[];
  build(values: readonly JsonObject[]): JsonObject;
  /** The parent of its entry; undefined if it is one of the many messages of a replacement, which is one entry. */
  readonly before: string | null | undefined;
  /** The number of entries before its own. */
  readonly index: number;
  /** `user`: an undo counts it; `injection`: an undo passes over it; `summary`: no undo goes further back. */
  readonly kind: 'user' | 'injection' | 'summary' | 'other';
  /** The ids of the prompt and, for an injection, of the prompt to which it belongs. */
  readonly id: unknown;
  readonly owner: unknown;
}

type Place = Pick<NewAgentEntry, 'lines' | 'time'>;

/** The record that declared the prompt or the tools in force, and the number of entries before it. */
interface Declaration {
  readonly span: LineSpan;
  readonly index: number;
}

/** Makes entries of the records of a session, as the client folds them into its history. */
export class WireReader {
  readonly list: EntryList;
  hasSystem = false;
  hasTools = false;
  /** Whether a compaction left out messages of the user, which the file does not name. */
  isElided = false;
  cwd: string | null = null;
  private history: HistoryItem[] = [];
  private model: readonly [provider: string, model: string] = ['unknown', 'unknown'];
  private step: { readonly id: unknown; readonly lines: LineSpan[]; entry: ListedEntry | null } | null = null;
  /** The calls without a result, with the names of their tools. */
  private readonly pending = new Map<string, string>();
  /** The messages that follow the results that are still missing. */
  private deferred: AgentRecord[] = [];
  private prompt: Declaration | null = null;
  private promptText: string | null = null;
  private tools: Declaration | null = null;

  constructor(sessionId: string) {
    this.list = new EntryList(sessionId);
  }

  /** Returns false for a record that is no part of a context. */
  take(line: AgentRecord): boolean {
    const record = line.value;
    switch (record['type']) {
      case 'context.append_message':
        return this.takeMessage(line);
      case 'context.append_loop_event':
        return this.takeEvent(line, asObject(record['event']));
      case 'context.apply_compaction':
        return this.takeCompaction(line);
      case 'context.clear':
        this.goBack(line, 0);
        return true;
      case 'context.undo':
        return this.takeUndo(line);
      case 'llm.request':
        return this.takeRequest(line);
      case 'llm.tools_snapshot':
        this.hasTools = true;
        this.addTools(placeOf(line), toLineSpan(line));
        return true;
      case 'usage.record':
        return this.takeSideUsage(line);
      case 'config.update':
      case 'profile.bind':
        this.cwd = asString(asObject(record['environmentDisclosure'])['cwd']) ?? this.cwd;
        return this.takePrompt(line);
      default:
        return false;
    }
  }

  /** A message that comes while a call runs is sent after its result. */
  private takeMessage(line: AgentRecord): true {
    if (this.pending.size > 0) this.deferred.push(line);
    else this.addMessage(line, placeOf(line));
    return true;
  }

  private addMessage(line: AgentRecord, at: Place): void {
    const message = asObject(line.value['message']);
    const { role, origin, id } = message;
    const { kind, ownerPromptId: owner } = asObject(origin);
    const ownLine = at.lines.length - 1;
    const build = (values: readonly JsonObject[]): JsonObject =>
      buildKimiMessage(asObject(values[ownLine]?.['message']), at.time);
    const item = { lines: at.lines, build, ...this.placeInList(), id, owner };
    const isAdded = role !== 'assistant' && role !== 'tool' && !isOfUser(message);
    if (isAdded) {
      const customType = asString(kind) ?? asString(role) ?? 'message';
      this.list.add({
        ...at,
        type: 'custom_message',
        build: (values) => ({ customType, content: build(values)['content'], display: true }),
      });
    } else this.list.addMessage(role === 'tool' ? 'toolResult' : role === 'assistant' ? role : 'user', at, build);
    const found = kind === 'compaction_summary' ? 'summary' : kind === 'injection' ? 'injection' : 'other';
    this.history.push({ ...item, kind: isOfUser(message) ? 'user' : found });
  }

  private takeEvent(line: AgentRecord, event: JsonObject): boolean {
    const { type, uuid, stepUuid, toolCallId, finishReason } = event;
    switch (type) {
      case 'step.begin':
        this.endStep(line);
        this.step = { id: uuid, lines: [], entry: null };
        return true;
      case 'content.part':
        if (this.step?.id !== stepUuid) return false;
        this.addToAnswer(line, isEmptyPart(asObject(event['part'])));
        return true;
      case 'tool.call':
        if (this.step?.id !== stepUuid) return false;
        this.addToAnswer(line, false);
        this.pending.set(asString(toolCallId) ?? '', asString(event['name']) ?? '');
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
    const step = this.step;
    if (!step) return;
    const span = toLineSpan(line);
    if (step.entry || isEmpty) {
      (step.entry?.lines ?? step.lines).push(span);
      return;
    }
    const [provider, model] = this.model;
    const lines = [...step.lines, span];
    const build = (values: readonly JsonObject[]): JsonObject => buildKimiAnswer(values, provider, model);
    const place = this.placeInList();
    step.entry = this.list.add({
      type: 'message',
      role: 'assistant',
      lines,
      time: readKimiTime(line.value),
      build: (values) => ({ message: build(values) }),
    });
    this.history.push({ lines, build, ...place, kind: 'other', id: null, owner: null });
  }

  private addUsage(line: AgentRecord): void {
    this.addToAnswer(line, false);
    if (!this.step?.entry) return;
    this.step.entry.hasUsage = true;
    this.list.hasUsage = true;
  }

  private takeResult(line: AgentRecord, callId: string): boolean {
    const toolName = this.pending.get(callId);
    if (toolName === undefined) return false;
    this.pending.delete(callId);
    this.addResult(placeOf(line), ([value]) => buildKimiResult(value ?? {}, toolName));
    this.addDeferred(line);
    return true;
  }

  private addResult(at: Place, build: NewAgentEntry['build']): void {
    const place = this.placeInList();
    this.list.addMessage('toolResult', at, build);
    this.history.push({ lines: at.lines, build, ...place, kind: 'other', id: null, owner: null });
  }

  /** Ends a step: calls that still have no result get none. */
  private endStep(line: AgentRecord): void {
    const at = placeOf(line);
    for (const [callId, toolName] of this.pending)
      this.addResult(placeOf(line), () => buildMissingResult(callId, toolName, at.time));
    this.pending.clear();
    this.step = null;
    this.addDeferred(line);
  }

  private addDeferred(line: AgentRecord): void {
    if (this.pending.size > 0) return;
    const messages = this.deferred;
    this.deferred = [];
    for (const message of messages)
      this.addMessage(message, { lines: [toLineSpan(line), toLineSpan(message)], time: readKimiTime(message.value) });
  }

  /** Takes back messages of the user with all that follows them, if there are enough after the last compaction. */
  private takeUndo(line: AgentRecord): boolean {
    let remaining = asCount(line.value['count']) ?? 0;
    if (remaining === 0) return false;
    let cut = this.history.length;
    while (remaining > 0) {
      cut -= 1;
      const { kind } = this.history[cut] ?? { kind: 'summary' };
      if (kind === 'summary') return false;
      if (kind === 'user') remaining -= 1;
    }
    const { id } = this.history[cut] ?? {};
    const isOwned = (item?: HistoryItem): boolean =>
      item?.kind === 'injection' && id !== undefined && item.owner === id;
    while (isOwned(this.history[cut - 1])) cut -= 1;
    this.goBack(line, cut);
    return true;
  }

  /** Goes back to the first messages of the history. The prompt and the tools stay in force. */
  private goBack(line: AgentRecord, length: number): void {
    const [first] = this.history.splice(length);
    this.pending.clear();
    this.deferred = [];
    this.step = null;
    if (first?.before === undefined && length > 0) this.replaceHistory(line, this.history, 'replacement');
    else this.list.leafId = first?.before ?? (length === 0 ? null : this.list.leafId);
    // Those that were declared after the place are not on the path to it.
    const index = first?.index ?? (length === 0 ? 0 : Infinity);
    const { prompt, tools } = this;
    if (prompt && prompt.index >= index) this.addPrompt(placeOf(line, prompt.span), prompt.span);
    if (tools && tools.index >= index) this.addTools(placeOf(line, tools.span), tools.span);
  }

  /** A summary after the messages of the user, or in early versions before the newest messages of all kinds. */
  private takeCompaction(line: AgentRecord): true {
    const { keptUserMessageCount, keptHeadUserMessageCount, compactedCount, count, legacyTail } = line.value;
    const kept = asCount(keptUserMessageCount);
    const at = readKimiTime(line.value);
    const summary: HistoryItem = {
      lines: [toLineSpan(line)],
      build: ([value]) => buildKimiSummary(value ?? {}, at),
      ...this.placeInList(),
      kind: 'summary',
      id: null,
      owner: null,
    };
    const isEarly = legacyTail === true || (legacyTail === undefined && kept === null);
    const items = isEarly
      ? [summary, ...this.history.slice(asCount(compactedCount) ?? asCount(count) ?? 0)]
      : [...this.listKept(kept ?? Infinity, asCount(keptHeadUserMessageCount), toLineSpan(line)), summary];
    this.replaceHistory(line, items, 'compaction');
    this.pending.clear();
    this.deferred = [];
    this.step = null;
    return true;
  }

  /** The messages of the user that a compaction keeps: the newest, and if those are not all, some of the oldest. */
  private listKept(kept: number, ofHead: number | null, at: LineSpan): readonly HistoryItem[] {
    const inputs = this.history.filter(({ kind }) => kind === 'user');
    if (ofHead === null) return inputs.slice(Math.max(0, inputs.length - kept));
    this.isElided = true;
    const content = [toTextBlock('[the client left out messages of the user]')];
    const note: HistoryItem = {
      lines: [at],
      build: () => ({ role: 'user', content }),
      ...this.placeInList(),
      kind: 'injection',
      id: null,
      owner: null,
    };
    return [...inputs.slice(0, ofHead), note, ...inputs.slice(Math.max(ofHead, inputs.length - (kept - ofHead)))];
  }

  private replaceHistory(line: AgentRecord, items: readonly HistoryItem[], name: string): void {
    const parts = items.map(({ lines, build }) => ({ count: lines.length, build }));
    this.list.add({
      type: 'context_transform',
      lines: [toLineSpan(line), ...items.flatMap(({ lines }) => lines)],
      time: readKimiTime(line.value),
      build([, ...values]) {
        let end = 0;
        const messages = parts.map(({ count, build }) => {
          end += count;
          return build(values.slice(end - count, end));
        });
        return buildReplacement(messages, name);
      },
    });
    const { index } = this.placeInList();
    this.history = items.map((item) => ({ ...item, before: undefined, index }));
  }

  /** The place of the next entry. */
  private placeInList(): Pick<HistoryItem, 'before' | 'index'> {
    return { before: this.list.leafId, index: this.list.entries.length };
  }

  private takeRequest(line: AgentRecord): boolean {
    const { kind, provider, model } = line.value;
    if (kind === 'compaction') return false;
    this.model = [asString(provider) ?? 'unknown', asString(model) ?? 'unknown'];
    this.list.addModel(this.model[0], this.model[1], placeOf(line));
    this.takePrompt(line);
    return true;
  }

  /** The prompt is in the profile, and in a request of early versions. */
  private takePrompt(line: AgentRecord): boolean {
    const { systemPrompt } = line.value;
    if (typeof systemPrompt !== 'string' || systemPrompt === this.promptText) return false;
    this.promptText = systemPrompt;
    this.hasSystem = true;
    this.addPrompt(placeOf(line), toLineSpan(line));
    return true;
  }

  private addPrompt(at: Place, span: LineSpan): void {
    this.prompt = { span, index: this.list.entries.length };
    this.addOp(at, 'system_parts_replace', ({ systemPrompt }) => ({
      parts: [{ name: 'prompt', text: asString(systemPrompt) ?? '' }],
    }));
  }

  private addTools(at: Place, span: LineSpan): void {
    this.tools = { span, index: this.list.entries.length };
    this.addOp(at, 'tools_replace', ({ tools }) => ({ tools: listObjects(tools).map(toToolDefinition) }));
  }

  /** Adds a transform of one op, which is made of the value of the last line. */
  private addOp(at: Place, op: string, buildFields: (value: JsonObject) => JsonObject): void {
    this.list.add({
      ...at,
      type: 'context_transform',
      build(values) {
        const fields = buildFields(values.at(-1) ?? {});
        const patch = [{ op, scope: 'cached', ...fields, invalidateCacheReason: 'recorded by Kimi Code' }];
        return { schemaVersion: 1, transformerName: 'prompt', patch };
      },
    });
  }

  /** The tokens of a turn's requests are also at the ends of its steps. */
  private takeSideUsage(line: AgentRecord): boolean {
    const { usage, usageScope } = line.value;
    if (usageScope !== 'session' || toKimiUsage(asObject(usage)) === null) return false;
    const [provider] = this.model;
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

/** The place of an entry of a record, and of the line of another one from which it is built. */
function placeOf(line: AgentRecord, ...others: readonly LineSpan[]): Place {
  return { lines: [toLineSpan(line), ...others], time: readKimiTime(line.value) };
}

function toToolDefinition({ name, description, parameters }: JsonObject): JsonObject {
  return {
    name: asString(name) ?? '',
    description: asString(description) ?? '',
    parameters: asObject(parameters),
  };
}
