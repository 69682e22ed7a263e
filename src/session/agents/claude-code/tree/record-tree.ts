import { NONE } from '../../../heads/id-index.js';
import { findKept } from '../records/boundary.js';
import type { ClaudeRecords } from '../records/records.js';
import { findLogicalParent } from './compactions.js';
import { Relinking } from './relinking.js';

/** Newer than all records. */
const ACTIVE = 2 ** 31 - 1;

/** The tree of a file as it was written, and its main chains. All lists are by record. */
export class RecordTree {
  private readonly parents: Int32Array;
  /** The number of each main chain; NONE for a record of a cycle. */
  readonly chains: Int32Array;
  /** The newest record below each record. */
  readonly latest: Int32Array;
  /** The child of each record with which its main chain goes on. */
  private readonly nexts: Int32Array;

  /**
   * `tip`: the end of the active path, which the main chains follow; NONE for none. No link crosses the record `start`.
   */
  constructor(
    private readonly records: ClaudeRecords,
    tip: number,
    private readonly start: number,
  ) {
    const count = records.types.length;
    this.parents = records.parents.slice();
    this.chains = new Int32Array(count).fill(NONE);
    this.latest = new Int32Array(count).fill(NONE);
    this.nexts = new Int32Array(count).fill(NONE);
    this.relink();
    this.cutLinksAcrossStart();
    const order = this.areInOrder() ? records.order : topDown(records.order, this.parents);
    this.findNexts(order, tip);
    this.findChains(order);
  }

  /** The record that another one follows. */
  readonly parentOf = (line: number): number => this.parents[line] ?? NONE;

  /** Whether no start is between two records. */
  areTogether(one: number, other: number): boolean {
    return one >= this.start === other >= this.start;
  }

  areOnOneChain(one: number, other: number): boolean {
    return this.chains[one] === this.chains[other];
  }

  /** A record, and those that follow it on its main chain. */
  *walkChain(first: number): Generator<number> {
    for (let line = first; line !== NONE; line = this.nexts[line] ?? NONE) yield line;
  }

  private cutLinksAcrossStart(): void {
    const { parents, start } = this;
    const { order } = this.records;
    if (start === 0) return;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const parent = parents[line] ?? NONE;
      if (parent !== NONE && !this.areTogether(parent, line)) parents[line] = NONE;
    }
  }

  /** Whether every record comes after its parent, so that there is no cycle. */
  private areInOrder(): boolean {
    const { parents } = this;
    const { order } = this.records;
    const seen = new Uint8Array(parents.length);
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const parent = parents[line] ?? NONE;
      if (parent !== NONE && seen[parent] === 0) return false;
      seen[line] = 1;
    }
    return true;
  }

  /**
   * Puts the records that the boundaries keep after their summaries, if the summaries come later in the file. The
   * records before a boundary stay where they were written: the compaction keeps them there.
   */
  private relink(): void {
    const { records, parents } = this;
    const relinking = new Relinking(records);
    for (const [boundary, facts] of records.effects.boundaries) {
      const kept = findKept(facts, (uuid) => records.lineOf(uuid) !== NONE);
      if (kept && !kept.isSegment) relinking.keep(kept, (uuid) => records.lineOf(uuid) > boundary);
    }
    if (!relinking.isRelinked) return;
    for (const line of records.order) parents[line] = records.lineOf(relinking.parentUuidOf(line));
  }

  /** Finds the newest record below each one, and the child that leads to it. The active path is the newest. */
  private findNexts(order: Int32Array, tip: number): void {
    const { latest, nexts, parents } = this;
    const { main } = this.records;
    const isActive = this.markActive(tip);
    // Goes backwards, so that the first of several children that lead to nothing is left.
    for (let place = order.length - 1; place >= 0; place -= 1) {
      const line = order[place] ?? 0;
      if (isActive[line] === 1) latest[line] = ACTIVE;
      else if (main[line] === 1 && (latest[line] ?? NONE) < line) latest[line] = line;
      const parent = parents[line] ?? NONE;
      if (parent === NONE) continue;
      const newest = latest[line] ?? NONE;
      if (newest >= (latest[nexts[parent] ?? NONE] ?? NONE)) nexts[parent] = line;
      if (newest > (latest[parent] ?? NONE)) latest[parent] = newest;
    }
  }

  /**
   * Marks the records from the tip to the root. A boundary has no parent: it follows the last record before its
   * compaction, which may keep some of the records up to there.
   */
  private markActive(tip: number): Uint8Array {
    const { parents, records } = this;
    const isActive = new Uint8Array(parents.length);
    for (let line = tip; line !== NONE && isActive[line] === 0;) {
      isActive[line] = 1;
      const parent = parents[line] ?? NONE;
      const before =
        parent === NONE && records.effects.boundaries.has(line) ? findLogicalParent(records, line) : parent;
      line = this.areTogether(before, line) ? before : NONE;
    }
    return isActive;
  }

  /** The main chain goes on with the child that leads to the newest record. */
  private findChains(order: Int32Array): void {
    const { chains, nexts, parents } = this;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const parent = parents[line] ?? NONE;
      chains[line] = parent !== NONE && nexts[parent] === line ? (chains[parent] ?? NONE) : line;
    }
  }
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
  const add = (line: number): void => {
    order[count] = line;
    count += 1;
  };
  for (const line of lines) {
    if (parents[line] === NONE) add(line);
  }
  for (let at = 0; at < count; at += 1) {
    let child = firsts[order[at] ?? 0] ?? NONE;
    for (; child !== NONE; child = nexts[child] ?? NONE) add(child);
  }
  return order.subarray(0, count);
}
