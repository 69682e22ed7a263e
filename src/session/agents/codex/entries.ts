import { asString, type JsonObject } from '#base/json.js';
import { type NewRolloutEntry, RolloutChain, type RolloutEntry } from './chain.js';
import type { FindOrigin } from './copies.js';
import { type CountSummary, findEarlyCounts, FirstCounts, hasGrownBetween } from './counts.js';
import { listDeclarations } from './entry-fields.js';
import { historyBaseOf } from './items.js';
import { isAbortable } from './paired-items.js';
import type { RequestCount, RolloutInput, RolloutItem, RolloutPart, RolloutRecord } from './records.js';

/** No system prompt and no tools, as JSON. */
const NO_DECLARATIONS = '[]';

/** A record of a count. */
interface CountRecord {
  readonly record: RolloutRecord;
  readonly count: RequestCount;
}

/** The calls of a rollout, by their ids, and the last record with an item of the user, of the client or of the model. */
interface Calls {
  readonly made: ReadonlySet<string>;
  /** The last record with a result, by its call. */
  readonly answered: ReadonlyMap<string, number>;
  readonly lastItem: number;
}

/** Builds the entries of a rollout. Its records are taken in their order. */
export class RolloutEntries {
  private readonly chain: RolloutChain;
  /** The tools by the ids of their calls. */
  private readonly tools = new Map<string | null, string | null>();
  /** The system prompt and the tools in force, as JSON. */
  private declared = NO_DECLARATIONS;
  private effort: string | null = null;
  /** The answer that the next item of the model belongs to. */
  private answer: RolloutEntry | null = null;
  private hasResult = false;
  private readonly calls: Calls;
  /** The calls of the newest answer that no result follows. */
  private unanswered: { readonly record: RolloutRecord; readonly tool: string | null }[] = [];
  /** The newest answer, if its tokens are not known yet. */
  private uncounted: RolloutEntry | null = null;
  private readonly counts = new FirstCounts();
  private readonly earlyCounts: ReadonlySet<RolloutRecord>;
  /** The count of the next answer, if it precedes it. */
  private earlyCount: RolloutRecord | null = null;
  private lastCount: CountRecord | null = null;
  /** The answers since the last count that have none, since the user interrupted them. */
  private interrupted: RolloutEntry[] = [];
  /** The newest one that a count records. */
  contextWindow: number | null = null;

  /** `id`: that of the session, for parts without one. */
  constructor(
    records: readonly RolloutRecord[],
    private readonly firstPart: RolloutPart,
    private readonly summary: CountSummary,
    id: string,
    findOrigin: FindOrigin,
  ) {
    this.chain = new RolloutChain({ sessionIdOf: ({ part }) => asString(part.meta['id']) ?? id, findOrigin });
    this.earlyCounts = findEarlyCounts(records, summary, asString(firstPart.meta['cli_version']));
    this.calls = findCalls(records);
    if (firstPart.header) this.declare(firstPart.header, firstPart.meta);
  }

  /** Adds the system prompt and the tools that a header declares, if they are others than before. */
  private declare(record: RolloutRecord, meta: JsonObject): boolean {
    const declared = JSON.stringify(listDeclarations(meta));
    if (declared === NO_DECLARATIONS || declared === this.declared) return false;
    this.declared = declared;
    return this.add(record, { form: 'declared' });
  }

  /** Adds the entries of a record; false if it has none. */
  take(record: RolloutRecord): boolean {
    const { content } = record;
    switch (content.kind) {
      case 'header':
        return this.begin(record) || this.chain.entries[0]?.record === record;
      case 'turn context':
        return this.takeTurnContext(record, content);
      case 'item':
        return this.takeItem(record, content);
      case 'agent message':
        return this.addInput(record, { effect: 'turn', customType: 'inter_agent_communication' });
      case 'compacted':
        this.answer = null;
        // The history after it has its own calls.
        this.unanswered = [];
        return this.add(record, {
          form: content.hasHistory ? 'replaced' : 'summarised',
          effect: 'item',
          later: {
            answers: (call) => (this.calls.answered.get(call) ?? -1) > record.index,
            goOn: () => record.index < this.calls.lastItem,
          },
        });
      case 'count':
        return this.takeCount({ record, count: content });
      case 'estimate':
        this.contextWindow = content.window ?? this.contextWindow;
        this.answer = null;
        return false;
      case 'turn aborted':
        this.interrupt();
        return false;
      case 'thread named':
        return this.add(record, { form: 'name' });
      case 'rolled back':
        if (content.turns >= 1) this.rollBack(content.turns);
        return false;
      case 'turn started':
      case 'other':
        return false;
    }
  }

  /** Begins the lines of a file that continues the ones before. */
  private begin(record: RolloutRecord): boolean {
    const { part } = record;
    if (part.isFirst || part.header !== record) return false;
    this.answer = null;
    this.uncounted = null;
    this.earlyCount = null;
    this.interrupted = [];
    this.lastCount = null;
    return this.declare(record, part.meta);
  }

  private takeTurnContext(
    record: RolloutRecord,
    { model, effort }: Readonly<Record<'model' | 'effort', string | null>>,
  ): boolean {
    const { chain } = this;
    const before = chain.entries.length;
    if (model !== null && model !== chain.model) {
      chain.model = model;
      this.add(record, { form: 'model' });
    }
    if (effort !== null && effort !== this.effort) {
      this.effort = effort;
      this.add(record, { form: 'effort', text: effort });
    }
    return chain.entries.length > before;
  }

  private takeItem(record: RolloutRecord, item: RolloutItem): boolean {
    switch (item.part) {
      case 'input':
        return item.input !== null && this.addInput(record, item.input);
      case 'answer':
        return this.takeAnswer(record, item);
      case 'result':
        this.abortCalls(record);
        this.hasResult = true;
        if (this.isOrphan(item)) return this.add(record, { form: 'orphan', effect: 'item' });
        return this.add(record, { form: 'result', effect: 'item', text: this.tools.get(item.call) ?? null });
      case 'hidden':
        return false;
    }
  }

  /** Whether no call has a result, so that Codex leaves it out. The call may be in a file that is missing. */
  private isOrphan({ call, isBare }: RolloutItem): boolean {
    const isWhole = historyBaseOf(this.firstPart.meta) === null;
    return isWhole && call !== null && !isBare && !this.calls.made.has(call);
  }

  private takeAnswer(record: RolloutRecord, item: RolloutItem): boolean {
    const { call, tool } = item;
    this.tools.set(call, tool);
    // Without counts, only a result shows that the model was asked again.
    if (this.hasResult && !this.summary.hasUsage) this.answer = null;
    if (this.answer) this.answer.lines.push(record);
    else {
      this.abortCalls(record);
      this.interrupt();
      const answer = this.chain.add(record, { form: 'answer', effect: 'item' });
      this.answer = answer;
      this.hasResult = false;
      if (this.earlyCount === null) this.uncounted = answer;
      else answer.addCount(this.earlyCount);
      this.earlyCount = null;
    }
    if (!item.isBare && isAbortable(item.type) && call !== null && !this.calls.answered.has(call))
      this.unanswered.push({ record, tool });
    return true;
  }

  /**
   * Adds the results that Codex sends for calls without one, as after an interruption. A call at the end of a rollout may
   * still run.
   */
  private abortCalls({ index }: RolloutRecord): void {
    if (index > this.calls.lastItem) return;
    for (const { record, tool } of this.unanswered) this.chain.abort(record, tool);
    this.unanswered = [];
  }

  private addInput(record: RolloutRecord, { effect, customType }: RolloutInput): boolean {
    this.abortCalls(record);
    this.answer = null;
    if (customType === null) return this.add(record, { form: 'user', effect, text: null });
    // Other agents send messages that start a turn.
    return this.add(record, { form: effect === 'turn' ? 'sent' : 'added', effect, text: customType });
  }

  /** A count belongs to the answer before it, or to the one after it. */
  private takeCount({ record, count }: CountRecord): boolean {
    this.contextWindow = count.window ?? this.contextWindow;
    const isRepeated = !count.isExact && record.index >= this.summary.firstExact;
    if (isRepeated || !this.counts.isFirst(count)) return false;
    this.answer = null;
    this.deriveUsage({ record, count });
    this.lastCount = { record, count };
    const { uncounted } = this;
    this.uncounted = null;
    if (this.earlyCounts.has(record)) {
      this.earlyCount = record;
      return true;
    }
    if (uncounted === null) return this.add(record, { form: 'usage', hasUsage: true });
    uncounted.addCount(record);
    return true;
  }

  /** No count of the newest answer will follow. */
  private interrupt(): void {
    if (this.uncounted) this.interrupted.push(this.uncounted);
    this.uncounted = null;
  }

  /**
   * Gives interrupted answers the tokens by which the totals of the thread grew beside the counts. Those of several
   * answers cannot be told apart: they are the usage of no answer.
   */
  private deriveUsage(now: CountRecord): void {
    const { interrupted, lastCount } = this;
    this.interrupted = [];
    const [answer, ...others] = interrupted;
    if (!answer || !lastCount || !hasGrownBetween(lastCount.count, now.count)) return;
    const entry = others.length === 0 ? answer : this.chain.add(now.record, { form: 'usage' });
    entry.deriveUsage(lastCount.record, now.record);
  }

  private rollBack(turns: number): void {
    this.answer = null;
    this.interrupt();
    const { leaf } = this.chain;
    this.chain.dropTurns(turns);
    // The calls of a turn that is gone get no result.
    if (this.chain.leaf !== leaf) this.unanswered = [];
  }

  private add(record: RolloutRecord, entry: NewRolloutEntry): boolean {
    this.chain.add(record, entry);
    return true;
  }

  /** The entries, and the id of the leaf. */
  result(): { readonly entries: readonly RolloutEntry[]; readonly leafId: string | null } {
    return { entries: this.chain.entries, leafId: this.chain.leaf?.id ?? null };
  }
}

function findCalls(records: readonly RolloutRecord[]): Calls {
  const made = new Set<string>();
  const answered = new Map<string, number>();
  let lastItem = -1;
  for (const { index, content } of records) {
    if (content.kind !== 'item' || content.isBare) continue;
    const { part, call } = content;
    if (part === 'input' || part === 'answer') lastItem = index;
    if (call === null) continue;
    if (part === 'answer') made.add(call);
    if (part === 'result') answered.set(call, index);
  }
  return { made, answered, lastItem };
}
