import { asString, type JsonObject } from '#base/json.js';
import { AnswerCounts } from './answer-counts.js';
import { Calls } from './calls.js';
import { RolloutChain } from './chain.js';
import type { FindOrigin } from './copied-records.js';
import type { CountSummary } from './counts.js';
import { listDeclarations } from './entry-fields.js';
import type { RolloutInput, RolloutItem, TurnContext } from './record-content.js';
import { historyBaseOf } from './record-payload.js';
import type { RolloutPart, RolloutRecord } from './records.js';
import type { NewRolloutEntry, RolloutEntry } from './rollout-entry.js';

/** An empty prompt and no tools, as JSON. */
const NO_DECLARATIONS = '[]';

/** Builds the entries of a rollout. Its records are taken in their order. */
export class RolloutEntries {
  private readonly chain: RolloutChain;
  private readonly calls: Calls;
  private readonly counts: AnswerCounts;
  /** The answer that the next item of the model belongs to. */
  private answer: RolloutEntry | null = null;
  /** The system prompt and the tools in force, as JSON. */
  private declared = NO_DECLARATIONS;
  private effort: string | null = null;

  /** `id`: the id of the session, which files without one get. */
  constructor(
    records: readonly RolloutRecord[],
    first: RolloutPart,
    private readonly summary: CountSummary,
    id: string,
    findOrigin: FindOrigin,
  ) {
    this.chain = new RolloutChain({ sessionIdOf: ({ part }) => asString(part.meta['id']) ?? id, findOrigin });
    this.calls = new Calls(records, historyBaseOf(first.meta) === null);
    this.counts = new AnswerCounts(this.chain, records, first, summary);
    if (first.header) this.declare(first.header, first.meta);
  }

  get entries(): readonly RolloutEntry[] {
    return this.chain.entries;
  }

  get leafId(): string | null {
    return this.chain.leaf?.id ?? null;
  }

  /** Adds the entries of a record; false if it has none. */
  take(record: RolloutRecord): boolean {
    const { content } = record;
    switch (content.kind) {
      case 'header':
        return this.begin(record) || this.entries[0]?.record === record;
      case 'turn context':
        return this.takeTurnContext(record, content);
      case 'item':
        return this.takeItem(record, content);
      case 'agent message':
        return this.addInput(record, { effect: 'turn', customType: 'inter_agent_communication' });
      case 'compacted':
        return this.compact(record, content.hasHistory);
      case 'count': {
        const isFirst = this.counts.take(record, content);
        if (isFirst) this.answer = null;
        return isFirst;
      }
      case 'estimate':
        this.answer = null;
        return false;
      case 'turn aborted':
        this.counts.interrupt();
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
    this.counts.beginPart();
    return this.declare(record, part.meta);
  }

  /** Adds the system prompt and the tools that a header declares, if they are others than before. */
  private declare(record: RolloutRecord, meta: JsonObject): boolean {
    const declared = JSON.stringify(listDeclarations(meta));
    if (declared === NO_DECLARATIONS || declared === this.declared) return false;
    this.declared = declared;
    return this.add(record, { form: 'declared' });
  }

  private takeTurnContext(record: RolloutRecord, { model, effort }: TurnContext): boolean {
    const { chain } = this;
    const before = chain.entries.length;
    if (model !== null && model !== chain.model) {
      chain.model = model;
      chain.add(record, { form: 'model' });
    }
    if (effort !== null && effort !== this.effort) {
      this.effort = effort;
      chain.add(record, { form: 'effort', text: effort });
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
        return this.takeResult(record, item);
      case 'hidden':
        return false;
    }
  }

  private takeAnswer(record: RolloutRecord, item: RolloutItem): boolean {
    if (this.answer) this.answer.lines.push(record);
    else {
      this.abortCalls(record);
      this.answer = this.chain.add(record, { form: 'answer', effect: 'item' });
      this.counts.beginAnswer(this.answer);
    }
    this.calls.take(record, item);
    return true;
  }

  private takeResult(record: RolloutRecord, item: RolloutItem): boolean {
    this.abortCalls(record);
    // Without counts, only a result shows that the model was asked again.
    if (!this.summary.hasUsage) this.answer = null;
    if (this.calls.isOrphan(item)) return this.add(record, { form: 'orphan', effect: 'item' });
    return this.add(record, { form: 'result', effect: 'item', text: this.calls.toolOf(item) });
  }

  private addInput(record: RolloutRecord, { effect, customType }: RolloutInput): boolean {
    this.abortCalls(record);
    this.answer = null;
    if (customType === null) return this.add(record, { form: 'user', effect });
    // Other agents send messages that start a turn.
    return this.add(record, { form: effect === 'turn' ? 'sent' : 'added', effect, text: customType });
  }

  /** Adds the results that Codex sends for calls without one, as after an interruption. */
  private abortCalls(record: RolloutRecord): void {
    for (const call of this.calls.abortBefore(record)) this.chain.abort(call.record, call.tool);
  }

  private compact(record: RolloutRecord, hasHistory: boolean): boolean {
    const { calls } = this;
    this.answer = null;
    calls.forgetOpen();
    return this.add(record, {
      form: hasHistory ? 'replaced' : 'summarised',
      effect: 'item',
      later: { answers: (call) => calls.isAnsweredAfter(record, call), goOn: () => calls.goOnAfter(record) },
    });
  }

  private rollBack(turns: number): void {
    const { leaf } = this.chain;
    this.answer = null;
    this.counts.interrupt();
    this.chain.dropTurns(turns);
    // The calls of a turn that is gone get no result.
    if (this.chain.leaf !== leaf) this.calls.forgetOpen();
  }

  private add(record: RolloutRecord, entry: NewRolloutEntry): boolean {
    this.chain.add(record, entry);
    return true;
  }
}
