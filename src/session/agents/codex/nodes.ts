import { asString, isObject, type JsonObject } from '#base/json.js';
import { buildReplacement, toTextBlock } from '../blocks.js';
import { ADDED, COLUMN, EntryRows, OWN_COLUMN } from '../entry-heads.js';
import { payloadOf, toInputContent, toSentRole } from './items.js';
import {
  type AnswerOrigin,
  buildCodexAnswer,
  buildCodexResult,
  buildSummarisedItems,
  deriveUsage,
  findCounters,
  listDynamicTools,
  listReplacement,
  toCodexMessages,
  toCodexUsage,
} from './messages.js';

export const NONE = -1;

/** The numbers of an entry: its last line, its effect on rollbacks, the model in force, and a text. */
const [LAST, EFFECT, MODEL, TEXT] = [0, 1, 2, 3].map((own) => own + OWN_COLUMN) as [number, number, number, number];
const COLUMNS = 4;

/** The effects of items on rollbacks. Other entries have none, such as a change of the model. */
const EFFECT_OF = { item: 1, other: 1, context: 2, turn: 3 } as const;

/** An entry to add after the leaf. */
export interface NewRolloutNode {
  readonly making: RolloutMaking;
  readonly effect?: keyof typeof EFFECT_OF;
  /** The number of the text that its lines do not contain. */
  readonly text?: number;
  readonly hasUsage?: boolean;
}

/** The entries as rows of numbers, each of them the child of the leaf before it. */
export class RolloutNodes extends EntryRows<RolloutMaking> {
  /** The newest entry that was not dropped; NONE before the first one. */
  leaf = NONE;
  /** The number of the model in force. */
  model = 0;
  /** The entries that have a number. */
  private numbered = 0;
  /** The first turn of the user on the path to the leaf. */
  private firstTurn = NONE;
  /** The line of an entry after another one, from 1. */
  private readonly next: Int32Array;
  /** Further lines that an entry is built from: the messages that a summary replaces, or two counts. */
  private readonly sources = new Map<number, readonly number[]>();

  /** `idOf`: the value of the hex digits of the id of an entry, from its line and its number. */
  constructor(
    lines: number,
    private readonly idOf: (line: number, number: number) => number,
  ) {
    super(FORMS, COLUMNS, lines + 1);
    this.next = new Int32Array(lines);
  }

  /** Adds an entry after the leaf, and makes it the leaf. */
  add(line: number, { making, effect, text = 0, hasUsage = false }: NewRolloutNode): number {
    const number = effect === undefined ? 0 : EFFECT_OF[effect];
    const replaced = making === 'summarised' ? this.userLines() : null;
    const { leaf, model } = this;
    // An entry of a file before has the id that it has there.
    const id = making === 'aborted' ? this.idOf(line, ABORTED + line) : this.idOf(line, this.numbered + 1);
    if (making !== 'aborted') this.numbered += 1;
    this.leaf = this.addRow(making, { parent: leaf, line, id, hasUsage });
    this.set(this.leaf, LAST, line);
    this.set(this.leaf, EFFECT, number);
    this.set(this.leaf, MODEL, model);
    this.set(this.leaf, TEXT, text);
    if (replaced) this.sources.set(this.leaf, replaced);
    if (effect === 'turn' && this.firstTurn === NONE) this.firstTurn = this.leaf;
    return this.leaf;
  }

  /** Adds the result of a call that was aborted: the rollout has none, so it takes no number from the entries after it. */
  abort(line: number, tool: number): void {
    this.add(line, { making: 'aborted', effect: 'item', text: tool });
  }

  /** Adds a line to the end of an answer. */
  lengthen(node: number, line: number): void {
    this.next[this.at(node, LAST)] = line + 1;
    this.set(node, LAST, line);
  }

  /** Goes back before the newest turns and their context. */
  dropTurns(turns: number): void {
    const { firstTurn } = this;
    if (firstTurn === NONE) return;
    let start = this.leaf;
    for (let left = turns; start !== firstTurn; start = this.parent(start)) {
      if (this.at(start, EFFECT) === EFFECT_OF.turn) left -= 1;
      if (left === 0) break;
    }
    if (start === firstTurn) this.firstTurn = NONE;
    else start = this.withContext(start);
    this.leaf = this.parent(start);
  }

  /** The first of the entries directly before a turn that are context of this turn. The first turn has none. */
  private withContext(turn: number): number {
    let first = turn;
    for (let node = this.parent(turn); node !== this.firstTurn; node = this.parent(node)) {
      const effect = this.at(node, EFFECT);
      if (effect === EFFECT_OF.context) first = node;
      else if (effect !== 0) break;
    }
    return first;
  }

  /** The lines of all messages of the user since the last compaction that records its history, and its line. */
  private userLines(): readonly number[] {
    const lines: number[] = [];
    for (let node = this.leaf; node !== NONE; node = this.parent(node)) {
      const making = this.making(node);
      if (making === 'user' || making === 'replaced') lines.push(this.line(node));
      if (making === 'replaced') break;
    }
    return lines.toReversed();
  }

  modelOf(node: number): number {
    return this.at(node, MODEL);
  }

  text(node: number): number {
    return this.at(node, TEXT);
  }

  noteUsage(node: number): void {
    this.set(node, COLUMN.usage, 1);
  }

  /** Gives an answer or a usage the tokens that the totals grew between two counts, without those of the later count. */
  deriveUsage(node: number, counts: readonly [earlier: number, later: number]): void {
    this.setMaking(node, this.making(node) === 'answer' ? 'interrupted' : 'derived');
    this.sources.set(node, counts);
    this.noteUsage(node);
  }

  /** The lines that it is built from. */
  lines(node: number): readonly number[] {
    const lines: number[] = [];
    for (let next = this.line(node) + 1; next !== 0; next = this.next[next - 1] ?? 0) lines.push(next - 1);
    return lines.concat(this.sources.get(node) ?? []);
  }
}

/** The numbers of aborted results come after those of all entries. */
const ABORTED = 2 ** 31;

/** The type and the role of the entries of each making. */
const FORMS = {
  declared: ['context_transform'],
  model: ['model_change'],
  effort: ['thinking_level_change'],
  answer: ['message', 'assistant'],
  interrupted: ['message', 'assistant'],
  result: ['message', 'toolResult'],
  aborted: ['message', 'toolResult'],
  orphan: ['custom'],
  user: ['message', 'user'],
  added: ['custom_message', null, ADDED],
  sent: ['custom_message'],
  usage: ['usage'],
  derived: ['usage'],
  replaced: ['context_transform'],
  summarised: ['context_transform'],
  name: ['session_info'],
} as const;

/** The meaning of an entry, which decides how it is built. */
export type RolloutMaking = keyof typeof FORMS;

/** The facts about an entry that its lines do not contain. `text`: the effort, a tool, or a custom type. */
export interface EntryDetails extends AnswerOrigin {
  readonly making: RolloutMaking;
  readonly text: string;
}

/** The fields of an entry other than its type, id, parent and time, from the values of its lines. */
export function buildEntryFields(facts: EntryDetails, values: readonly JsonObject[]): JsonObject {
  const [own, ...sources] = values.map(payloadOf);
  const payload = own ?? {};
  const { making, text, provider, model, time } = facts;
  switch (making) {
    case 'declared':
      return { schemaVersion: 1, transformerName: 'codex', patch: listDeclarations(payload) };
    case 'model':
      return { provider, modelId: model };
    case 'effort':
      return { thinkingLevel: text };
    case 'answer':
      return { message: answerIn([payload, ...sources], facts) };
    case 'interrupted': {
      const items = [payload, ...sources.slice(0, -2)];
      const usage = deriveUsage(sources.slice(-2));
      return { message: { ...buildCodexAnswer(items, facts), usage } };
    }
    case 'result':
      return { message: buildCodexResult(payload, text, time) };
    case 'orphan':
      return { customType: 'codex:orphan-result', data: payload };
    case 'aborted':
      return { message: buildCodexResult({ call_id: payload['call_id'], output: 'aborted' }, text, time) };
    case 'user':
      return { message: { role: 'user', content: toInputContent(payload), timestamp: time } };
    case 'added':
    case 'sent':
      return addedInput(payload, text);
    case 'usage':
      return { kind: 'request', provider, model, usage: toCodexUsage(findCounters(payload) ?? {}) };
    case 'derived':
      return { kind: 'request', provider, model, usage: deriveUsage(sources.slice(-2)) };
    case 'replaced':
      return buildReplacement(toCodexMessages(listReplacement(payload), facts));
    case 'summarised':
      return buildReplacement(toCodexMessages(buildSummarisedItems(payload, sources), facts));
    case 'name':
      return { name: payload['thread_name'] };
  }
}

/** The ops for the system prompt and the tools that a header declares. */
export function listDeclarations({
  base_instructions: base,
  dynamic_tools: declared,
}: JsonObject): readonly JsonObject[] {
  const text = isObject(base) ? asString(base['text']) : null;
  const tools = listDynamicTools(declared);
  const cached = { scope: 'cached', invalidateCacheReason: 'start of the session' };
  return [
    ...(text === null ? [] : [{ op: 'system_parts_replace', ...cached, parts: [{ name: 'base_instructions', text }] }]),
    ...(tools.length === 0 ? [] : [{ op: 'tools_replace', ...cached, tools }]),
  ];
}

/** One of the payloads may be the count of its tokens: mostly the last one. */
function answerIn(payloads: readonly JsonObject[], facts: AnswerOrigin): JsonObject {
  const count = payloads.find((payload) => findCounters(payload) !== null);
  if (count === undefined) return buildCodexAnswer(payloads, facts);
  const responseId = asString(count['response_id']);
  const items = payloads.filter((payload) => payload !== count);
  const message = { ...buildCodexAnswer(items, facts), usage: toCodexUsage(findCounters(count) ?? {}) };
  return responseId === null ? message : { ...message, responseId };
}

function addedInput(item: JsonObject, customType: string): JsonObject {
  const { author, recipient, content } = item;
  const isBetweenAgents = customType === 'inter_agent_communication';
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? null);
  const blocks = isBetweenAgents ? [toTextBlock(text)] : toInputContent(item);
  const details = author === undefined && recipient === undefined ? {} : { details: { author, recipient } };
  return { customType, content: blocks, display: true, ...details, ...toSentRole(item) };
}
