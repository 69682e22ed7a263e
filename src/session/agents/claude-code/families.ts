import { addTo } from '#base/lists.js';
import { type ClaudeRecords, NONE } from './records.js';

/** The results of calls: which records with results follow a record, or contain the result of a call. */
export class Families {
  private readonly byParent = new Map<number, number[]>();
  private readonly byCall = new Map<number, number[]>();

  /** `parentOf`: the uuid of the parent of a record. `taken`: the records that are not returned. */
  constructor(
    private readonly records: ClaudeRecords,
    lines: Iterable<number>,
    parentOf: (line: number) => number,
    private readonly taken = new Set<number>(),
  ) {
    for (const line of lines) {
      if (!records.blocks.hasResults(line) || !records.isLinked(line)) continue;
      const parent = parentOf(line);
      if (parent !== 0) addTo(this.byParent, parent, line);
      for (const call of records.blocks.results(line)) addTo(this.byCall, call, line);
    }
  }

  /** The results of an answer that satisfy a condition. None is returned twice, since many calls may have one id. */
  take(lines: readonly number[], isWanted: (line: number) => boolean = () => true): readonly number[] {
    const found: number[] = [];
    if (this.byCall.size === 0) return found;
    const move = (lists: Map<number, number[]>, key: number): void => {
      const list = lists.get(key);
      if (list) lists.set(key, this.moveFrom(list, found, isWanted));
    };
    for (const line of lines) {
      move(this.byParent, this.records.uuid(line));
      for (const call of this.records.blocks.calls(line)) move(this.byCall, call);
    }
    return found;
  }

  /** Returns what is left of a list. */
  private moveFrom(list: readonly number[], found: number[], isWanted: (line: number) => boolean): number[] {
    const { taken } = this;
    return list.filter((line) => {
      if (taken.has(line)) return false;
      if (!isWanted(line)) return true;
      taken.add(line);
      found.push(line);
      return false;
    });
  }
}

/** In the order of their times; those of one time in the order of their lines in the list. */
export function byTime(records: ClaudeRecords, lines: readonly number[]): readonly number[] {
  if (lines.length < 2) return lines;
  const times = new Map(lines.map((line) => [line, records.timestamp(line)]));
  const timeAt = (line: number): string => times.get(line) ?? '';
  return lines.toSorted((a, b) => (timeAt(a) < timeAt(b) ? -1 : Number(timeAt(a) > timeAt(b))));
}

/** A walk from a record to its root, which ends where a cycle would repeat. */
export function* upwards(from: number, parentOf: (line: number) => number): Generator<number> {
  const seen = new Set<number>();
  for (let next = from; next !== NONE && !seen.has(next); next = parentOf(next)) {
    seen.add(next);
    yield next;
  }
}

/**
 * The records with a result of an answer that is on another chain. `chainOf`: the chain of the answer of a record;
 * `chains`: the chain of each record.
 */
export function resultsAway(
  records: ClaudeRecords,
  chainOf: (line: number) => number,
  chains: Int32Array,
): readonly number[] {
  /** The chain of the answers with each call, SEVERAL if there are more than one; plus 1. */
  const chainsOfCalls = new Map<number, number>();
  for (const line of records.order) {
    for (const call of records.blocks.calls(line)) {
      const known = chainsOfCalls.get(call);
      const chain = chainOf(line);
      chainsOfCalls.set(call, known === undefined || known === chain ? chain : SEVERAL);
    }
  }
  return Array.from(records.order).filter((line) => {
    if (!records.blocks.hasResults(line)) return false;
    const parent = records.lineOf(records.parent(line));
    const own = chains[line];
    if (parent !== NONE && records.answer(parent) !== 0 && chainOf(parent) !== own) return true;
    return records.blocks.results(line).some((call) => (chainsOfCalls.get(call) ?? own) !== own);
  });
}

/** The chain of a call that answers on several chains make. */
const SEVERAL = -2;

/** The answers of a file, numbered in the order of their first lines, and their lines. */
export class Answers {
  count = 0;
  private readonly answers: Int32Array;
  private readonly firsts: Int32Array;
  private readonly lasts: Int32Array;
  /** The next line of the answer of a line. */
  private readonly next: Int32Array;

  /** An id means another answer before the record `start`. */
  constructor(records: ClaudeRecords, start: number) {
    const { length } = records.types;
    const none = (): Int32Array => new Int32Array(length).fill(NONE);
    this.answers = none();
    this.firsts = none();
    this.lasts = none();
    this.next = none();
    const known = new Int32Array((records.table.texts + 1) * 2);
    for (const line of records.order) {
      const id = records.answer(line);
      if (id !== 0) this.add(line, known, id * 2 + Number(line < start));
    }
  }

  private add(line: number, known: Int32Array, key: number): void {
    const { answers, firsts, lasts, next } = this;
    let answer = (known[key] ?? 0) - 1;
    if (answer === NONE) {
      answer = this.count;
      this.count += 1;
      known[key] = this.count;
      firsts[answer] = line;
    } else next[lasts[answer] ?? 0] = line;
    lasts[answer] = line;
    answers[line] = answer;
  }

  /** The answer of a line, NONE if it has none. */
  of(line: number): number {
    return this.answers[line] ?? NONE;
  }

  first(answer: number): number {
    return this.firsts[answer] ?? NONE;
  }

  hasMore(answer: number): boolean {
    return this.firsts[answer] !== this.lasts[answer];
  }

  lines(answer: number): readonly number[] {
    const lines: number[] = [];
    for (let line = this.first(answer); line !== NONE; line = this.next[line] ?? NONE) lines.push(line);
    return lines;
  }
}
