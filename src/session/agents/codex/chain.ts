import { buildLineId } from '../../line-ids.js';
import type { RolloutRecord } from './records.js';
import { type NewRolloutEntry, RolloutEntry } from './rollout-entry.js';

/** The numbers of aborted results come after those of all entries. */
const ABORTED = 2 ** 31;

/** Looks up the id of the session of a record, and the thread from which it was copied. */
export interface RecordOrigins {
  sessionIdOf(record: RolloutRecord): string;
  findOrigin(record: RolloutRecord): string | null;
}

/** The entries of a rollout, each of them the child of the leaf before it. */
export class RolloutChain {
  readonly entries: RolloutEntry[] = [];
  /** The newest entry that was not dropped; null before the first one. */
  leaf: RolloutEntry | null = null;
  /** The model in force. */
  model: string | null = null;
  /** The number of entries that have one. */
  private numbered = 0;
  /** The first turn of the user on the path to the leaf. */
  private firstTurn: RolloutEntry | null = null;

  constructor(private readonly origins: RecordOrigins) {}

  /** Adds an entry after the leaf, and makes it the leaf. */
  add(record: RolloutRecord, added: NewRolloutEntry): RolloutEntry {
    if (added.form !== 'aborted') this.numbered += 1;
    // An entry of a file before has the id that it has there.
    const number = added.form === 'aborted' ? ABORTED + record.index : this.numbered;
    const entry = new RolloutEntry(record, added, {
      id: buildLineId(this.origins.sessionIdOf(record), number),
      parent: this.leaf,
      model: this.model,
      copiedFrom: this.origins.findOrigin(record),
    });
    if (added.form === 'summarised') entry.lines.push(...this.listUserRecords());
    this.entries.push(entry);
    this.leaf = entry;
    if (added.effect === 'turn') this.firstTurn ??= entry;
    return entry;
  }

  /**
   * Adds the result of a call that was aborted: the rollout has none, so it takes no number from the entries after it.
   */
  abort(call: RolloutRecord, tool: string | null): void {
    this.add(call, { form: 'aborted', effect: 'item', text: tool });
  }

  /** Goes back before the newest turns and their context. */
  dropTurns(turns: number): void {
    const { firstTurn } = this;
    if (firstTurn === null) return;
    let start: RolloutEntry = this.leaf ?? firstTurn;
    for (let left = turns; start !== firstTurn; start = start.parent ?? firstTurn) {
      if (start.effect === 'turn') left -= 1;
      if (left === 0) break;
    }
    if (start === firstTurn) this.firstTurn = null;
    else start = this.findContextStart(start);
    this.leaf = start.parent;
  }

  /** The first of the entries directly before a turn that are context of this turn. The first turn has none. */
  private findContextStart(turn: RolloutEntry): RolloutEntry {
    let first = turn;
    for (let entry = turn.parent; entry !== null && entry !== this.firstTurn; entry = entry.parent) {
      if (entry.effect === 'context') first = entry;
      else if (entry.effect !== null) break;
    }
    return first;
  }

  /** The records of all messages of the user since the last compaction that records its history, and its record. */
  private listUserRecords(): readonly RolloutRecord[] {
    const records: RolloutRecord[] = [];
    for (let entry = this.leaf; entry !== null; entry = entry.parent) {
      if (entry.form === 'user' || entry.form === 'replaced') records.push(entry.record);
      if (entry.form === 'replaced') break;
    }
    return records.toReversed();
  }
}
