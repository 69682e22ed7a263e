import { childrenByUuid, type Kept, keptBy } from './chain.js';
import { Answers, byTime, Families, resultsAway } from './families.js';
import { TYPE } from './fields.js';
import { type ClaudeRecords, NONE } from './records.js';

/** Newer than all records. */
const ACTIVE = 2 ** 31 - 1;

/** The tree of a file as it was written: main chains and answers. All lists are by record. */
export class Shape {
  private readonly parents: Int32Array;
  private readonly firstChildren: Int32Array;
  private readonly nextSiblings: Int32Array;
  private readonly answers: Answers;
  /** The answer of each forked result, and its place among those of the answer. */
  private readonly ofForked = new Map<number, number>();
  private readonly places = new Map<number, number>();
  private readonly forked = new Map<number, readonly number[]>();
  private readonly lasts = new Map<number, number>();
  /** The number of each main chain; NONE for a record of a cycle. */
  private readonly chains: Int32Array;
  /** The newest record below each record. */
  private readonly latest: Int32Array;

  /** `active`: the active path, which the main chains follow. No link crosses the record `start`. */
  constructor(
    private readonly records: ClaudeRecords,
    active: readonly number[],
    private readonly start: number,
  ) {
    const count = records.types.length;
    const none = (): Int32Array => new Int32Array(count).fill(NONE);
    this.parents = none();
    this.firstChildren = none();
    this.nextSiblings = none();
    this.chains = none();
    this.latest = none();
    this.linkAll();
    const order = this.topDown();
    this.findLatest(order, new Set(active));
    for (const line of order) this.chainFrom(line);
    this.answers = new Answers(records, start);
    this.findForks();
  }

  /** The record that another one follows. */
  readonly parentOf = (line: number): number => this.parents[line] ?? NONE;

  private linkAll(): void {
    const { records, parents, firstChildren, nextSiblings } = this;
    const { order } = records;
    for (const line of order) parents[line] = records.lineOf(records.parent(line));
    this.relinkAll();
    // Backwards, so that each list begins with its first child.
    for (let at = order.length - 1; at >= 0; at -= 1) {
      const line = order[at] ?? 0;
      const parent = parents[line] ?? NONE;
      if (parent === NONE) continue;
      if (this.areTogether(parent, line)) {
        nextSiblings[line] = firstChildren[parent] ?? NONE;
        firstChildren[parent] = line;
      } else parents[line] = NONE;
    }
  }

  /** Puts what the boundaries keep in their order. The last boundary that moves a record wins, so it comes first. */
  private relinkAll(): void {
    const { records } = this;
    const moves: (readonly [boundary: number, kept: Kept])[] = [];
    for (const line of records.order) {
      const boundary = records.boundaries.get(line);
      const kept = boundary && keptBy(boundary, (uuid) => records.lineOf(uuid) !== NONE);
      if (kept && !kept.isSegment) moves.push([line, kept]);
    }
    if (moves.length === 0) return;
    const moved = new Set<number>();
    const followers = childrenByUuid(records, new Set(moves.map(([, { anchor }]) => anchor)));
    for (const [line, kept] of moves.toReversed()) this.relink(line, kept, moved, followers);
  }

  /** Puts the records after a boundary that it keeps in their order, and the others after the last of them. */
  private relink(boundary: number, kept: Kept, moved: Set<number>, followers: Map<number, number[]>): void {
    const { records, parents } = this;
    const named = kept.uuids.map((uuid) => records.lineOf(uuid));
    const last = named.at(-1) ?? NONE;
    if (last >= boundary) {
      const isNamed = new Set(named);
      const left: number[] = [];
      for (const line of followers.get(kept.anchor) ?? []) {
        if (moved.has(line)) continue;
        if (isNamed.has(line)) left.push(line);
        else {
          moved.add(line);
          parents[line] = last;
        }
      }
      followers.set(kept.anchor, left);
    }
    for (let place = named.length - 1; place >= 0; place -= 1) {
      const line = named[place] ?? NONE;
      const before = place === 0 ? records.lineOf(kept.anchor) : (named[place - 1] ?? NONE);
      if (before === NONE || line <= boundary || moved.has(line)) continue;
      moved.add(line);
      parents[line] = before;
    }
  }

  areTogether(one: number, other: number): boolean {
    return one >= this.start === other >= this.start;
  }

  /** The answer that a record is a line of, or a forked result; NONE for all other records. */
  answerOf(line: number): number {
    return this.records.types[line] === TYPE.assistant ? this.answers.of(line) : (this.ofForked.get(line) ?? NONE);
  }

  /** The first line of an answer. */
  firstOf(answer: number): number {
    return this.answers.first(answer);
  }

  linesOf(answer: number): readonly number[] {
    return this.answers.lines(answer);
  }

  /** The last line of an answer on the main chain. */
  lastOf(answer: number): number {
    return this.lasts.get(answer) ?? this.firstOf(answer);
  }

  /** The results of an answer on a fork of their own. */
  forkedOf(answer: number): readonly number[] {
    return this.forked.get(answer) ?? NO_LINES;
  }

  /** The place of a forked result among those of its answer; NONE for all other records. */
  placeOf(line: number): number {
    return this.places.get(line) ?? NONE;
  }

  isOnChainOf(line: number, answer: number): boolean {
    return this.chains[line] === this.chains[this.lastOf(answer)];
  }

  /** All records, parents first; those of a cycle are left out. */
  private topDown(): Int32Array {
    const { records, parents, firstChildren, nextSiblings } = this;
    const order = new Int32Array(records.order.length);
    let count = 0;
    for (const line of records.order) if (parents[line] === NONE) order[count++] = line;
    for (let at = 0; at < count; at += 1) {
      let child = firstChildren[order[at] ?? 0] ?? NONE;
      for (; child !== NONE; child = nextSiblings[child] ?? NONE) order[count++] = child;
    }
    return order.subarray(0, count);
  }

  private findLatest(order: Int32Array, active: ReadonlySet<number>): void {
    const { records, latest, parents } = this;
    for (let at = order.length - 1; at >= 0; at -= 1) {
      const line = order[at] ?? 0;
      if (active.has(line)) latest[line] = ACTIVE;
      else if (records.isMain(line)) latest[line] = Math.max(latest[line] ?? NONE, line);
      const parent = parents[line] ?? NONE;
      if (parent !== NONE) latest[parent] = Math.max(latest[parent] ?? NONE, latest[line] ?? NONE);
    }
  }

  /** The main chain goes on with the child that leads to the newest record. */
  private chainFrom(line: number): void {
    const { chains, latest, nextSiblings } = this;
    if (chains[line] === NONE) chains[line] = line;
    let main = this.firstChildren[line] ?? NONE;
    if (main === NONE) return;
    for (let child = nextSiblings[main] ?? NONE; child !== NONE; child = nextSiblings[child] ?? NONE)
      if ((latest[child] ?? NONE) > (latest[main] ?? NONE)) main = child;
    chains[main] = chains[line] ?? NONE;
  }

  /**
   * Finds where the results of parallel calls belong: those on a fork of their own come after the last line of the
   * answer on the main chain.
   */
  private findForks(): void {
    const { records, answers, chains } = this;
    const chainsOf = new Int32Array(answers.count);
    for (let answer = 0; answer < answers.count; answer += 1) chainsOf[answer] = this.chainOf(answer);
    const away = resultsAway(records, (line) => chainsOf[answers.of(line)] ?? NONE, chains);
    if (away.length === 0) return;
    const families = new Families(records, away, (line) => records.parent(line));
    for (let answer = 0; answer < answers.count; answer += 1) {
      const last = this.lastOf(answer);
      const isAway = (one: number): boolean => chains[one] !== chainsOf[answer] && this.areTogether(one, last);
      const forked = families.take(answers.lines(answer), isAway);
      if (forked.length > 0) this.addForked(answer, byTime(records, forked));
    }
  }

  private addForked(answer: number, forked: readonly number[]): void {
    this.forked.set(answer, forked);
    for (const [place, line] of forked.entries()) {
      this.ofForked.set(line, answer);
      this.places.set(line, place);
    }
  }

  /** The chain of the line of an answer that leads to the newest record; its last line there is recorded. */
  private chainOf(answer: number): number {
    const { chains, latest, answers } = this;
    const first = answers.first(answer);
    if (!answers.hasMore(answer)) return chains[first] ?? NONE;
    const lines = answers.lines(answer);
    let newest = first;
    for (const line of lines) if ((latest[line] ?? NONE) > (latest[newest] ?? NONE)) newest = line;
    const chain = chains[newest] ?? NONE;
    this.lasts.set(answer, lines.findLast((line) => chains[line] === chain) ?? newest);
    return chain;
  }
}

const NO_LINES: readonly number[] = [];
