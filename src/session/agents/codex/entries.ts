import { asString, type JsonObject } from '#base/json.js';
import { formatTime } from '#base/time.js';
import { buildLineHash } from '../../line-ids.js';
import { VALUE_KIND } from '../../scan/field-layout.js';
import type { AgentEntries } from '../define.js';
import { buildAgentEntries } from '../entry-heads.js';
import { findEarlyCounts, FirstCounts } from './counts.js';
import { classifyInput, findCustomType, historyBaseOf, type InputKind } from './items.js';
import { buildEntryFields, listDeclarations, type NewRolloutNode, NONE, RolloutNodes } from './nodes.js';
import { type Rollout, ROLLOUT_FIELD, type RolloutCount, type RolloutPart } from './rollout.js';

const NOTHING = '[]';

/** A file with the fields of its header, among them the id of its session. */
interface KnownPart extends RolloutPart {
  readonly meta: JsonObject;
}

export class RolloutEntries {
  private readonly nodes: RolloutNodes;
  /** The tools by the ids of their calls. */
  private readonly tools = new Map<number, number>();
  /** The system prompt and the tools in force, as JSON. */
  private declared = NOTHING;
  private effort = 0;
  /** The answer that the next item of the model belongs to. */
  private answer = NONE;
  private hasResult = false;
  private readonly calls: ReturnType<Rollout['pairs']>;
  /** The calls of the newest answer that no result follows, and their lines. */
  private aborted: { readonly line: number; readonly tool: number }[] = [];
  /** The newest answer, if its tokens are not known yet. */
  private uncounted = NONE;
  private readonly counts: FirstCounts;
  private readonly earlyCounts: ReadonlySet<number>;
  /** The count of the next answer, if it precedes it. */
  private early = NONE;
  private lastCount = NONE;
  /** The answers since the last count that have none, since the user interrupted them. */
  private interrupted: number[] = [];
  /** The newest one that a count records. */
  contextWindow: number | null = null;

  /** `parts`: the files whose lines it has, the oldest first. */
  constructor(
    private readonly rollout: Rollout,
    private readonly parts: readonly KnownPart[],
  ) {
    const digits = parts.map(({ meta }) => buildLineHash(String(meta['id'])));
    this.nodes = new RolloutNodes(rollout.table.length, (line, number) => digits[this.partOf(line)]?.(number) ?? 0);
    this.counts = new FirstCounts(rollout);
    this.earlyCounts = findEarlyCounts(rollout, asString(parts[0]?.meta['cli_version']));
    this.calls = rollout.pairs();
    const line = parts[0]?.header?.line;
    if (line !== undefined) this.declare(line, parts[0]);
  }

  /** Adds the system prompt and the tools that a header declares, if they are others than before. */
  private declare(line: number, part: KnownPart | undefined): boolean {
    const declared = JSON.stringify(listDeclarations(part?.meta ?? {}));
    if (declared === NOTHING || declared === this.declared) return false;
    this.declared = declared;
    return this.add(line, { making: 'declared' });
  }

  /** Adds the entries of a line; false if it has none. */
  take(line: number): boolean {
    const { rollout, nodes } = this;
    const payload = rollout.payloadKind(line);
    if (payload !== VALUE_KIND.object) return payload === 0 && this.takeItem(line);
    switch (rollout.text(line, ROLLOUT_FIELD.type)) {
      case 'session_meta':
        return this.begin(line) || (nodes.length > 0 && nodes.line(0) === line);
      case 'turn_context':
        return this.takeTurn(line);
      case 'response_item':
        return this.takeItem(line);
      case 'inter_agent_communication':
        return this.addInput(line, 'turn', 'inter_agent_communication');
      case 'compacted':
        this.answer = NONE;
        return this.add(line, { making: rollout.hasHistory(line) ? 'replaced' : 'summarised', effect: 'item' });
      case 'event_msg':
      case 'token_usage_record':
        return this.takeEvent(line);
      default:
        return false;
    }
  }

  /** Begins the lines of a file that continues the ones before. */
  private begin(line: number): boolean {
    const part = this.parts.find(({ header }, at) => at > 0 && header?.line === line);
    if (!part) return false;
    this.endAnswers();
    this.lastCount = NONE;
    return this.declare(line, part);
  }

  private takeTurn(line: number): boolean {
    const { nodes, rollout } = this;
    const [model, effort] = [ROLLOUT_FIELD.model, ROLLOUT_FIELD.effort].map((slot) => rollout.table.textAt(line, slot));
    const before = nodes.length;
    if (model && model !== nodes.model) {
      nodes.model = model;
      this.add(line, { making: 'model' });
    }
    if (effort && effort !== this.effort) {
      this.effort = effort;
      this.add(line, { making: 'effort', text: effort });
    }
    return nodes.length > before;
  }

  private takeItem(line: number): boolean {
    const item = this.rollout.item(line);
    switch (item.part) {
      case 'input':
        return this.addInput(line, classifyInput(item.value), findCustomType(item.value));
      case 'answer':
        return this.takeAnswer(line, item);
      case 'result':
        this.abort(line);
        this.hasResult = true;
        if (this.isOrphan(line, item.call)) return this.add(line, { making: 'orphan', effect: 'item' });
        return this.add(line, { making: 'result', effect: 'item', text: this.tools.get(item.call) ?? 0 });
      case 'hidden':
        return false;
    }
  }

  /** Whether no call has a result, so that Codex leaves it out. The call may be in a file that is missing. */
  private isOrphan(line: number, call: number): boolean {
    const isWhole = historyBaseOf(this.parts[0]?.meta ?? {}) === null;
    return isWhole && call !== 0 && this.rollout.partAt(line) === 'result' && !this.calls.made.has(call);
  }

  private takeAnswer(line: number, { call, tool }: Record<'call' | 'tool', number>): boolean {
    this.tools.set(call, tool);
    // Without counts, only a result shows that the model was asked again.
    if (this.hasResult && !this.rollout.hasUsage) this.answer = NONE;
    if (this.answer !== NONE) this.nodes.lengthen(this.answer, line);
    else {
      this.abort(line);
      this.interrupt();
      this.add(line, { making: 'answer', effect: 'item' });
      this.answer = this.nodes.leaf;
      this.hasResult = false;
      if (this.early === NONE) this.uncounted = this.answer;
      else this.countAnswer(this.answer, this.early);
      this.early = NONE;
    }
    if (this.rollout.isAbortable(line) && !this.calls.answered.has(call)) this.aborted.push({ line, tool });
    return true;
  }

  /**
   * Adds the results that Codex sends for calls without one, as after an interruption. A call at the end of a rollout may
   * still run.
   */
  private abort(line: number): void {
    if (line > this.calls.last) return;
    for (const call of this.aborted) this.nodes.abort(call.line, call.tool);
    this.aborted = [];
  }

  private addInput(line: number, effect: InputKind, customType: string | null): boolean {
    this.abort(line);
    this.answer = NONE;
    // Other agents send messages that start a turn.
    const making = customType === null ? 'user' : effect === 'turn' ? 'sent' : 'added';
    return this.add(line, { making, effect, text: this.rollout.numberOf(customType) });
  }

  private takeEvent(line: number): boolean {
    const { rollout } = this;
    const usage = rollout.usage(line);
    if (usage) return this.takeUsage(line, usage);
    const kind = rollout.text(line, ROLLOUT_FIELD.kind);
    if (kind === 'turn_aborted') this.interrupt();
    if (kind === 'thread_name_updated') return this.add(line, { making: 'name' });
    const turns = kind === 'thread_rolled_back' ? Math.floor(rollout.table.numberAt(line, ROLLOUT_FIELD.turns)) : 0;
    if (turns >= 1) this.rollBack(turns);
    return false;
  }

  /** A count belongs to the answer before it, or to the one after it. */
  private takeUsage(line: number, usage: RolloutCount): boolean {
    this.contextWindow = usage.window ?? this.contextWindow;
    if (!this.rollout.isCounted(line, usage) || !this.counts.isFirst(line)) return false;
    this.answer = NONE;
    this.deriveUsage(line);
    this.lastCount = line;
    const { uncounted } = this;
    this.uncounted = NONE;
    if (this.earlyCounts.has(line)) {
      this.early = line;
      return true;
    }
    if (uncounted === NONE) return this.add(line, { making: 'usage', hasUsage: true });
    this.countAnswer(uncounted, line);
    return true;
  }

  private countAnswer(answer: number, count: number): void {
    this.nodes.lengthen(answer, count);
    this.nodes.noteUsage(answer);
  }

  /** No count of the newest answer will follow. */
  private interrupt(): void {
    if (this.uncounted !== NONE) this.interrupted.push(this.uncounted);
    this.uncounted = NONE;
  }

  /**
   * Gives interrupted answers the tokens by which the totals of the thread grew beside the counts. Those of several
   * answers cannot be told apart: they are the usage of no answer.
   */
  private deriveUsage(line: number): void {
    const { interrupted, lastCount, nodes } = this;
    this.interrupted = [];
    const [answer = NONE, ...others] = interrupted;
    if (answer === NONE || lastCount === NONE || !this.rollout.hasGrownBetween(lastCount, line)) return;
    if (others.length === 0) return nodes.deriveUsage(answer, [lastCount, line]);
    this.add(line, { making: 'usage' });
    nodes.deriveUsage(nodes.leaf, [lastCount, line]);
  }

  private endAnswers(): void {
    this.answer = NONE;
    this.uncounted = NONE;
    this.early = NONE;
    this.interrupted = [];
  }

  private rollBack(turns: number): void {
    this.answer = NONE;
    this.interrupt();
    this.nodes.dropTurns(turns);
  }

  private add(line: number, node: NewRolloutNode): boolean {
    this.nodes.add(line, node);
    return true;
  }

  /** The entries, and the id of the leaf. */
  table(): { readonly entries: AgentEntries; readonly leafId: string | null } {
    const { nodes, rollout } = this;
    const entries = buildAgentEntries(rollout.table, {
      rows: nodes,
      order: nodes.asAdded(),
      time: (node) => this.timeOf(node),
      lines: (node) => nodes.lines(node),
      timestamp: (node) => formatTime(this.timeOf(node)) ?? undefined,
      fields: (node, values) => this.fieldsAt(node, values),
    });
    return { entries, leafId: asString(entries.heads.at(entries.indexOf(nodes.leaf))?.id) };
  }

  private timeOf(node: number): number {
    if (this.nodes.making(node) === 'declared') return Date.parse(String(this.metaOf(node)['timestamp']));
    return this.rollout.table.timeAt(this.nodes.line(node), ROLLOUT_FIELD.timestamp);
  }

  private fieldsAt(node: number, values: readonly JsonObject[]): JsonObject {
    const { nodes, rollout } = this;
    const provider = asString(this.metaOf(node)['model_provider']) ?? 'openai';
    const model = rollout.textOf(nodes.modelOf(node)) ?? 'unknown';
    const text = rollout.textOf(nodes.text(node)) ?? '';
    return buildEntryFields({ making: nodes.making(node), provider, model, text, time: this.timeOf(node) }, values);
  }

  private metaOf(node: number): JsonObject {
    return this.parts[this.partOf(this.nodes.line(node))]?.meta ?? {};
  }

  /** The number of the file that has a line. */
  private partOf(line: number): number {
    return Math.max(
      0,
      this.parts.findLastIndex(({ start }) => start <= line),
    );
  }
}
