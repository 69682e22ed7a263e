import { addTo } from '#base/lists.js';
import { byTime, Families, upwards } from './families.js';
import { type Boundary, TEXT } from './fields.js';
import { type ClaudeRecords, NONE } from './records.js';

/** The records that the client reads when it resumes the session. Parents are as the boundaries relink them. */
export class LiveChain {
  private readonly lines: Int32Array;
  private readonly links: Relinking;

  /** `start`: the first record that is read. */
  constructor(
    private readonly records: ClaudeRecords,
    private readonly start: number,
  ) {
    this.lines = start === 0 ? records.order : records.order.filter((line) => line >= start);
    this.links = new Relinking(records);
    for (const line of this.lines) {
      const boundary = records.boundaries.get(line);
      const kept = boundary && keptBy(boundary, (uuid) => this.lineOf(uuid) !== NONE);
      if (kept) this.links.keep(kept);
    }
  }

  private lineOf(uuid: number): number {
    const line = this.records.lineOf(uuid);
    return line >= this.start ? line : NONE;
  }

  readonly parentOf = (line: number): number => {
    const uuid = this.links.parentOf(line);
    return uuid === TEXT.empty ? NONE : this.lineOf(uuid);
  };

  /** The records from the root to a record. */
  pathTo(line: number): readonly number[] {
    return [...upwards(line, this.parentOf)].toReversed();
  }

  /** The records from the root to the newest tip. */
  activeLines(): readonly number[] {
    const found = this.tip();
    return found ? this.pathTo(found.tip) : [];
  }

  /** The newest tip below a message, and that message, which is the active leaf; null if there is no message. */
  tip(): { readonly tip: number; readonly leaf: number } | null {
    const { records } = this;
    const isParent = new Uint8Array(records.types.length);
    for (const line of this.lines) {
      const parent = records.isMain(line) ? this.parentOf(line) : NONE;
      if (parent !== NONE) isParent[parent] = 1;
    }
    const dead = new Uint8Array(records.types.length);
    for (let line = records.types.length - 1; line >= this.start; line -= 1) {
      if (records.types[line] === 0 || isParent[line] === 1 || !records.isMain(line)) continue;
      const leaf = this.messageAbove(line, dead);
      if (leaf !== NONE) return { tip: line, leaf };
    }
    return null;
  }

  /** The messages that are read, in order, with those of parallel calls put back. */
  messages(leaf: number): readonly number[] {
    const { records } = this;
    const path = this.pathTo(leaf);
    const onPath = new Set(path);
    const answers = new Map<number, number[]>();
    for (const line of this.lines) if (records.answer(line) !== 0) addTo(answers, records.answer(line), line);
    const families = new Families(records, this.lines, (line) => this.links.parentOf(line), new Set(path));
    const last = new Map(path.map((line) => [records.answer(line), line]));
    return path.flatMap((line) => {
      const answer = records.answer(line);
      if (answer === 0 || last.get(answer) !== line) return [line];
      const lines = answers.get(answer) ?? [];
      return [line, ...lines.filter((one) => !onPath.has(one)), ...byTime(records, families.take(lines))];
    });
  }

  private messageAbove(tip: number, dead: Uint8Array): number {
    for (let next = tip; next !== NONE && dead[next] === 0; next = this.parentOf(next)) {
      if (this.records.isMessage(next)) return next;
      dead[next] = 1;
    }
    return NONE;
  }
}

/** The size of a file from which the client reads no more than it needs. */
const BIG_BYTES = 5 * 2 ** 20;

/** The first record that the client reads: in a big file, the last boundary that keeps nothing. */
export function firstRead({ boundaries, table }: ClaudeRecords): number {
  let start = 0;
  let end = table.length;
  while (end > 0 && !table.isObject(end - 1)) end -= 1;
  if (table.offsetOf(end) <= BIG_BYTES) return start;
  for (const [line, { keeps }] of boundaries) if (!keeps) start = Math.max(start, line);
  return start;
}

/** The messages that a boundary keeps, by uuid; of a segment only its ends. */
export interface Kept {
  readonly anchor: number;
  readonly uuids: readonly number[];
  readonly isSegment: boolean;
}

/** null if a boundary names nothing to keep. A list counts only if all of its messages are in the file. */
export function keptBy({ messages, segment }: Boundary, has: (uuid: number) => boolean): Kept | null {
  if (messages) {
    const isWhole = messages.uuids.length > 0 && messages.uuids.every(has);
    return isWhole ? { ...messages, isSegment: false } : null;
  }
  return segment && { anchor: segment.anchor, uuids: [segment.head, segment.tail], isSegment: true };
}

/**
 * The parents of records, as boundaries move them: all children of a record at once, so they are in groups, which are
 * merged (union-find). A group is a uuid whose children it contains at first, or a negative number.
 */
class Relinking {
  private readonly above = new Map<number, number>();
  /** The parent of the records of a group, if it is not the uuid itself. */
  private readonly labels = new Map<number, number>();
  /** The group of the children of a uuid, if it is not the uuid itself; null: it has none. */
  private readonly groups = new Map<number, number | null>();
  /** The groups of records that were moved alone, by uuid. */
  private readonly single = new Map<number, number>();
  private added = 0;

  constructor(private readonly records: ClaudeRecords) {}

  /** The uuid of the parent of a record, 0 if it has none. */
  parentOf(line: number): number {
    if (this.groups.size === 0) return this.records.parent(line);
    const group = this.single.get(this.records.uuid(line)) ?? this.records.parent(line);
    return group === 0 ? 0 : this.labelOf(group);
  }

  /** Puts what a boundary keeps after its summary. */
  keep({ anchor, uuids, isSegment }: Kept): void {
    const [first = 0, last = 0] = [uuids[0], uuids.at(-1)];
    this.moveAll(anchor, last);
    if (isSegment) this.move(first, anchor);
    else for (const [at, uuid] of uuids.entries()) this.move(uuid, uuids[at - 1] ?? anchor);
  }

  private moveAll(from: number, to: number): void {
    if (from === to) return;
    const group = this.groups.get(from) ?? (this.groups.has(from) ? null : from);
    this.groups.set(from, null);
    if (group === null) return;
    const other = this.groups.get(to) ?? (this.groups.has(to) ? null : to);
    if (other === null) {
      this.labels.set(group, to);
      this.groups.set(to, group);
    } else this.above.set(group, other);
  }

  private move(uuid: number, to: number): void {
    let group = this.groups.get(to) ?? (this.groups.has(to) ? null : to);
    if (group === null) {
      this.added += 1;
      group = -this.added;
      this.labels.set(group, to);
    }
    this.groups.set(to, group);
    this.single.set(uuid, group);
  }

  private labelOf(group: number): number {
    let root = group;
    for (let next = this.above.get(root); next !== undefined; next = this.above.get(root)) {
      const far = this.above.get(next);
      if (far !== undefined) this.above.set(root, far);
      root = next;
    }
    return this.labels.get(root) ?? root;
  }
}

/** The records that name one of these parents. */
export function childrenByUuid(records: ClaudeRecords, parents: ReadonlySet<number>): Map<number, number[]> {
  const children = new Map<number, number[]>([...parents].map((uuid) => [uuid, []]));
  for (const line of records.order) children.get(records.parent(line))?.push(line);
  return children;
}

/** The summary of each boundary: the first one below it, with no message between. */
export function summariesIn(records: ClaudeRecords, parentOf: (line: number) => number): ReadonlyMap<number, number> {
  const summaries = new Map<number, number>();
  for (const line of records.order) {
    if (!records.isSummary(line)) continue;
    let above = parentOf(line);
    for (let steps = 0; above !== NONE && !records.boundaries.has(above) && steps < MOST_STEPS; steps += 1)
      above = records.isMessage(above) ? NONE : parentOf(above);
    if (above !== NONE && records.boundaries.has(above) && !summaries.has(above)) summaries.set(above, line);
  }
  return summaries;
}

const MOST_STEPS = 64;
