import { NONE } from '../../../heads/id-index.js';
import { findKept } from '../records/boundary.js';
import { KNOWN_TEXT } from '../records/fields.js';
import type { ClaudeRecords } from '../records/records.js';
import type { Answers } from './answers.js';
import { Families, findOwnRecords } from './families.js';
import { Relinking } from './relinking.js';

/** The records that the client reads when it resumes the session. Parents are as the boundaries relink them. */
export class LiveChain {
  private readonly lines: Int32Array;
  private readonly links: Relinking;
  /** The parent of each record, NONE for a root. */
  private readonly parents: Int32Array;
  /** 1 for each record that one of the conversation follows. */
  private readonly isParent: Uint8Array;

  /** `start`: the first record that is read. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly start: number,
  ) {
    this.lines = start === 0 ? records.order : records.order.filter((line) => line >= start);
    this.links = new Relinking(records);
    for (const [line, boundary] of records.effects.boundaries) {
      const kept = line >= start && findKept(boundary, (uuid) => this.lineOf(uuid) !== NONE);
      if (kept) this.links.keep(kept);
    }
    this.parents = records.parents.slice();
    this.isParent = new Uint8Array(this.parents.length);
    this.link();
  }

  private link(): void {
    const { lines, links, parents, isParent, start } = this;
    const { main } = this.records;
    for (let place = 0; place < lines.length; place += 1) {
      const line = lines[place] ?? 0;
      if (links.isRelinked) parents[line] = this.lineOf(links.parentOf(line));
      const parent = parents[line] ?? NONE;
      if (parent < start) parents[line] = NONE;
      else if (main[line] === 1) isParent[parent] = 1;
    }
  }

  private lineOf(uuid: number): number {
    const line = uuid === KNOWN_TEXT.empty ? NONE : this.records.lineOf(uuid);
    return line >= this.start ? line : NONE;
  }

  /** The records from the root to a record. */
  private pathTo(line: number): readonly number[] {
    const path: number[] = [];
    const seen = new Uint8Array(this.parents.length);
    for (let next = line; next !== NONE && seen[next] === 0; next = this.parents[next] ?? NONE) {
      seen[next] = 1;
      path.push(next);
    }
    return path.toReversed();
  }

  /** The newest tip below a message, and that message, which is the active leaf; null if there is no message. */
  tip(): { readonly tip: number; readonly leaf: number } | null {
    const { records, isParent } = this;
    const dead = new Uint8Array(isParent.length);
    for (let line = isParent.length - 1; line >= this.start; line -= 1) {
      if (isParent[line] === 1 || records.main[line] === 0) continue;
      const leaf = this.messageAbove(line, dead);
      if (leaf !== NONE) return { tip: line, leaf };
    }
    return null;
  }

  /** The messages that are read, in order, with those of parallel calls put back, in the order of the file. */
  messages(leaf: number, answers: Answers): readonly number[] {
    const { records } = this;
    const path = this.pathTo(leaf);
    const onPath = new Set(path);
    const families = new Families(
      records,
      (line) => line >= this.start && !onPath.has(line),
      (line) => this.links.parentOf(line),
    );
    const moved = new Set<number>();
    const after = new Map<number, readonly number[]>();
    for (const [answer, { first, last }] of findAnswersOnPath(path, answers)) {
      const lines = answers.lines(answer);
      const away = families.take(lines);
      const own = away.length === 0 ? null : findOwnRecords(records, { answers, answer, last }, walkList(path, first));
      for (const line of own?.results ?? []) moved.add(line);
      const results = [...away, ...(own?.results ?? [])].toSorted((a, b) => records.compare(a, b));
      after.set(last, [...lines.filter((one) => !onPath.has(one)), ...results]);
    }
    return path.flatMap((line) => (moved.has(line) ? [] : [line, ...(after.get(line) ?? [])]));
  }

  private messageAbove(tip: number, dead: Uint8Array): number {
    for (let next = tip; next !== NONE && dead[next] === 0; next = this.parents[next] ?? NONE) {
      if (this.records.isMessage(next)) return next;
      dead[next] = 1;
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

/** The items of a list from a place on. */
function* walkList(list: readonly number[], from: number): Generator<number> {
  for (let at = from; at < list.length; at += 1) yield list[at] ?? NONE;
}

/** The size of a file from which the client reads no more than it needs. */
const BIG_BYTES = 5 * 2 ** 20;

/** The first record that the client reads: in a big file, the last boundary that keeps nothing. */
export function findFirstRead({ effects, fields }: ClaudeRecords): number {
  let start = 0;
  let end = fields.length;
  while (end > 0 && !fields.isObject(end - 1)) end -= 1;
  if (fields.offsetOf(end) <= BIG_BYTES) return start;
  for (const [line, { hasNamed }] of effects.boundaries) if (!hasNamed) start = Math.max(start, line);
  return start;
}
