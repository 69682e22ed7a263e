import { byTime, isMain, keptBy } from './chain.js';
import { type ChainRecord, Families } from './record.js';

/**
 * The lines of one answer, and where the results of its parallel calls belong: results on a fork of their own come after
 * the last line of the answer on the main chain.
 */
export interface Answer {
  readonly first: ChainRecord;
  readonly lines: readonly ChainRecord[];
  /** The last line on the main chain. */
  readonly last: ChainRecord;
  readonly forked: readonly ChainRecord[];
}

/** The tree of a file as it was written: main chains and answers. */
export class Shape {
  /** By the place of a record, as all lists here. */
  private readonly parents: (ChainRecord | undefined)[];
  private readonly children: (ChainRecord[] | undefined)[];
  private readonly answersOf: (Answer | undefined)[];
  /** The number of each main chain; -1 for a record of a cycle. */
  private readonly chains: Int32Array;
  /** The place of the newest record below each record. */
  private readonly latest: Float64Array;

  /** `active`: the records of the active path, which the main chains follow. No link crosses the place `start`. */
  constructor(
    private readonly records: ReadonlyMap<string, ChainRecord>,
    private readonly active: ReadonlySet<ChainRecord>,
    private readonly start: number,
  ) {
    let count = 0;
    for (const { at } of records.values()) count = Math.max(count, at + 1);
    this.parents = Array.from({ length: count });
    this.children = Array.from({ length: count });
    this.answersOf = Array.from({ length: count });
    this.chains = new Int32Array(count).fill(-1);
    this.latest = new Float64Array(count).fill(-1);
    this.linkAll();
    const order = this.topDown();
    for (const record of order.toReversed()) this.latest[record.at] = this.latestBelow(record);
    for (const record of order) this.chainFrom(record);
    for (const answer of this.answers()) {
      for (const { at } of answer.lines) this.answersOf[at] = answer;
      for (const { at } of answer.forked) this.answersOf[at] = answer;
    }
  }

  /** The record that another one follows. */
  parentOf({ at }: ChainRecord): ChainRecord | undefined {
    return this.parents[at];
  }

  private linkAll(): void {
    const { records, parents } = this;
    for (const record of records.values()) if (record.parent) parents[record.at] = records.get(record.parent);
    for (const record of records.values()) if (record.boundary) this.relink(record);
    for (const record of records.values()) {
      const parent = parents[record.at];
      if (parent && this.areTogether(parent, record)) (this.children[parent.at] ??= []).push(record);
      else parents[record.at] = undefined;
    }
  }

  private childrenOf(record: ChainRecord): readonly ChainRecord[] {
    return this.children[record.at] ?? NONE;
  }

  /** Puts the records after a boundary that it keeps in their order, and the others after the last of them. */
  private relink({ boundary, at }: ChainRecord): void {
    const kept = boundary && keptBy(boundary, this.records);
    if (!kept || kept.isSegment) return;
    const named = kept.uuids.map((uuid) => this.records.get(uuid) as ChainRecord);
    for (const [place, record] of named.entries()) {
      const before = place === 0 ? this.records.get(kept.anchor) : named[place - 1];
      if (before && record.at > at) this.parents[record.at] = before;
    }
    const last = named.at(-1) as ChainRecord;
    if (last.at < at) return;
    for (const record of this.records.values())
      if (record.parent === kept.anchor && !named.includes(record)) this.parents[record.at] = last;
  }

  areTogether(one: ChainRecord, other: ChainRecord): boolean {
    return one.at >= this.start === other.at >= this.start;
  }

  /** The answer that a record is a line of, or a forked result. */
  answerOf(record: ChainRecord): Answer | undefined {
    return this.answersOf[record.at];
  }

  isOnChainOf(record: ChainRecord, { last }: Answer): boolean {
    return this.chains[record.at] === this.chains[last.at];
  }

  /** All records, parents first; those of a cycle are left out. */
  private topDown(): readonly ChainRecord[] {
    const order = [...this.records.values()].filter((record) => this.parentOf(record) === undefined);
    for (let at = 0; at < order.length; at += 1) {
      const record = order[at] as ChainRecord;
      for (const child of this.childrenOf(record)) order.push(child);
    }
    return order;
  }

  private latestBelow(record: ChainRecord): number {
    if (this.active.has(record)) return Infinity;
    let latest = isMain(record) ? record.at : -1;
    for (const child of this.childrenOf(record)) latest = Math.max(latest, this.latestOf(child));
    return latest;
  }

  /** The main chain goes on with the child that leads to the newest record. */
  private chainFrom(record: ChainRecord): void {
    if (this.chains[record.at] === -1) this.chains[record.at] = record.at;
    let main: ChainRecord | null = null;
    for (const child of this.childrenOf(record))
      if (main === null || this.latestOf(child) > this.latestOf(main)) main = child;
    if (main) this.chains[main.at] = this.chains[record.at] ?? -1;
  }

  private latestOf({ at }: ChainRecord): number {
    return this.latest[at] ?? -1;
  }

  private *answers(): Generator<Answer> {
    const families = new Families();
    for (const record of this.records.values()) {
      const isOld = record.at < this.start;
      const key = isOld && record.answer !== null ? `before ${record.answer}` : record.answer;
      families.add(record, record.parent, key);
    }
    const put = new Set<ChainRecord>();
    for (const lines of families.answers.values()) yield this.answer(lines, families.resultsOf(lines), put);
  }

  private answer(lines: readonly ChainRecord[], results: readonly ChainRecord[], put: Set<ChainRecord>): Answer {
    const newest = lines.reduce((best, line) => (this.latestOf(line) > this.latestOf(best) ? line : best));
    const chain = this.chains[newest.at];
    const last = lines.findLast((line) => this.chains[line.at] === chain) ?? newest;
    const forked = results.filter(
      (one) => this.chains[one.at] !== chain && this.areTogether(one, last) && !put.has(one) && put.add(one),
    );
    return { first: lines[0] as ChainRecord, lines, last, forked: forked.length > 1 ? byTime(forked) : forked };
  }
}

const NONE: readonly ChainRecord[] = [];
