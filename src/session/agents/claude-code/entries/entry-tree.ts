import { NONE } from '../../../heads/id-index.js';
import { RECORD_TYPE } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import {
  type CompactionLines,
  type Compactions,
  findCompactions,
  findLogicalParent,
  findMessageBefore,
} from '../tree/compactions.js';
import type { RecordTree } from '../tree/record-tree.js';
import type { SentOrder } from '../tree/sent-order.js';
import { walkParents } from '../tree/walk-parents.js';
import type { ClaudeEntry } from './entries.js';
import type { EntryWriter } from './entry-writer.js';

/** The tree of entries, which is built from the tree of records: what an entry follows is built before it. */
export class EntryTree {
  /** The entry with the title, which the first root follows. */
  private root: ClaudeEntry | null;
  /**
   * The last entry of each record that was built; null for a record without one, whose children follow its parent.
   */
  private readonly tails = new Map<number, ClaudeEntry | null>();
  /** The nearest record above each one without an entry that may have one: chains of progress records are long. */
  private readonly above: Int32Array;
  private readonly compactions: Compactions;
  /** 1 for records whose place, or the place of their children, depends on more than the parent. */
  private readonly isSpecial: Uint8Array;

  constructor(
    private readonly records: ClaudeRecords,
    private readonly tree: RecordTree,
    private readonly sent: SentOrder,
    readonly writer: EntryWriter,
  ) {
    this.root = this.writer.writeTitle();
    this.above = new Int32Array(records.types.length).fill(NONE);
    this.compactions = findCompactions(records, tree.parentOf);
    this.isSpecial = this.markSpecial();
    const { order } = records;
    for (let place = 0; place < order.length; place += 1) this.settle(order[place] ?? NONE);
  }

  private markSpecial(): Uint8Array {
    const { byBoundary, bySummary, byKept } = this.compactions;
    const isSpecial = new Uint8Array(this.records.types.length);
    for (const lines of [this.sent.listMoved(), byBoundary.keys(), bySummary.keys(), byKept.keys()])
      for (const line of lines) isSpecial[line] = 1;
    return isSpecial;
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
    return this.tailOf(keeper ? keeper.boundary : this.sent.endAfter(parent, child));
  }

  private tailOf(line: number): ClaudeEntry | null {
    return this.tails.get(line) ?? null;
  }

  /** The newest compaction before `at` that keeps a record. */
  private keeperOf(line: number, at: number): CompactionLines | undefined {
    const keepers = this.compactions.byKept.get(line);
    return keepers?.findLast(({ boundary }) => boundary < at && this.tree.areTogether(boundary, line));
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
      const needs = open.has(top) ? [] : this.listNeeds(top);
      open.add(top);
      const missing = needs.filter((need) => !open.has(need) && this.isOpen(need));
      if (missing.length > 0) for (const need of missing) stack.push(need);
      else this.tails.set(top, this.build(top));
    }
  }

  /** Whether the entries of a record have not been built. */
  private isOpen(line: number): boolean {
    return line >= 0 && line < this.records.types.length && !this.tails.has(line);
  }

  /** Whether all that a record needs has been built. In file order this is true of most records. */
  private isReady(line: number): boolean {
    const { tree, isSpecial } = this;
    if (isSpecial[line] === 1) return false;
    const first = this.firstLineOf(line);
    if (first !== NONE && first !== line && this.isOpen(first)) return false;
    const parent = tree.parentOf(line);
    return parent === NONE || (isSpecial[parent] === 0 && !this.isOpen(parent));
  }

  /** The first line of the answer of a record; NONE if it is no line of an answer. */
  private firstLineOf(line: number): number {
    const { answers } = this.sent;
    const answer = answers.of(line);
    return answer === NONE ? NONE : answers.first(answer);
  }

  /** The records whose entries must be built before that of a record; NONE means none. */
  private listNeeds(line: number): readonly number[] {
    const { records, tree, sent, compactions } = this;
    const compaction = compactions.byBoundary.get(line);
    if (compaction) {
      const { kept, isSummaryLast } = compaction;
      if (kept.length === 0) return [findLogicalParent(records, line)];
      return isSummaryLast ? [...kept, findMessageBefore(records, line)] : kept;
    }
    const own = compactions.bySummary.get(line);
    if (own) return [own.boundary];
    const before = sent.predecessorOf(line);
    if (before !== NONE) return [before];
    const first = this.firstLineOf(line);
    const isLaterLine = first !== NONE && first !== line;
    if (isLaterLine && sent.isWhole(sent.answers.of(line))) return [first];
    const parent = tree.parentOf(line);
    if (parent === NONE) return [first];
    return [first, this.keeperOf(parent, line)?.boundary ?? NONE, parent, sent.endAfter(parent, line)];
  }

  private build(line: number): ClaudeEntry | null {
    return this.isSpecial[line] === 1 ? this.buildSpecial(line) : this.buildAfterParent(line);
  }

  private buildSpecial(line: number): ClaudeEntry | null {
    const compaction = this.compactions.byBoundary.get(line);
    if (compaction) return this.compact(compaction);
    const own = this.compactions.bySummary.get(line);
    if (own) return this.tailOf(own.boundary);
    const before = this.sent.predecessorOf(line);
    if (before === NONE) return this.write(line);
    // The children of a record without an entry follow the entry before it.
    const above = this.tailOf(before);
    return this.writer.write(above, line) ?? above;
  }

  private buildAfterParent(line: number): ClaudeEntry | null {
    if (this.records.types[line] !== RECORD_TYPE.progress) return this.write(line);
    const parent = this.tree.parentOf(line);
    if (parent !== NONE) this.above[line] = this.findAboveProgress(parent);
    return null;
  }

  private findAboveProgress(parent: number): number {
    const above = this.above[parent] ?? NONE;
    return above === NONE ? parent : above;
  }

  /** Writes the entries of a record after those of its parent. A later line of an answer has none. */
  private write(line: number): ClaudeEntry | null {
    const { answers } = this.sent;
    const answer = answers.of(line);
    if (answer !== NONE && answers.first(answer) !== line) return this.findTailOfLine(line, answer);
    const lines = answer === NONE ? undefined : answers.lines(answer);
    return this.writer.write(this.findParent(this.tree.parentOf(line), line, line), line, lines);
  }

  /**
   * Returns the entry that precedes the followers of a later line of an answer. Results that came before the line
   * precede them too.
   */
  private findTailOfLine(line: number, answer: number): ClaudeEntry | null {
    const { tree, sent } = this;
    const first = this.tailOf(sent.answers.first(answer));
    if (sent.isWhole(answer)) return first;
    let next = tree.parentOf(line);
    for (let steps = 0; next !== NONE && steps < MOST_STEPS; steps += 1) {
      if (sent.answers.of(next) === answer) return this.findParent(tree.parentOf(line), line, line) ?? first;
      next = tree.parentOf(next);
    }
    return first;
  }

  private compact(compaction: CompactionLines): ClaudeEntry {
    const { boundary, kept, isSummaryLast } = compaction;
    const [first] = kept;
    const lastKept = this.lastOf(kept);
    if (isSummaryLast && lastKept) {
      const left = this.tailOf(findMessageBefore(this.records, boundary));
      if (left) return this.writer.summarizeBranch(lastKept, compaction, left);
    }
    const before = lastKept ?? this.entryBefore(boundary, kept.at(-1) ?? NONE);
    return this.writer.compact(before, compaction, first === undefined ? null : this.writer.firstOf(first));
  }

  /**
   * The last entry of the records that a compaction keeps. Results of parallel calls may come before attachments that
   * precede them in the file.
   */
  private lastOf(kept: readonly number[]): ClaudeEntry | null {
    let last: ClaudeEntry | null = null;
    for (const line of kept) {
      const tail = this.tailOf(line);
      if (tail && tail.number > (last?.number ?? NONE)) last = tail;
    }
    return last;
  }

  /**
   * Returns the entry before a boundary: that of the last record that it keeps, else that of the record that it names,
   * else that of its parent.
   */
  private entryBefore(boundary: number, lastKept: number): ClaudeEntry | null {
    const { records, tree } = this;
    const named = lastKept === NONE ? findLogicalParent(records, boundary) : lastKept;
    const above = named === NONE ? tree.parentOf(boundary) : named;
    if (above === NONE) return null;
    return this.tailOf(above) ?? this.findParent(tree.parentOf(above), above, above);
  }
}

const MOST_STEPS = 64;
