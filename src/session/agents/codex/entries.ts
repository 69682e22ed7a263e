import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import { EntryList, type ListedEntry, type NewEntry } from '../entry-list.js';
import { contentOfInput, textBlock } from './items.js';
import { Path, type Step } from './path.js';
import {
  type AnswerFacts,
  answerMessage,
  dynamicTools,
  messagesOf,
  replacementIn,
  resultMessage,
  summarisedItems,
} from './replacement.js';
import { payloadOf, type RolloutRow } from './rows.js';
import { countersIn, usageOf } from './usage.js';

type RowOf<Kind extends RolloutRow['kind']> = Extract<RolloutRow, { kind: Kind }>;

/** An answer: its lines are its items, and then the count of its tokens. */
interface Answer {
  readonly entry: ListedEntry;
  hasResult: boolean;
}

const NO_STEP = { input: null, source: null, isWhole: false };

/** The entries of a rollout. */
export class RolloutEntries {
  readonly list: EntryList;
  private readonly path = new Path();
  /** The names of the tools by the ids of their calls. */
  private readonly tools = new Map<string | null, string>();
  private readonly provider: string;
  private model = 'unknown';
  private effort: string | null = null;
  private answer: Answer | null = null;
  /** The newest answer, if its tokens are not known yet. */
  private uncounted: ListedEntry | null = null;
  private lastCount = '';
  /** Whether the file counts the tokens of each answer, and whether it does so precisely. */
  readonly hasUsage: boolean;
  private readonly isExact: boolean;
  /** The newest one that a count records. */
  contextWindow: number | null = null;

  constructor(
    sessionId: string,
    private readonly meta: JsonObject,
    rows: readonly RolloutRow[],
  ) {
    this.list = new EntryList(sessionId);
    this.provider = asString(meta['model_provider']) ?? 'openai';
    this.hasUsage = rows.some(({ kind }) => kind === 'usage');
    this.isExact = rows.some((row) => row.kind === 'usage' && row.isExact);
  }

  /** Adds the system prompt and the tools that the header line declares. */
  declare(span: LineSpan): void {
    if (declarationsIn(this.meta).length === 0) return;
    const build = ([value]: readonly JsonObject[]): JsonObject => transform('codex', declarationsIn(payloadOf(value)));
    this.add({ type: 'context_transform', lines: [span], time: Date.parse(String(this.meta['timestamp'])), build });
  }

  /** Adds the entries of a row; false if it has none. */
  take(row: RolloutRow): boolean {
    switch (row.kind) {
      case 'meta':
        return row.span.offset === this.list.entries[0]?.lines[0]?.offset;
      case 'turn':
        return this.takeTurn(row);
      case 'answer':
        return this.takeAnswer(row);
      case 'result':
        return this.takeResult(row);
      case 'input':
        return this.takeInput(row);
      case 'usage':
        return this.takeUsage(row);
      case 'compacted':
        return this.takeCompaction(row);
      case 'rollback':
        return this.rollBack(row);
      case 'name':
        this.add({ type: 'session_info', ...at(row), build: ([value]) => ({ name: payloadOf(value)['thread_name'] }) });
        return true;
      case 'unused':
        return false;
    }
  }

  private takeTurn({ model, effort, ...row }: RowOf<'turn'>): boolean {
    const before = this.list.entries.length;
    const { provider } = this;
    if (model !== null && model !== this.model) {
      this.model = model;
      this.add({ type: 'model_change', ...at(row), build: () => ({ provider, modelId: model }) });
    }
    if (effort !== null && effort !== this.effort) {
      this.effort = effort;
      this.add({ type: 'thinking_level_change', ...at(row), build: () => ({ thinkingLevel: effort }) });
    }
    return this.list.entries.length > before;
  }

  private takeAnswer({ callId, tool, ...row }: RowOf<'answer'>): boolean {
    this.tools.set(callId, tool ?? '');
    // Without counts, only a result shows that the model was asked again.
    if (this.answer?.hasResult && !this.hasUsage) this.answer = null;
    if (this.answer) this.answer.entry.lines.push(row.span);
    else this.answer = { entry: this.newAnswer(row), hasResult: false };
    return true;
  }

  private newAnswer(row: Pick<RolloutRow, 'span' | 'time'>): ListedEntry {
    const facts = this.factsAt(row.time);
    const build = (values: readonly JsonObject[]): JsonObject => ({ message: answerIn(values.map(payloadOf), facts) });
    const entry = this.add({ type: 'message', role: 'assistant', ...at(row), build }, { input: 'item' });
    this.uncounted = entry;
    return entry;
  }

  private takeResult({ callId, ...row }: RowOf<'result'>): boolean {
    if (this.answer) this.answer.hasResult = true;
    const tool = this.tools.get(callId) ?? '';
    const build = ([value]: readonly JsonObject[]): JsonObject => {
      return { message: resultMessage(payloadOf(value), tool, row.time) };
    };
    this.add({ type: 'message', role: 'toolResult', ...at(row), build }, { input: 'item' });
    return true;
  }

  private takeInput({ input, customType, isUser, ...row }: RowOf<'input'>): boolean {
    this.answer = null;
    const step = { input, source: isUser ? row.span : null };
    if (customType === null) {
      const build = ([value]: readonly JsonObject[]): JsonObject => {
        return { message: { role: 'user', content: contentOfInput(payloadOf(value)), timestamp: row.time } };
      };
      this.add({ type: 'message', role: 'user', ...at(row), build }, step);
    } else {
      const build = ([value]: readonly JsonObject[]): JsonObject => customIn(payloadOf(value), customType);
      this.add({ type: 'custom_message', ...at(row), build }, step);
    }
    return true;
  }

  /** A count belongs to the answer before it; counts are repeated for the screen. */
  private takeUsage({ key, isExact, window, ...row }: RowOf<'usage'>): boolean {
    this.contextWindow = window ?? this.contextWindow;
    if (isExact !== this.isExact || key === this.lastCount) return false;
    this.lastCount = key;
    this.answer = null;
    const { uncounted, provider, model } = this;
    this.uncounted = null;
    if (uncounted) {
      uncounted.lines.push(row.span);
      uncounted.hasUsage = true;
      return true;
    }
    const build = ([value]: readonly JsonObject[]): JsonObject => {
      return { kind: 'request', provider, model, usage: usageOf(countersIn(payloadOf(value)) ?? {}) };
    };
    this.add({ type: 'usage', hasUsage: true, ...at(row), build });
    return true;
  }

  private takeCompaction({ isWhole, ...row }: RowOf<'compacted'>): boolean {
    this.answer = null;
    const facts = this.factsAt(row.time);
    const build = ([own, ...sources]: readonly JsonObject[]): JsonObject => {
      const compacted = payloadOf(own);
      const items = isWhole ? replacementIn(compacted) : summarisedItems(compacted, sources.map(payloadOf));
      return transform('compaction', [{ ...REPLACE, messages: messagesOf(items, facts) }]);
    };
    const lines = isWhole ? [row.span] : [row.span, ...this.path.userLines()];
    const step = { input: 'item', source: isWhole ? row.span : null, isWhole } as const;
    this.add({ type: 'context_transform', lines, time: row.time, build }, step);
    return true;
  }

  private rollBack({ turns }: RowOf<'rollback'>): boolean {
    this.answer = null;
    this.uncounted = null;
    const leaf = this.path.dropTurns(turns);
    if (leaf !== undefined) this.list.leafId = leaf;
    return false;
  }

  private add(entry: NewEntry, step: Partial<Step> = {}): ListedEntry {
    this.path.push({ ...NO_STEP, before: this.list.leafId, ...step });
    return this.list.add(entry);
  }

  private factsAt(time: number): AnswerFacts {
    return { provider: this.provider, model: this.model, time };
  }
}

const REPLACE = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'compaction' };

function at({ span, time }: Pick<RolloutRow, 'span' | 'time'>): Pick<NewEntry, 'lines' | 'time'> {
  return { lines: [span], time };
}

function transform(transformerName: string, patch: readonly JsonObject[]): JsonObject {
  return { schemaVersion: 1, transformerName, patch };
}

function declarationsIn({ base_instructions: base, dynamic_tools: declared }: JsonObject): readonly JsonObject[] {
  const text = isObject(base) ? asString(base['text']) : null;
  const tools = dynamicTools(declared);
  const cached = { scope: 'cached', invalidateCacheReason: 'start of the session' };
  return [
    ...(text === null ? [] : [{ op: 'system_parts_replace', ...cached, parts: [{ name: 'base_instructions', text }] }]),
    ...(tools.length === 0 ? [] : [{ op: 'tools_replace', ...cached, tools }]),
  ];
}

/** The last of the payloads may be the count of its tokens. */
function answerIn(payloads: readonly JsonObject[], facts: AnswerFacts): JsonObject {
  const last = payloads.at(-1) ?? {};
  const counters = 'usage' in last || last['type'] === 'token_count' ? countersIn(last) : null;
  if (counters === null) return answerMessage(payloads, facts);
  const responseId = asString(last['response_id']);
  const message = { ...answerMessage(payloads.slice(0, -1), facts), usage: usageOf(counters) };
  return responseId === null ? message : { ...message, responseId };
}

function customIn(item: JsonObject, customType: string): JsonObject {
  const { author, recipient, content } = item;
  const isBetweenAgents = customType === 'inter_agent_communication';
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null);
  const blocks = isBetweenAgents ? [textBlock(text)] : contentOfInput(item);
  const details = author === undefined && recipient === undefined ? {} : { details: { author, recipient } };
  return { customType, content: blocks, display: true, ...details };
}
