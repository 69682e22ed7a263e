import { NONE } from '../../../heads/id-index.js';
import { findKept } from '../records/boundary.js';
import { KNOWN_TEXT } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import { AnswerResults, findResultsOnChain } from './answer-results.js';
import type { Answers } from './answers.js';
import { Relinking } from './relinking.js';

/** The end of the conversation that the client resumes. */
export interface LiveTip {
  /** The newest record that none follows, below a message. */
  readonly tip: number;
  /** That message. */
  readonly message: number;
}

/** The records that the client reads when it resumes the session. Parents are as the boundaries relink them. */
export class LiveChain {
  /** The records that are read. */
  private readonly lines: Int32Array;
  private readonly relinking: Relinking;
  /** The parent of each record, NONE for a root. */
  private readonly parents: Int32Array;
  /** 1 for each record that one of the conversation follows. */
  private readonly hasChild: Uint8Array;

  /** `start`: the first record that is read. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly start: number,
  ) {
    this.lines = start === 0 ? records.order : records.order.filter((line) => line >= start);
    this.relinking = new Relinking(records);
    for (const [line, boundary] of records.effects.boundaries) {
      const kept = line >= start && findKept(boundary, (uuid) => this.lineOf(uuid) !== NONE);
      if (kept) this.relinking.keep(kept);
    }
    this.parents = records.parents.slice();
    this.hasChild = new Uint8Array(this.parents.length);
    this.findParents();
  }

  /**
   * Returns the newest tip below a message, or the place to which the user went back; null if there is no message.
   */
  findTip(): LiveTip | null {
    const { records, hasChild } = this;
    const { rewind } = records.effects;
    const isBelowNone = new Uint8Array(hasChild.length);
    if (rewind) {
      if (rewind.uuid === null) return null;
      const tip = this.lineOf(rewind.uuid);
      const message = tip === NONE || records.main[tip] === 0 ? NONE : this.findMessageAbove(tip, isBelowNone);
      if (message !== NONE) return { tip, message };
    }
    for (let line = hasChild.length - 1; line >= this.start; line -= 1) {
      if (hasChild[line] === 1 || records.main[line] === 0) continue;
      const message = this.findMessageAbove(line, isBelowNone);
      if (message !== NONE) return { tip: line, message };
    }
    return null;
  }

  /**
   * Lists the messages that are read up to one, in order. The lines and results of parallel calls, which are on forks of
   * their own, follow the last line of their answer, in the order of the file.
   */
  listMessages(last: number, answers: Answers): readonly number[] {
    const { records } = this;
    const path = this.listPath(last);
    const onPath = new Set(path);
    const forked = new AnswerResults(
      records,
      (line) => line >= this.start && !onPath.has(line),
      (line) => this.relinking.parentUuidOf(line),
    );
    /** Results on the path that are put together with those on forks. */
    const moved = new Set<number>();
    const inserted = new Map<number, readonly number[]>();
    for (const [answer, onThisPath] of findAnswersOnPath(path, answers)) {
      const lines = answers.lines(answer);
      const results = [...forked.take(lines)];
      if (results.length > 0) {
        const chain = walkList(path, onThisPath.first);
        const own = findResultsOnChain(records, { answers, answer, last: onThisPath.last }, chain)?.results ?? [];
        for (const line of own) moved.add(line);
        results.push(...own);
      }
      results.sort((a, b) => records.compare(a, b));
      inserted.set(onThisPath.last, [...lines.filter((one) => !onPath.has(one)), ...results]);
    }
    return path.flatMap((line) => (moved.has(line) ? [] : [line, ...(inserted.get(line) ?? [])]));
  }

  private findParents(): void {
    const { lines, relinking, parents, hasChild, start } = this;
    const { main } = this.records;
    for (let place = 0; place < lines.length; place += 1) {
      const line = lines[place] ?? 0;
      if (relinking.isRelinked) parents[line] = this.lineOf(relinking.parentUuidOf(line));
      const parent = parents[line] ?? NONE;
      if (parent < start) parents[line] = NONE;
      else if (main[line] === 1) hasChild[parent] = 1;
    }
  }

  private lineOf(uuid: number): number {
    const line = uuid === KNOWN_TEXT.empty ? NONE : this.records.lineOf(uuid);
    return line >= this.start ? line : NONE;
  }

  /** The records from the root to a record. A cycle is cut where it would repeat. */
  private listPath(line: number): readonly number[] {
    const path: number[] = [];
    const seen = new Uint8Array(this.parents.length);
    for (let next = line; next !== NONE && seen[next] === 0; next = this.parents[next] ?? NONE) {
      seen[next] = 1;
      path.push(next);
    }
    return path.toReversed();
  }

  /** `isBelowNone`: 1 for records that were searched already, and that no message is above. */
  private findMessageAbove(tip: number, isBelowNone: Uint8Array): number {
    for (let next = tip; next !== NONE && isBelowNone[next] === 0; next = this.parents[next] ?? NONE) {
      if (this.records.isMessage(next)) return next;
      isBelowNone[next] = 1;
    }
    return NONE;
  }
}

/** An answer on a path: the place of its first line, and its last line there. */
interface AnswerOnPath {
  readonly first: number;
  last: number;
}

function findAnswersOnPath(path: readonly number[], answers: Answers): ReadonlyMap<number, AnswerOnPath> {
  const found = new Map<number, AnswerOnPath>();
  for (const [place, line] of path.entries()) {
    const answer = answers.of(line);
    if (answer === NONE) continue;
    const earlier = found.get(answer);
    if (earlier) earlier.last = line;
    else found.set(answer, { first: place, last: line });
  }
  return found;
}

/** The items of a list from a place on. Copying them for each answer would take quadratic time. */
function* walkList(list: readonly number[], from: number): Generator<number> {
  for (let at = from; at < list.length; at += 1) yield list[at] ?? NONE;
}

/** The size of a file from which the client reads no more than it needs. */
const BIG_BYTES = 5 * 2 ** 20;

/** The first record that the client reads: in a big file, the last boundary that keeps nothing. */
export function findFirstRead({ effects, fields }: ClaudeRecords): number {
  let end = fields.length;
  while (end > 0 && !fields.isObject(end - 1)) end -= 1;
  if (fields.offsetOf(end) <= BIG_BYTES) return 0;
  let start = 0;
  for (const [line, { hasNamed }] of effects.boundaries) {
    if (!hasNamed) start = Math.max(start, line);
  }
  return start;
}
