import { byTime, isMain, keptBy } from './chain.js';
import { type ChainRecord, Families, pushTo } from './record.js';

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
  private readonly parents = new Map<ChainRecord, ChainRecord>();
  private readonly children = new Map<ChainRecord, ChainRecord[]>();
  private readonly chains = new Map<ChainRecord, number>();
  private readonly latest = new Map<ChainRecord, number>();
  private readonly answersOf = new Map<ChainRecord, Answer>();

  /** `active`: the records of the active path, which the main chains follow. No link crosses the place `start`. */
  constructor(
    private readonly records: ReadonlyMap<string, ChainRecord>,
    private readonly active: ReadonlySet<ChainRecord>,
    private readonly start: number,
  ) {
    for (const record of records.values()) this.relink(record);
    for (const record of records.values()) {
      const parent = this.parentOf(record);
      if (parent) pushTo(this.children, parent, record);
    }
    const order = this.topDown();
    for (const record of order.toReversed()) this.latest.set(record, this.latestBelow(record));
    for (const record of order) this.chainFrom(record);
    for (const answer of this.answers())
      for (const record of [...answer.lines, ...answer.forked]) this.answersOf.set(record, answer);
  }

  /** The record that another one follows. */
  parentOf(record: ChainRecord): ChainRecord | undefined {
    const parent = this.parents.get(record) ?? this.records.get(record.parent ?? '');
    return parent && this.areTogether(parent, record) ? parent : undefined;
  }

  private childrenOf(record: ChainRecord): readonly ChainRecord[] {
    return this.children.get(record) ?? [];
  }

  /** Puts the records after a boundary that it keeps in their order, and the others after the last of them. */
  private relink({ boundary, at }: ChainRecord): void {
    const kept = boundary && keptBy(boundary, this.records);
    if (!kept || kept.isSegment) return;
    const named = kept.uuids.map((uuid) => this.records.get(uuid) as ChainRecord);
    for (const [place, record] of named.entries()) {
      const before = place === 0 ? this.records.get(kept.anchor) : named[place - 1];
      if (before && record.at > at) this.parents.set(record, before);
    }
    const last = named.at(-1) as ChainRecord;
    if (last.at < at) return;
    for (const record of this.records.values())
      if (record.parent === kept.anchor && !named.includes(record)) this.parents.set(record, last);
  }

  areTogether(one: ChainRecord, other: ChainRecord): boolean {
    return one.at >= this.start === other.at >= this.start;
  }

  /** The answer that a record is a line of, or a forked result. */
  answerOf(record: ChainRecord): Answer | undefined {
    return this.answersOf.get(record);
  }

  isOnChainOf(record: ChainRecord, { last }: Answer): boolean {
    return this.chains.get(record) === this.chains.get(last);
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
    for (const child of this.childrenOf(record)) latest = Math.max(latest, this.latest.get(child) ?? -1);
    return latest;
  }

  /** The main chain goes on with the child that leads to the newest record. */
  private chainFrom(record: ChainRecord): void {
    if (!this.chains.has(record)) this.chains.set(record, this.chains.size);
    let main: ChainRecord | null = null;
    for (const child of this.childrenOf(record))
      if (main === null || (this.latest.get(child) ?? -1) > (this.latest.get(main) ?? -1)) main = child;
    if (main) this.chains.set(main, this.chains.get(record) ?? 0);
  }

  private *answers(): Generator<Answer> {
    const families = new Families();
    for (const record of this.records.values()) {
      const key = record.answer === null ? null : `${record.at >= this.start} ${record.answer}`;
      families.add(record, record.parent, key);
    }
    const put = new Set<ChainRecord>();
    for (const lines of families.answers.values()) yield this.answer(lines, families.resultsOf(lines), put);
  }

  private answer(lines: readonly ChainRecord[], results: readonly ChainRecord[], put: Set<ChainRecord>): Answer {
    const latestOf = (line: ChainRecord): number => this.latest.get(line) ?? -1;
    const newest = lines.reduce((best, line) => (latestOf(line) > latestOf(best) ? line : best));
    const chain = this.chains.get(newest);
    const last = lines.findLast((line) => this.chains.get(line) === chain) ?? newest;
    const forked = results.filter(
      (one) => this.chains.get(one) !== chain && this.areTogether(one, last) && !put.has(one) && put.add(one),
    );
    return { first: lines[0] as ChainRecord, lines, last, forked: byTime(forked) };
  }
}
