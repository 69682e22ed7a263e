import { NONE } from '../../heads/id-index.js';
import { type Answers } from './answers.js';
import { Families, findOwnRecords, findResultsAway } from './families.js';
import { RECORD_TYPE } from './fields.js';
import { findKept, type KeptMessages } from './kept-messages.js';
import { findLogicalParent, mapChildren } from './live-chain.js';
import type { ClaudeRecords } from './records.js';

/** Newer than all records. */
const ACTIVE = 2 ** 31 - 1;

/** The tree of a file as it was written: main chains and answers. All lists are by record. */
export class RecordTree {
  private readonly parents: Int32Array;
  /** The answer of each placed result, and its place among those of the answer. */
  private readonly ofPlaced = new Map<number, number>();
  private readonly places = new Map<number, number>();
  private readonly placed = new Map<number, readonly number[]>();
  /** The answers all of whose results are placed. */
  private readonly wholes = new Set<number>();
  /** The records without a message between placed results on the main chain. */
  private readonly between: number[] = [];
  /** The last line of each answer on the main chain. */
  private readonly lasts: Int32Array;
  /** The number of each main chain; NONE for a record of a cycle. */
  private readonly chains: Int32Array;
  /** The newest record below each record. */
  private readonly latest: Int32Array;

  /** `tip`: the end of the active path, which the main chains follow; NONE for none. No link crosses the record `start`. */
  constructor(
    private readonly records: ClaudeRecords,
    readonly answers: Answers,
    tip: number,
    private readonly start: number,
  ) {
    const count = records.types.length;
    this.parents = records.parents.slice();
    this.chains = new Int32Array(count).fill(NONE);
    this.latest = new Int32Array(count).fill(NONE);
    this.lasts = new Int32Array(answers.count);
    this.relinkAll();
    const order = this.areInOrder() ? records.order : topDown(records.order, this.parents);
    const main = this.findLatest(order, tip);
    this.findChains(order, main);
    this.placeResults(main);
  }

  /** The record that another one follows. */
  readonly parentOf = (line: number): number => this.parents[line] ?? NONE;

  /** Cuts the links that cross the start. Whether every record comes after its parent, so that there is no cycle. */
  private areInOrder(): boolean {
    const { parents, start } = this;
    const { order } = this.records;
    const seen = new Uint8Array(parents.length);
    let areInOrder = true;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const parent = parents[line] ?? NONE;
      if (parent !== NONE && parent >= start !== line >= start) parents[line] = NONE;
      else if (parent !== NONE && seen[parent] === 0) areInOrder = false;
      seen[line] = 1;
    }
    return areInOrder;
  }

  /** Puts what the boundaries keep in their order. The last boundary that moves a record wins, so it comes first. */
  private relinkAll(): void {
    const { records } = this;
    const moves: (readonly [boundary: number, kept: KeptMessages])[] = [];
    for (const [line, boundary] of records.boundaries) {
      const kept = findKept(boundary, (uuid) => records.lineOf(uuid) !== NONE);
      if (kept && !kept.isSegment) moves.push([line, kept]);
    }
    if (moves.length === 0) return;
    const moved = new Set<number>();
    const followers = mapChildren(records, new Set(moves.map(([, { anchor }]) => anchor)));
    for (const [line, kept] of moves.toReversed()) this.relink(line, kept, moved, followers);
  }

  /** Puts the records after a boundary that it keeps in their order, and the others after the last of them. */
  private relink(boundary: number, kept: KeptMessages, moved: Set<number>, followers: Map<number, number[]>): void {
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

  /** The answer that a record is a line of, or a placed result; NONE for all other records. */
  answerOf(line: number): number {
    const answer = this.answers.of(line);
    return answer === NONE && this.ofPlaced.size > 0 ? (this.ofPlaced.get(line) ?? NONE) : answer;
  }

  lastOf(answer: number): number {
    return this.lasts[answer] ?? NONE;
  }

  /**
   * The results of an answer that follow its last line, in the order of the file: those on forks of their own, and with them those on
   * the main chain.
   */
  placedOf(answer: number): readonly number[] {
    return this.placed.get(answer) ?? NO_LINES;
  }

  /** Whether all results of an answer are placed, so that nothing but them follows its lines. */
  isWhole(answer: number): boolean {
    return this.wholes.has(answer);
  }

  /** The records without a message that were between placed results on the main chain. */
  betweenResults(): readonly number[] {
    return this.between;
  }

  /** 1 for each placed result, and for each line of its answer. */
  ofForks(): Uint8Array {
    const marks = new Uint8Array(this.parents.length);
    for (const [answer, placed] of this.placed)
      for (const line of [...placed, ...this.answers.lines(answer)]) marks[line] = 1;
    return marks;
  }

  /** The place of a result among the placed ones of its answer; NONE for all other records. */
  placeOf(line: number): number {
    return this.places.size > 0 ? (this.places.get(line) ?? NONE) : NONE;
  }

  isOnChainOf(line: number, answer: number): boolean {
    return this.chains[line] === this.chains[this.lastOf(answer)];
  }

  /** Finds the newest record below each one, and returns the child that leads to it. The active path is the newest. */
  private findLatest(order: Int32Array, tip: number): Int32Array {
    const { latest, parents } = this;
    const { main } = this.records;
    const children = new Int32Array(parents.length).fill(NONE);
    const isActive = this.markActive(tip);
    // Backwards, so that of several children that lead to nothing the first one is left.
    for (let place = order.length - 1; place >= 0; place -= 1) {
      const line = order[place] ?? 0;
      if (isActive[line] === 1) latest[line] = ACTIVE;
      else if (main[line] === 1 && (latest[line] ?? NONE) < line) latest[line] = line;
      const parent = parents[line] ?? NONE;
      if (parent === NONE) continue;
      const newest = latest[line] ?? NONE;
      if (newest >= (latest[children[parent] ?? NONE] ?? NONE)) children[parent] = line;
      if (newest > (latest[parent] ?? NONE)) latest[parent] = newest;
    }
    return children;
  }

  /**
   * Marks the records from the tip to the root. A boundary has none before it: the records before its compaction, from which it
   * may keep some, end with the one that it follows.
   */
  private markActive(tip: number): Uint8Array {
    const { parents, records } = this;
    const isActive = new Uint8Array(parents.length);
    for (let line = tip; line !== NONE && isActive[line] === 0;) {
      isActive[line] = 1;
      const parent = parents[line] ?? NONE;
      const before = parent === NONE && records.boundaries.has(line) ? findLogicalParent(records, line) : parent;
      line = this.areTogether(before, line) ? before : NONE;
    }
    return isActive;
  }

  /** The main chain goes on with the child that leads to the newest record. */
  private findChains(order: Int32Array, children: Int32Array): void {
    const { chains, parents } = this;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const parent = parents[line] ?? NONE;
      chains[line] = parent !== NONE && children[parent] === line ? (chains[parent] ?? NONE) : line;
    }
  }

  /**
   * Finds where the results of parallel calls belong. If any of an answer is on a fork of its own, all come after the last line of the
   * answer on the main chain, in the order of the file: so the client sends them, when they come and after it was resumed.
   * `children`: the child of each record that the main chain goes on with.
   */
  private placeResults(children: Int32Array): void {
    const { records, answers, chains } = this;
    const chainsOf = new Int32Array(answers.count);
    for (let answer = 0; answer < answers.count; answer += 1) chainsOf[answer] = this.chainOf(answer);
    const { away, owners } = findResultsAway(records, answers, chainsOf, chains);
    if (away.size === 0) return;
    const families = new Families(
      records,
      (line) => away.has(line),
      (line) => records.parent(line),
    );
    for (const answer of owners) {
      const last = this.lastOf(answer);
      const isAway = (one: number): boolean => chains[one] !== chainsOf[answer] && this.areTogether(one, last);
      const forked = families.take(answers.lines(answer), isAway);
      if (forked.length > 0) this.place(answer, forked, children);
    }
  }

  private place(answer: number, forked: readonly number[], children: Int32Array): void {
    const { records, answers, chains } = this;
    const last = this.lastOf(answer);
    const first = answers.lines(answer).find((line) => chains[line] === chains[last]) ?? last;
    const own = findOwnRecords(records, { answers, answer, last }, walkChildren(children, first));
    const placed = [...forked, ...(own?.results ?? [])].toSorted((a, b) => records.compare(a, b));
    this.placed.set(answer, placed);
    for (const [place, line] of placed.entries()) {
      this.ofPlaced.set(line, answer);
      this.places.set(line, place);
    }
    if (!own) return;
    this.wholes.add(answer);
    for (const line of own.others) if (records.types[line] !== RECORD_TYPE.progress) this.between.push(line);
  }

  /** The chain of the line of an answer that leads to the newest record; its last line there is recorded. */
  private chainOf(answer: number): number {
    const { chains, latest, answers, lasts } = this;
    const first = answers.first(answer);
    let newest = first;
    for (let line = answers.after(first); line !== NONE; line = answers.after(line))
      if ((latest[line] ?? NONE) > (latest[newest] ?? NONE)) newest = line;
    const chain = chains[newest] ?? NONE;
    for (let line = first; line !== NONE; line = answers.after(line)) if (chains[line] === chain) lasts[answer] = line;
    return chain;
  }
}

/** A record, and those that follow it on its main chain. */
function* walkChildren(children: Int32Array, first: number): Generator<number> {
  for (let line = first; line !== NONE; line = children[line] ?? NONE) yield line;
}

/** All records, parents first; those of a cycle are left out. Siblings stay in order. */
function topDown(lines: Int32Array, parents: Int32Array): Int32Array {
  const firsts = new Int32Array(parents.length).fill(NONE);
  const nexts = new Int32Array(parents.length).fill(NONE);
  // Backwards, so that each list begins with its first child.
  for (const line of lines.toReversed()) {
    const parent = parents[line] ?? NONE;
    if (parent === NONE) continue;
    nexts[line] = firsts[parent] ?? NONE;
    firsts[parent] = line;
  }
  const order = new Int32Array(lines.length);
  let count = 0;
  for (const line of lines) if (parents[line] === NONE) order[count++] = line;
  for (let at = 0; at < count; at += 1)
    for (let child = firsts[order[at] ?? 0] ?? NONE; child !== NONE; child = nexts[child] ?? NONE)
      order[count++] = child;
  return order.subarray(0, count);
}

const NO_LINES: readonly number[] = [];
