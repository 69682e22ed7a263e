import { byTime, Families } from './families.js';
import { NONE, type Records } from './records.js';
import { type Kept, keptBy } from './relinking.js';

/**
 * The lines of one answer, and where the results of its parallel calls belong: results on a fork of their own come after
 * the last line of the answer on the main chain.
 */
export interface Answer {
  readonly first: number;
  readonly lines: readonly number[];
  /** The last line on the main chain. */
  readonly last: number;
  readonly forked: readonly number[];
}

/** Newer than all records. */
const ACTIVE = 2 ** 31 - 1;

/** The tree of a file as it was written: main chains and answers. All lists are by record. */
export class Shape {
  private readonly parents: Int32Array;
  private readonly firstChildren: Int32Array;
  private readonly nextSiblings: Int32Array;
  private readonly answersOf: (Answer | undefined)[];
  /** The place of a forked result among those of its answer. */
  private readonly places = new Map<number, number>();
  /** The number of each main chain; NONE for a record of a cycle. */
  private readonly chains: Int32Array;
  /** The newest record below each record. */
  private readonly latest: Int32Array;

  /** `active`: the active path, which the main chains follow. No link crosses the record `start`. */
  constructor(
    private readonly records: Records,
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
    this.answersOf = Array.from({ length: count });
    this.linkAll();
    const order = this.topDown();
    this.findLatest(order, new Set(active));
    for (const line of order) this.chainFrom(line);
    for (const answer of this.answers()) {
      for (const line of answer.lines) this.answersOf[line] = answer;
      for (const [place, line] of answer.forked.entries()) {
        this.answersOf[line] = answer;
        this.places.set(line, place);
      }
    }
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

  /** The answer that a record is a line of, or a forked result. */
  answerOf(line: number): Answer | undefined {
    return this.answersOf[line];
  }

  /** The place of a forked result among those of its answer; NONE for all other records. */
  placeOf(line: number): number {
    return this.places.get(line) ?? NONE;
  }

  isOnChainOf(line: number, { last }: Answer): boolean {
    return this.chains[line] === this.chains[last];
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

  private *answers(): Generator<Answer> {
    const { records, start } = this;
    /** By the id, which those before the start do not share. */
    const answers = new Map<number, number[]>();
    for (const line of records.order) {
      const id = records.answer(line);
      if (id === 0) continue;
      const key = line < start ? -id : id;
      const lines = answers.get(key);
      if (lines) lines.push(line);
      else answers.set(key, [line]);
    }
    const families = new Families(records, records.order, (line) => records.parent(line));
    const put = new Set<number>();
    for (const lines of answers.values()) yield this.answer(lines, families.resultsOf(lines), put);
  }

  private answer(lines: readonly number[], results: readonly number[], put: Set<number>): Answer {
    const { chains, latest, records } = this;
    let newest = lines[0] ?? 0;
    for (const line of lines) if ((latest[line] ?? NONE) > (latest[newest] ?? NONE)) newest = line;
    const chain = chains[newest];
    const last = lines.findLast((line) => chains[line] === chain) ?? newest;
    const forked = results.filter(
      (one) => chains[one] !== chain && this.areTogether(one, last) && !put.has(one) && put.add(one),
    );
    return { first: lines[0] ?? 0, lines, last, forked: byTime(records, forked) };
  }
}

/** The records that name one of these parents. */
function childrenByUuid(records: Records, parents: ReadonlySet<number>): Map<number, number[]> {
  const children = new Map<number, number[]>([...parents].map((uuid) => [uuid, []]));
  for (const line of records.order) children.get(records.parent(line))?.push(line);
  return children;
}
