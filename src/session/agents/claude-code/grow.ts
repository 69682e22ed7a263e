import { type Kept, keptBy } from './chain.js';
import type { Node } from './node.js';
import type { ChainRecord } from './record.js';
import type { RecordedLines } from './records.js';
import type { Shape } from './shape.js';
import { Writer } from './writer.js';

/** A boundary with its summary and what it keeps. */
export interface CompactionLines {
  readonly boundary: ChainRecord;
  readonly summary: ChainRecord | null;
  /** The records that it keeps, in order. */
  readonly kept: readonly ChainRecord[];
}

/** Builds the tree of entries from the tree of records, parents first. */
export class TreeGrowth {
  readonly writer: Writer;
  /** The entry with the title, which the first root follows. */
  private root: Node | null;
  /** The last entry of each record; null for a record without one, whose children follow its parent. */
  private readonly tails = new Map<ChainRecord, Node | null>();
  /** The nearest record above each one without an entry that may have one: chains of progress records are long. */
  private readonly above = new Map<ChainRecord, ChainRecord>();
  private readonly compactions = new Map<ChainRecord, CompactionLines>();
  /** The compactions that keep a record, in file order. */
  private readonly keepers = new Map<ChainRecord, CompactionLines[]>();
  /** The compaction that a summary belongs to. */
  private readonly ofSummary = new Map<ChainRecord, CompactionLines>();

  constructor(
    private readonly records: RecordedLines,
    readonly shape: Shape,
  ) {
    this.writer = new Writer(records);
    this.root = this.writer.writeTitle();
    const summaries = this.summaries();
    for (const record of records.chain.values())
      if (record.boundary) this.addCompaction(record, summaries.get(record) ?? null);
    for (const record of records.chain.values()) this.settle(record);
  }

  /** The entry that a record at `at` with this parent follows. */
  after(parent: ChainRecord | undefined, at: number, child?: ChainRecord): Node | null {
    const seen = new Set<ChainRecord>();
    for (let next = parent; next && !seen.has(next); next = this.above.get(next) ?? this.shape.parentOf(next)) {
      seen.add(next);
      const tail = this.tailFor(next, at, child);
      if (tail) return tail;
    }
    const { root } = this;
    this.root = null;
    return root;
  }

  private tailFor(parent: ChainRecord, at: number, child?: ChainRecord): Node | null {
    const keeper = this.keeperOf(parent, at);
    if (keeper) return this.tails.get(keeper.boundary) ?? null;
    return this.tails.get(this.redirected(parent, child)) ?? null;
  }

  /** The newest compaction before `at` that keeps a record. */
  private keeperOf(record: ChainRecord, at: number): CompactionLines | undefined {
    return this.keepers
      .get(record)
      ?.findLast(({ boundary }) => boundary.at < at && this.shape.areTogether(boundary, record));
  }

  /** The record whose entry another one follows: after an answer, the last result of its parallel calls. */
  private redirected(parent: ChainRecord, child?: ChainRecord): ChainRecord {
    const answer = this.shape.answerOf(parent);
    const end = answer?.forked.at(-1);
    if (!answer || !end) return parent;
    const isWithin = child && (answer.lines.includes(child) || answer.forked.includes(child));
    const isBetween = child && parent !== answer.last && this.shape.isOnChainOf(child, answer);
    return isWithin || isBetween ? parent : end;
  }

  /** The records whose entries must be built before that of a record. */
  private needs(record: ChainRecord): readonly (ChainRecord | undefined)[] {
    const compaction = this.compactions.get(record);
    if (compaction)
      return compaction.kept.length > 0 ? [compaction.kept[0], compaction.kept.at(-1)] : [this.logicalParent(record)];
    const own = this.ofSummary.get(record);
    if (own) return [own.boundary];
    const parent = this.shape.parentOf(record);
    const keeper = parent && this.keeperOf(parent, record.at);
    const answer = this.shape.answerOf(record);
    const place = answer?.forked.indexOf(record) ?? -1;
    if (answer && place !== -1) return [place === 0 ? answer.last : answer.forked[place - 1]];
    return [
      answer && answer.first !== record ? answer.first : undefined,
      keeper?.boundary,
      parent,
      parent && this.redirected(parent, record),
    ];
  }

  /** Builds the entries of a record and of all that it needs. A cycle is cut where it would repeat. */
  private settle(record: ChainRecord): void {
    const open = new Set<ChainRecord>();
    const stack = [record];
    while (stack.length > 0) {
      const top = stack.at(-1) as ChainRecord;
      if (this.tails.has(top)) {
        stack.pop();
        continue;
      }
      const missing = open.has(top)
        ? undefined
        : this.needs(top).filter((need) => need && need !== top && !open.has(need) && !this.tails.has(need));
      open.add(top);
      if (missing && missing.length > 0) stack.push(...(missing as ChainRecord[]));
      else this.tails.set(top, this.build(top));
    }
  }

  private build(record: ChainRecord): Node | null {
    const compaction = this.compactions.get(record);
    if (compaction) return this.compact(compaction);
    const own = this.ofSummary.get(record);
    if (own) return this.tails.get(own.boundary) ?? null;
    const answer = this.shape.answerOf(record);
    const parent = this.shape.parentOf(record);
    const place = answer?.forked.indexOf(record) ?? -1;
    if (answer && place !== -1) {
      const before = place === 0 ? answer.last : answer.forked[place - 1];
      return this.writer.write((before && this.tails.get(before)) ?? null, record);
    }
    if (answer && answer.first !== record) return this.tailOfLine(record, this.tails.get(answer.first) ?? null);
    if (this.isEmpty(record)) return this.skip(record, parent);
    return this.writer.write(this.after(parent, record.at, record), record, answer);
  }

  private isEmpty(record: ChainRecord): boolean {
    return record.type === 'progress' && !this.keepers.has(record);
  }

  private skip(record: ChainRecord, parent: ChainRecord | undefined): null {
    const above = parent && (this.above.get(parent) ?? parent);
    if (above) this.above.set(record, above);
    return null;
  }

  /** A later line of an answer has no entry: results that came before it come before what follows it, too. */
  private tailOfLine(record: ChainRecord, first: Node | null): Node | null {
    const answer = this.shape.answerOf(record);
    let next = this.shape.parentOf(record);
    for (let steps = 0; next && steps < MOST_STEPS; steps += 1) {
      if (answer?.lines.includes(next)) return this.after(this.shape.parentOf(record), record.at, record) ?? first;
      next = this.shape.parentOf(next);
    }
    return first;
  }

  private compact(compaction: CompactionLines): Node | null {
    const { boundary, kept } = compaction;
    const last = kept.at(-1);
    const parent = this.shape.parentOf(boundary);
    const above = last ?? this.logicalParent(boundary) ?? parent;
    const before = above ? (this.tails.get(above) ?? this.after(this.shape.parentOf(above), above.at, above)) : null;
    const first = kept[0] && this.writer.firstOf(kept[0]);
    return this.writer.compact(before, compaction, first ?? null);
  }

  /** The record that a boundary follows; the newest message before it if that is not in the file. */
  private logicalParent({ boundary, at }: ChainRecord): ChainRecord | undefined {
    const named = this.records.chain.get(boundary?.logicalParent ?? '');
    return named && named.at < at ? named : this.messageBefore(at);
  }

  private messageBefore(at: number): ChainRecord | undefined {
    let newest: ChainRecord | undefined;
    for (const record of this.records.chain.values()) {
      const isMessage = (record.type === 'user' || record.type === 'assistant') && !record.isSide;
      if (isMessage && record.at < at && record.at > (newest?.at ?? -1)) newest = record;
    }
    return newest;
  }

  private addCompaction(boundary: ChainRecord, summary: ChainRecord | null): void {
    const found = boundary.boundary && keptBy(boundary.boundary, this.records.chain);
    const kept = found ? this.keptRecords(found).filter((one) => one.at < boundary.at) : [];
    const compaction = { boundary, summary, kept };
    this.compactions.set(boundary, compaction);
    if (summary) this.ofSummary.set(summary, compaction);
    for (const record of kept) this.keepers.set(record, [...(this.keepers.get(record) ?? []), compaction]);
  }

  private keptRecords({ uuids, isSegment }: Kept): readonly ChainRecord[] {
    const named = uuids.flatMap((uuid) => this.records.chain.get(uuid) ?? []);
    const [head, tail] = named;
    if (!isSegment || !head || !tail) return named;
    const path = new Set<ChainRecord>();
    for (let next: ChainRecord | undefined = tail; next && !path.has(next); next = this.shape.parentOf(next)) {
      path.add(next);
      if (next === head) return [...path].toReversed();
    }
    return [];
  }

  /** The summary of each boundary: the first one below it, with no message between. */
  private summaries(): ReadonlyMap<ChainRecord, ChainRecord> {
    const summaries = new Map<ChainRecord, ChainRecord>();
    for (const record of this.records.chain.values()) {
      if (!record.isSummary) continue;
      let above = this.shape.parentOf(record);
      for (let steps = 0; above && !above.boundary && steps < MOST_STEPS; steps += 1)
        above = above.type === 'user' || above.type === 'assistant' ? undefined : this.shape.parentOf(above);
      if (above?.boundary && !summaries.has(above)) summaries.set(above, record);
    }
    return summaries;
  }
}

const MOST_STEPS = 64;
