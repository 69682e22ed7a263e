import { isAbortable } from './paired-items.js';
import type { RolloutItem } from './record-content.js';
import type { RolloutRecord } from './records.js';

/** A call without a result. */
interface OpenCall {
  readonly record: RolloutRecord;
  readonly tool: string | null;
}

/** The calls of a rollout, whose records are taken in their order. */
export class Calls {
  /** The ids of all calls of the rollout. */
  private readonly made = new Set<string>();
  /** The index of the last record with a result, by the id of its call. */
  private readonly answered = new Map<string, number>();
  /** The index of the last record with an item of the user, of the client or of the model. */
  private lastItem = -1;
  /** The tools of the calls so far, by their ids. */
  private readonly tools = new Map<string | null, string | null>();
  /** The calls of the newest answer that no result follows. */
  private open: OpenCall[] = [];

  /** `isWhole`: no call is in a file that is missing. */
  constructor(
    records: readonly RolloutRecord[],
    private readonly isWhole: boolean,
  ) {
    for (const { index, content } of records) {
      if (content.kind !== 'item' || content.isBare) continue;
      const { part, call } = content;
      if (part === 'input' || part === 'answer') this.lastItem = index;
      if (call === null) continue;
      if (part === 'answer') this.made.add(call);
      if (part === 'result') this.answered.set(call, index);
    }
  }

  /** Takes an item of the model, which may be a call. */
  take(record: RolloutRecord, { isBare, type, call, tool }: RolloutItem): void {
    this.tools.set(call, tool);
    const isOpen = !isBare && isAbortable(type) && call !== null && !this.answered.has(call);
    if (isOpen) this.open.push({ record, tool });
  }

  /** The name of the tool of a result; null if its call has none. */
  toolOf({ call }: RolloutItem): string | null {
    return this.tools.get(call) ?? null;
  }

  /** Whether no call has this result, so that Codex leaves it out. */
  isOrphan({ call, isBare }: RolloutItem): boolean {
    return this.isWhole && call !== null && !isBare && !this.made.has(call);
  }

  /** The calls for which Codex sends a result before a record. A call at the end of a rollout may still run. */
  abortBefore({ index }: RolloutRecord): readonly OpenCall[] {
    if (index > this.lastItem) return [];
    const aborted = this.open;
    this.open = [];
    return aborted;
  }

  /** Forgets the calls of the newest answer. After a compaction, the history has calls of its own. */
  forgetOpen(): void {
    this.open = [];
  }

  isAnsweredAfter({ index }: RolloutRecord, call: string): boolean {
    return (this.answered.get(call) ?? -1) > index;
  }

  /** Whether the conversation goes on after a record. */
  goOnAfter({ index }: RolloutRecord): boolean {
    return index < this.lastItem;
  }
}
