import type { Boundary } from './fields.js';
import { NONE, type ClaudeRecords } from './records.js';

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
export class Relinking {
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
