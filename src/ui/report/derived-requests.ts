import { CATEGORIES } from '#analysis/stats/session-stats.js';
import { categoryOf } from '#analysis/stats/token-breakdown.js';
import { loggedIn } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import type { Head } from '#session/table/head.js';
import type { Heads } from '#session/table/heads.js';
import type { MessagePool } from './message-pool.js';
import type { Collected, RequestSource } from './request-source.js';

/**
 * Derives requests of other branches from known ones without a replay, if they only add messages, as nearly all of
 * them do.
 */
export function deriveRequests(source: RequestSource, to: Collected): void {
  const { heads } = source.session.tree;
  if (!heads.areParentsAbove() || !isPlain(heads)) return;
  const derivation = new Derivation(source, to);
  for (let index = 0; index < heads.length; index += 1)
    if (heads.roleAt(index) === 'assistant' && to.numbers[index] === -1) derivation.derive(index);
}

/** Whether every id is unique, and every edit follows its target. */
function isPlain(heads: Heads): boolean {
  for (let index = 0; index < heads.length; index += 1) if (heads.resolvedAt(index) !== index) return false;
  for (const { index } of heads.ofType('context_edit')) if (heads.targetAt(index) >= index) return false;
  return true;
}

/** Entries that change more than the end of the message list. */
const CHANGES: ReadonlySet<string | null> = new Set([
  'compaction',
  'context_transform',
  'context_edit',
  'thinking_level_change',
]);

class Derivation {
  private readonly isBlocked: Uint8Array;
  /** The number of messages of each request. */
  private readonly lengths: number[] = [];

  constructor(
    private readonly source: RequestSource,
    private readonly to: Collected,
  ) {
    this.isBlocked = new Uint8Array(to.numbers.length);
  }

  derive(answer: number): void {
    const between = this.entriesSince(answer);
    if (between === null) {
      this.isBlocked[answer] = 1;
      return;
    }
    const { source, to } = this;
    const { lists, numbers } = to;
    const base = numbers[between[0] ?? -1] ?? -1;
    const added = between.map((entry) => source.stored[entry] ?? -1).filter((number) => number !== -1);
    const sums = Float64Array.from(lists.ledgers.slice(base * CATEGORIES.length, (base + 1) * CATEGORIES.length));
    for (const number of added) source.pool.addTokens(sums, number, 1);
    for (const sum of sums) lists.ledgers.push(sum);
    lists.before.push(base);
    lists.keeps.push(this.lengthOf(base));
    lists.ranges.push(rangesOf(added));
    lists.preambles.push(lists.preambles[base] ?? 0);
    lists.models.push(source.models[answer] ?? 0);
    lists.levels.push(lists.levels[base] ?? 0);
    const number = lists.entries.push(answer) - 1;
    numbers[answer] = number;
    const uncached = this.loggedIn(between);
    if (uncached.length > 0) lists.uncached.push([number, uncached]);
  }

  /** The entries from the previous answer to this one; null if they do not suffice to derive the request. */
  private entriesSince(answer: number): readonly number[] | null {
    const { heads } = this.source.session.tree;
    const entries: number[] = [];
    for (let at = heads.parentAt(answer); at !== -1; at = heads.parentAt(at)) {
      if (this.isBlocked[at] === 1 || CHANGES.has(heads.typeAt(at)) || heads.roleAt(at) === 'system') return null;
      entries.push(at);
      if ((this.to.numbers[at] ?? -1) !== -1) return entries.toReversed();
    }
    return null;
  }

  private lengthOf(request: number): number {
    const { keeps, ranges } = this.to.lists;
    this.lengths[request] ??=
      (keeps[request] ?? 0) + (ranges[request] ?? []).reduce((sum, count, at) => (at % 2 === 1 ? sum + count : sum), 0);
    return this.lengths[request];
  }

  private loggedIn(entries: readonly number[]): readonly number[] {
    const { heads } = this.source.session.tree;
    const last = entries.findLast((entry) => {
      const type = heads.typeAt(entry);
      return type === 'ephemeral' || MESSAGE_TYPES.has(type);
    });
    const head = heads.at(last ?? -1);
    return head?.type === 'ephemeral' ? loggedMessages(this.source, head) : [];
  }
}

/** The difference between a list and the previous one: the number of shared messages at the start, and the messages after them. */
interface Patch {
  readonly keep: number;
  /** Runs of consecutive messages: first number, count, first number, and so on. */
  readonly ranges: readonly number[];
}

/** The message list of successive requests, with its token sum. */
export class GrowingList {
  readonly sums: Float64Array;
  private readonly list: number[] = [];
  /** The number of messages unchanged since the last patch, and the old messages after them. */
  private keep = 0;
  private behind: number[] = [];

  constructor(
    private readonly pool: MessagePool,
    categories: number,
  ) {
    this.sums = new Float64Array(categories);
  }

  get length(): number {
    return this.list.length;
  }

  append(number: number): void {
    this.list.push(number);
    this.pool.addTokens(this.sums, number, 1);
  }

  cutTo(length: number): void {
    if (length >= this.list.length) return;
    for (const number of this.list.slice(length)) this.pool.addTokens(this.sums, number, -1);
    if (length < this.keep) {
      this.behind = [...this.list.slice(length, this.keep), ...this.behind];
      this.keep = length;
    }
    this.list.length = length;
  }

  /** The last position of a message; -1 for none. */
  lastPlace(isWanted: (number: number) => boolean): number {
    return this.list.findLastIndex(isWanted);
  }

  /** The changes since the previous call. */
  patch(): Patch {
    let same = 0;
    while (same < this.behind.length && this.behind[same] === this.list[this.keep + same]) same += 1;
    const keep = this.keep + same;
    const ranges = rangesOf(this.list.slice(keep));
    this.keep = this.list.length;
    this.behind = [];
    return { keep, ranges };
  }
}

/** Runs of consecutive numbers: first, count, first, and so on. */
function rangesOf(numbers: readonly number[]): readonly number[] {
  const ranges: number[] = [];
  for (const number of numbers) {
    const last = ranges.length - 2;
    const [start = 0, count = 0] = [ranges[last], ranges[last + 1]];
    if (last >= 0 && start + count === number) ranges[last + 1] = count + 1;
    else ranges.push(number, 1);
  }
  return ranges;
}

/** The messages that an entry logged for one request only, by number. */
export function loggedMessages({ session, pool, mostOf }: RequestSource, logged: Head): readonly number[] {
  const most = mostOf(logged.length);
  return loggedIn(session.entry(logged)).map((message) =>
    pool.add({ entry: logged.index, origin: 'ephemeral', message, textIs: categoryOf(message.role), most }),
  );
}
