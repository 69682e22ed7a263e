import type { LineSpan } from '../../scan/bytes.js';
import type { InputKind } from './turns.js';

/** A step of the path to the leaf that rollbacks and old compactions need. */
export interface Step {
  /** The leaf before this step. */
  readonly before: string | null;
  /** null for an entry that is not an item, such as a change of the model. */
  readonly input: InputKind | 'item' | null;
  /** The line of a message of the user, or of a compaction that records its history. */
  readonly source: LineSpan | null;
  /** Whether earlier sources are part of this one. */
  readonly isWhole: boolean;
}

/** The entries from the root to the leaf. */
export class Path {
  private readonly steps: Step[] = [];

  push(step: Step): void {
    this.steps.push(step);
  }

  /** Drops the newest turns with their context, and returns the leaf before them; undefined if there is no turn. */
  dropTurns(turns: number): string | null | undefined {
    const starts = this.steps.flatMap(({ input }, at) => (input === 'turn' ? [at] : []));
    const [first] = starts;
    if (first === undefined) return undefined;
    const start = starts[Math.max(0, starts.length - turns)] ?? first;
    const [dropped] = this.steps.splice(this.withContext(start, first));
    return dropped?.before;
  }

  /** The lines of all messages of the user since the last compaction that records its history, and its line. */
  userLines(): readonly LineSpan[] {
    const from = Math.max(
      0,
      this.steps.findLastIndex(({ isWhole }) => isWhole),
    );
    return this.steps.slice(from).flatMap(({ source }) => source ?? []);
  }

  /** The first of the steps directly before `start`, but after `first`, that are context of this turn. */
  private withContext(start: number, first: number): number {
    let cut = start;
    for (let at = start - 1; at > first; at -= 1) {
      const input = this.steps[at]?.input;
      if (input === 'context') cut = at;
      else if (input !== null) break;
    }
    return cut;
  }
}
