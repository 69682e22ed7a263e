import { asString } from '#base/json.js';
import type { RolloutChain } from './chain.js';
import { type CountSummary, findEarlyCounts, FirstCounts, hasGrownBetween } from './counts.js';
import type { RequestCount } from './record-content.js';
import type { RolloutPart, RolloutRecord } from './records.js';
import type { RolloutEntry } from './rollout-entry.js';

/** A record of a count. */
interface CountRecord {
  readonly record: RolloutRecord;
  readonly count: RequestCount;
}

/** Gives the answers of a rollout their counts. A count belongs to the answer before it, or to the one after it. */
export class AnswerCounts {
  private readonly firsts = new FirstCounts();
  /** The counts that precede their answers. */
  private readonly early: ReadonlySet<RolloutRecord>;
  /** The newest answer, if its tokens are not known yet. */
  private uncounted: RolloutEntry | null = null;
  /** The count of the next answer, if it precedes it. */
  private next: RolloutRecord | null = null;
  private last: CountRecord | null = null;
  /** The answers since the last count that have none, since the user interrupted them. */
  private interrupted: RolloutEntry[] = [];

  constructor(
    private readonly chain: RolloutChain,
    records: readonly RolloutRecord[],
    { meta }: RolloutPart,
    private readonly summary: CountSummary,
  ) {
    this.early = findEarlyCounts(records, summary, asString(meta['cli_version']));
  }

  /** Begins the records of a file that continues the ones before. */
  beginPart(): void {
    this.uncounted = null;
    this.next = null;
    this.last = null;
    this.interrupted = [];
  }

  beginAnswer(answer: RolloutEntry): void {
    this.interrupt();
    if (this.next === null) this.uncounted = answer;
    else answer.addCount(this.next);
    this.next = null;
  }

  /** Ends the newest answer: no count of it will follow. */
  interrupt(): void {
    if (this.uncounted) this.interrupted.push(this.uncounted);
    this.uncounted = null;
  }

  /** Takes a count; false for one that repeats another. */
  take(record: RolloutRecord, count: RequestCount): boolean {
    const isRepeated = !count.isExact && record.index >= this.summary.firstExact;
    if (isRepeated || !this.firsts.isFirst(count)) return false;
    this.deriveInterrupted({ record, count });
    this.last = { record, count };
    const { uncounted } = this;
    this.uncounted = null;
    if (this.early.has(record)) this.next = record;
    else if (uncounted) uncounted.addCount(record);
    else this.chain.add(record, { form: 'usage', hasUsage: true });
    return true;
  }

  /**
   * Gives interrupted answers the tokens by which the totals of the thread grew beside the counts. Those of several
   * answers cannot be told apart: they are the usage of no answer.
   */
  private deriveInterrupted(now: CountRecord): void {
    const { interrupted, last } = this;
    this.interrupted = [];
    const [answer, ...others] = interrupted;
    if (!answer || !last || !hasGrownBetween(last.count, now.count)) return;
    const entry = others.length === 0 ? answer : this.chain.add(now.record, { form: 'usage' });
    entry.deriveUsage(last.record, now.record);
  }
}
