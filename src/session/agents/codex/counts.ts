import type { Rollout } from './rollout.js';

/**
 * The first count of each request. Codex repeats counts for the screen, also old ones, such as after a review. Ask for
 * the counts in the order of their lines.
 */
export class FirstCounts {
  private readonly seen = new Set<string>();
  private last: string | null = null;

  constructor(private readonly rollout: Rollout) {}

  isFirst(line: number): boolean {
    const { key, isUnique } = this.rollout.keyOfCount(line);
    const isRepeated = isUnique ? this.seen.has(key) : this.last === key;
    this.last = key;
    if (isUnique) this.seen.add(key);
    return !isRepeated;
  }
}

/**
 * The lines of the counts that the items of their answers follow. From 0.77 on, Codex writes the count of a request after
 * the items of its answer. Up to 0.55, it wrote it before them. Versions between, and rollouts that a newer version
 * continued, are told by the order in each turn. `version`: that of the Codex that began the rollout.
 */
export function findEarlyCounts(rollout: Rollout, version: string | null): ReadonlySet<number> {
  const early = new Set<number>();
  const release = releaseOf(version);
  if (!rollout.hasUsage || release >= FIRST_AFTER) return early;
  const counts = new FirstCounts(rollout);
  let isEarly = release <= LAST_BEFORE;
  let turn = new TurnOrder();
  const endTurn = (): void => {
    isEarly = turn.countsFirst() ?? isEarly;
    if (isEarly) for (const line of turn.answeredCounts) early.add(line);
    turn = new TurnOrder();
  };
  for (let line = 0; line < rollout.firstRecord; line += 1) {
    if (rollout.usage(line) !== null) {
      if (counts.isFirst(line)) turn.takeCount(line);
      continue;
    }
    const part = rollout.partAt(line);
    if (part === 'answer') turn.takeItem();
    else if (part === 'input' || rollout.isCompaction(line)) endTurn();
  }
  endTurn();
  return early;
}

/** The first release known to write counts after answers, and the last known to write them before. */
const [FIRST_AFTER, LAST_BEFORE] = [77, 55];

/** The number of a release 0.N; that of a later major version is larger than any. */
function releaseOf(version: string | null): number {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (minor === undefined) return LAST_BEFORE + 1;
  return Number(major) > 0 ? Infinity : Number(minor);
}

type Event = 'count' | 'item';

/** The order of counts and items between two inputs of the model. */
class TurnOrder {
  private first: Event | null = null;
  private last: Event | null = null;
  private lastCount = -1;
  /** The counts that items follow directly. */
  readonly answeredCounts: number[] = [];

  takeCount(line: number): void {
    this.first ??= 'count';
    this.last = 'count';
    this.lastCount = line;
  }

  takeItem(): void {
    this.first ??= 'item';
    if (this.last === 'count') this.answeredCounts.push(this.lastCount);
    this.last = 'item';
  }

  /** Whether counts precede their answers; null if the order does not tell. */
  countsFirst(): boolean | null {
    if (this.first === 'item') return false;
    return this.last === 'item' ? true : null;
  }
}
