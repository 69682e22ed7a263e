import type { RequestCount, TokenCounters } from './record-content.js';
import type { RolloutRecord } from './records.js';

/**
 * Whether a rollout counts or estimates the tokens of its requests, and the first record of a response, which later
 * counts repeat.
 */
export interface CountSummary {
  readonly hasUsage: boolean;
  /** The index of that record; Infinity if there is none. */
  readonly firstExact: number;
}

export function summarizeCounts(records: readonly RolloutRecord[]): CountSummary {
  const counts = records.filter(({ content }) => content.kind === 'count');
  const exact = counts.find(({ content }) => content.kind === 'count' && content.isExact);
  const hasEstimate = records.some(({ content }) => content.kind === 'estimate');
  return { hasUsage: hasEstimate || counts.length > 0, firstExact: exact?.index ?? Infinity };
}

/**
 * The first count of each request. Codex repeats counts for the screen, also old ones, such as after a review. Ask for
 * the counts in the order of their lines.
 */
export class FirstCounts {
  private readonly seen = new Set<string>();
  private last: string | null = null;

  isFirst(count: RequestCount): boolean {
    const { key, isUnique } = buildCountKey(count);
    const isRepeated = isUnique ? this.seen.has(key) : this.last === key;
    this.last = key;
    if (isUnique) this.seen.add(key);
    return !isRepeated;
  }
}

/**
 * A text that counts of the same request have in common: the id of the response, or the totals of the thread, which
 * only grow. `isUnique`: no other request has it. A count without both resembles that of another request by chance.
 */
export function buildCountKey({ response, total, last, usage }: RequestCount): {
  readonly key: string;
  readonly isUnique: boolean;
} {
  if (response !== null) return { key: `response ${response}`, isUnique: true };
  if (total !== null) return { key: formatCounters(total), isUnique: true };
  const key = `${formatCounters(last ?? NO_COUNTERS)} ${formatCounters(usage ?? NO_COUNTERS)}`;
  return { key, isUnique: false };
}

function formatCounters({ input, cached, output, all }: TokenCounters): string {
  return `${input} ${cached} ${output} ${all}`;
}

const NO_COUNTERS: TokenCounters = { input: Number.NaN, cached: Number.NaN, output: Number.NaN, all: Number.NaN };

const COUNTERS = ['input', 'cached', 'output', 'all'] as const;

/** Whether the totals of the thread grew by more than the tokens of the later of two counts. */
export function hasGrownBetween(earlier: RequestCount, later: RequestCount): boolean {
  const before = earlier.total ?? NO_COUNTERS;
  const after = later.total ?? NO_COUNTERS;
  const own = later.last ?? NO_COUNTERS;
  const growth = COUNTERS.map((name) => after[name] - before[name] - own[name]);
  return growth.every((tokens) => tokens >= 0) && growth.some((tokens) => tokens > 0);
}

/**
 * The counts that the items of their answers follow. From 0.77 on, Codex writes the count of a request after the items
 * of its answer. Up to 0.55, it wrote it before them. Versions between, and rollouts that a newer version continued,
 * are told by the order in each turn. `version`: that of the Codex that began the rollout.
 */
export function findEarlyCounts(
  records: readonly RolloutRecord[],
  { hasUsage, firstExact }: CountSummary,
  version: string | null,
): ReadonlySet<RolloutRecord> {
  const early = new Set<RolloutRecord>();
  const release = parseRelease(version);
  if (!hasUsage || release >= FIRST_AFTER) return early;
  const counts = new FirstCounts();
  let isEarly = release <= LAST_BEFORE;
  let turn = new TurnOrder();
  const endTurn = (): void => {
    isEarly = turn.areCountsFirst() ?? isEarly;
    if (isEarly) for (const record of turn.answeredCounts) early.add(record);
    turn = new TurnOrder();
  };
  for (const record of records) {
    if (record.index >= firstExact) break;
    const { content } = record;
    if (content.kind === 'count') {
      if (counts.isFirst(content)) turn.takeCount(record);
    } else if (content.kind === 'compacted') {
      endTurn();
    } else if (content.kind === 'item' && !content.isBare) {
      if (content.part === 'answer') turn.takeItem();
      else if (content.part === 'input') endTurn();
    }
  }
  endTurn();
  return early;
}

/** The first release known to write counts after answers. */
const FIRST_AFTER = 77;
/** The last release known to write counts before answers. */
const LAST_BEFORE = 55;

/** The number of a release 0.N; that of a later major version is larger than any. */
function parseRelease(version: string | null): number {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (minor === undefined) return LAST_BEFORE + 1;
  return Number(major) > 0 ? Infinity : Number(minor);
}

/** The order of counts and items between two inputs of the model. */
class TurnOrder {
  private first: 'count' | 'item' | null = null;
  /** The newest count, unless an item follows it. */
  private openCount: RolloutRecord | null = null;
  /** The counts that items follow directly. */
  readonly answeredCounts: RolloutRecord[] = [];

  takeCount(record: RolloutRecord): void {
    this.first ??= 'count';
    this.openCount = record;
  }

  takeItem(): void {
    this.first ??= 'item';
    if (this.openCount) this.answeredCounts.push(this.openCount);
    this.openCount = null;
  }

  /** Whether counts precede their answers; null if the order does not tell. */
  areCountsFirst(): boolean | null {
    if (this.first === 'item') return false;
    return this.first === 'count' && this.openCount === null ? true : null;
  }
}
