import { addTo } from '#base/maps.js';
import { NONE } from '../../heads/id-index.js';
import { CallAttachments } from './call-attachments.js';
import type { ClaudeEntry } from './entries.js';
import type { CompactionLines, EntryWriter } from './entry-writer.js';
import { walkParents } from './families.js';
import { RECORD_TYPE } from './fields.js';
import { findKept, type KeptMessages } from './kept-messages.js';
import { findLogicalParent, findSummaries } from './live-chain.js';
import type { RecordTree } from './record-tree.js';
import type { ClaudeRecords } from './records.js';

/** Builds the tree of entries from the tree of records, parents first. */
export class TreeGrowth {
  /** The entry with the title, which the first root follows. */
  private root: ClaudeEntry | null;
  /**
   * The last entry of each record that was built; null for a record without one, whose children follow its parent.
   */
  private readonly tails = new Map<number, ClaudeEntry | null>();
  /** The nearest record above each one without an entry that may have one: chains of progress records are long. */
  private readonly above: Int32Array;
  private readonly compactions = new Map<number, CompactionLines>();
  /** The compactions that keep a record, in file order. */
  private readonly keepers = new Map<number, CompactionLines[]>();
  /** The compaction that a summary belongs to. */
  private readonly ofSummary = new Map<number, CompactionLines>();
  /** 1 for records whose place depends on more than their parent, or on which that of their children does. */
  private readonly isSpecial: Uint8Array;
  private readonly callAttachments: CallAttachments;
  private keptLeft: number;

  constructor(
    private readonly records: ClaudeRecords,
    readonly tree: RecordTree,
    readonly writer: EntryWriter,
  ) {
    this.root = this.writer.writeTitle();
    this.above = new Int32Array(records.types.length).fill(NONE);
    this.keptLeft = MOST_KEPT + records.order.length;
    this.isSpecial = tree.ofForks();
    this.callAttachments = new CallAttachments(records, tree);
    this.callAttachments.markSpecial(this.isSpecial);
    if (records.boundaries.size > 0) this.addCompactions();
    const { order } = records;
    for (let place = 0; place < order.length; place += 1) this.settle(order[place] ?? NONE);
  }

  /** The entry that a record at `at` with this parent follows. */
  findParent(parent: number, at: number, child = NONE): ClaudeEntry | null {
    let next = parent;
    // Nearly all chains are short, and need no check for a cycle.
    for (let steps = 0; next !== NONE && steps < MOST_STEPS; steps += 1) {
      const tail = this.tailFor(next, at, child);
      if (tail) return tail;
      next = this.findAbove(next);
    }
    for (const line of walkParents(next, this.findAbove)) {
      const tail = this.tailFor(line, at, child);
      if (tail) return tail;
    }
    const { root } = this;
    this.root = null;
    return root;
  }

  private readonly findAbove = (line: number): number => {
    const above = this.above[line] ?? NONE;
    return above === NONE ? this.tree.parentOf(line) : above;
  };

  private tailFor(parent: number, at: number, child: number): ClaudeEntry | null {
    if (this.isSpecial[parent] === 0) return this.tailOf(parent);
    const keeper = this.keeperOf(parent, at);
    return this.tailOf(keeper ? keeper.boundary : this.redirect(parent, child));
  }

  private tailOf(line: number): ClaudeEntry | null {
    return this.tails.get(line) ?? null;
  }

  /** Whether the entries of a record have not been built. */
  private isOpen(line: number): boolean {
    return line >= 0 && line < this.records.types.length && !this.tails.has(line);
  }

  /** The newest compaction before `at` that keeps a record. */
  private keeperOf(line: number, at: number): CompactionLines | undefined {
    if (this.keepers.size === 0) return undefined;
    return this.keepers.get(line)?.findLast(({ boundary }) => boundary < at && this.tree.areTogether(boundary, line));
  }

  /**
   * The record whose entry another one follows: after an answer, the last result of its parallel calls, and after that
   * the attachments beside them.
   */
  private redirect(parent: number, child: number): number {
    return this.callAttachments.lastAfter(this.afterForks(parent, child));
  }

  private afterForks(parent: number, child: number): number {
    const { tree } = this;
    const answer = tree.answerOf(parent);
    const end = answer === NONE ? undefined : tree.placedOf(answer).at(-1);
    if (end === undefined) return parent;
    if (tree.isWhole(answer)) return end;
    const isWithin = child !== NONE && tree.answerOf(child) === answer;
    const isBetween = child !== NONE && parent !== tree.lastOf(answer) && tree.isOnChainOf(child, answer);
    return isWithin || isBetween ? parent : end;
  }

  /** The records whose entries must be built before that of a record. */
  private needs(line: number): readonly number[] {
    const compaction = this.compactions.get(line);
    if (compaction) {
      const { kept } = compaction;
      return kept.length > 0 ? kept : [findLogicalParent(this.records, line)];
    }
    const own = this.ofSummary.get(line);
    if (own) return [own.boundary];
    const before = this.callAttachments.predecessorOf(line);
    if (before !== NONE) return [before];
    const answer = this.tree.answerOf(line);
    const place = this.tree.placeOf(line);
    if (place !== NONE) return [this.beforePlaced(answer, place)];
    const parent = this.tree.parentOf(line);
    const first = answer === NONE ? NONE : this.tree.answers.first(answer);
    if (first !== NONE && first !== line && this.tree.isWhole(answer)) return [first];
    return [
      first,
      parent === NONE ? NONE : (this.keeperOf(parent, line)?.boundary ?? NONE),
      parent,
      parent === NONE ? NONE : this.redirect(parent, line),
    ];
  }

  /** Whether all that a record needs has been built, as for most in the order of the file. */
  private isReady(line: number): boolean {
    const { tree, isSpecial } = this;
    if (isSpecial[line] === 1) return false;
    const answer = tree.answerOf(line);
    const first = answer === NONE ? line : tree.answers.first(answer);
    if (first !== line && this.isOpen(first)) return false;
    const parent = tree.parentOf(line);
    return parent === NONE || (isSpecial[parent] === 0 && !this.isOpen(parent));
  }

  /** Builds the entries of a record and of all that it needs. A cycle is cut where it would repeat. */
  private settle(line: number): void {
    if (!this.isOpen(line)) return;
    if (this.isReady(line)) {
      this.tails.set(line, this.build(line));
      return;
    }
    const open = new Set<number>();
    const stack = [line];
    while (stack.length > 0) {
      const top = stack.at(-1) ?? NONE;
      if (!this.isOpen(top)) {
        stack.pop();
        continue;
      }
      const missing = open.has(top)
        ? []
        : this.needs(top).filter((need) => need !== NONE && need !== top && !open.has(need) && this.isOpen(need));
      open.add(top);
      if (missing.length > 0) for (const need of missing) stack.push(need);
      else this.tails.set(top, this.build(top));
    }
  }

  private build(line: number): ClaudeEntry | null {
    const isSpecial = this.isSpecial[line] === 1;
    const compaction = isSpecial ? this.compactions.get(line) : undefined;
    if (compaction) return this.compact(compaction);
    const own = isSpecial ? this.ofSummary.get(line) : undefined;
    if (own) return this.tailOf(own.boundary);
    const { tree } = this;
    const parent = tree.parentOf(line);
    if (this.records.types[line] === RECORD_TYPE.progress && !isSpecial) {
      this.skip(line, parent);
      return null;
    }
    const before = this.callAttachments.predecessorOf(line);
    if (before !== NONE) return this.writeCallAttachment(line, before);
    const answer = tree.answerOf(line);
    const place = tree.placeOf(line);
    if (place !== NONE) return this.writer.write(this.tailOf(this.beforePlaced(answer, place)), line);
    if (answer !== NONE && tree.answers.first(answer) !== line) return this.findTailOfLine(line, answer);
    const lines = answer === NONE ? undefined : tree.answers.lines(answer);
    return this.writer.write(this.findParent(parent, line, line), line, lines);
  }

  /** Writes an attachment beside a call. The children of one without an entry follow the entry before it. */
  private writeCallAttachment(line: number, before: number): ClaudeEntry | null {
    const above = this.tailOf(before);
    return this.writer.write(above, line) ?? above;
  }

  /** The record that a placed result of an answer follows. */
  private beforePlaced(answer: number, place: number): number {
    return this.tree.placedOf(answer)[place - 1] ?? this.tree.lastOf(answer);
  }

  private skip(line: number, parent: number): void {
    if (parent === NONE) return;
    const above = this.above[parent] ?? NONE;
    this.above[line] = above === NONE ? parent : above;
  }

  /** A later line of an answer has no entry: results that came before it come before what follows it, too. */
  private findTailOfLine(line: number, answer: number): ClaudeEntry | null {
    const { tree } = this;
    const first = this.tailOf(tree.answers.first(answer));
    if (tree.isWhole(answer)) return first;
    let next = tree.parentOf(line);
    for (let steps = 0; next !== NONE && steps < MOST_STEPS; steps += 1) {
      if (tree.answerOf(next) === answer && tree.placeOf(next) === NONE)
        return this.findParent(tree.parentOf(line), line, line) ?? first;
      next = tree.parentOf(next);
    }
    return first;
  }

  private compact(compaction: CompactionLines): ClaudeEntry {
    const { boundary, kept } = compaction;
    const parent = this.tree.parentOf(boundary);
    const logical = kept.at(-1) ?? findLogicalParent(this.records, boundary);
    const above = logical === NONE ? parent : logical;
    let before: ClaudeEntry | null = this.lastOf(kept);
    if (above !== NONE) before ??= this.tailOf(above) ?? this.findParent(this.tree.parentOf(above), above, above);
    const [first] = kept;
    return this.writer.compact(before, compaction, first === undefined ? null : this.writer.firstOf(first));
  }

  /** The last of the entries of what a compaction keeps. Results of parallel calls may come before attachments that precede them in the file. */
  private lastOf(kept: readonly number[]): ClaudeEntry | null {
    let last: ClaudeEntry | null = null;
    for (const line of kept) {
      const tail = this.tailOf(line);
      if (tail && tail.number > (last?.number ?? NONE)) last = tail;
    }
    return last;
  }

  private addCompactions(): void {
    const { records } = this;
    const summaries = findSummaries(records, this.tree.parentOf);
    for (const line of records.boundaries.keys()) this.addCompaction(line, summaries.get(line) ?? NONE);
  }

  private addCompaction(boundary: number, summary: number): void {
    const { records } = this;
    const facts = records.boundaries.get(boundary);
    const found = facts && findKept(facts, (uuid) => records.lineOf(uuid) !== NONE);
    const kept = found ? this.keptRecords(found).filter((one) => one < boundary) : [];
    const compaction = { boundary, summary, kept };
    this.compactions.set(boundary, compaction);
    if (summary !== NONE) this.ofSummary.set(summary, compaction);
    for (const record of kept) addTo(this.keepers, record, compaction);
    for (const record of [boundary, summary, ...kept]) this.isSpecial[record] = 1;
  }

  private keptRecords({ uuids, isSegment }: KeptMessages): readonly number[] {
    const named = uuids.map((uuid) => this.records.lineOf(uuid)).filter((line) => line !== NONE);
    const [head, tail] = named;
    if (!isSegment || head === undefined || tail === undefined) return named;
    const path: number[] = [];
    for (const next of walkParents(tail, this.tree.parentOf)) {
      path.push(next);
      this.keptLeft -= 1;
      if (next === head) return path.toReversed();
      if (this.keptLeft < 0) break;
    }
    return [];
  }
}

const MOST_STEPS = 64;
/** The records of segments that boundaries keep are found up to this number; a real file has a few dozen. */
const MOST_KEPT = 1_000_000;
