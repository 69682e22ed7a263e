import type { KeptMessages } from './kept-messages.js';
import type { ClaudeRecords } from './records.js';

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

  /** Whether any record has another parent than it names. */
  get isRelinked(): boolean {
    return this.groups.size > 0;
  }

  /** The uuid of the parent of a record, 0 if it has none. */
  parentOf(line: number): number {
    if (!this.isRelinked) return this.records.parent(line);
    const group = this.single.get(this.records.uuid(line)) ?? this.records.parent(line);
    return group === 0 ? 0 : this.labelOf(group);
  }

  /** Puts what a boundary keeps after its summary. */
  keep({ anchor, uuids, isSegment }: KeptMessages): void {
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
