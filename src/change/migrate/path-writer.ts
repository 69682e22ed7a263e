import type { JsonObject } from '#base/json.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { isRepeatedByCompaction } from '#session/tree/compaction.js';
import type { FileBuilder } from './file-builder.js';
import { changeParent, planLineChange } from './migrated-line.js';

/** Writes a path: each entry becomes the parent of the next one. */
export class PathWriter {
  /** The number of entries written. */
  length = 0;
  private parentId: RawId = null;
  private last: Head | null = null;
  private readonly written = new Set<RawId>();
  /** Labels that were left out since the last entry. */
  private waiting: Head[] = [];
  /** The entry after a label, by the label's id. */
  private readonly afterLabel = new Map<RawId, RawId>();

  constructor(
    private readonly session: Session,
    private readonly builder: FileBuilder,
    /** The first kept entry of a compaction that names an unwritten entry. */
    private readonly findKept: (target: RawId) => RawId,
  ) {}

  has(id: RawId): boolean {
    return this.written.has(id);
  }

  /** Adds a new entry: its fields, and the bytes before them. */
  addNew(type: string, id: RawId, { timestamp, ...fields }: JsonObject): void {
    this.builder.addEntry({ type, id, parentId: this.parentId ?? null, timestamp, ...fields });
    this.settle(id, null);
  }

  /** Adds an entry of the session, or leaves out a label, as Pi does: it writes labels last. */
  add(head: Head): void {
    if (head.type === 'label') {
      this.waiting.push(head);
      return;
    }
    // A label between a transform and a compaction stays: without it, the compaction would repeat the transform.
    const label = this.waiting.at(-1);
    if (label && head.type === 'compaction' && isRepeatedByCompaction(this.session, this.last)) this.write(label);
    for (const { id } of this.waiting) this.afterLabel.set(id, head.id);
    this.waiting = [];
    this.write(head);
  }

  private write(head: Head): void {
    const { session } = this;
    // Version 1 has no parents.
    const needsParent = session.header.version < 2 || head.parentId !== this.parentId;
    const parentId = needsParent ? (this.parentId ?? null) : undefined;
    let change = changeParent(planLineChange(session, head, new Set()), parentId);
    const firstKeptEntryId = head.type === 'compaction' ? this.findFirstKept(head) : head.target;
    if (firstKeptEntryId !== head.target) change = { ...change, changes: { ...change?.changes, firstKeptEntryId } };
    this.builder.addLine(head, change);
    this.settle(head.id, head);
  }

  private findFirstKept({ id, target }: Head): RawId {
    if (target === id || target === undefined || this.has(target)) return target;
    return this.afterLabel.get(target) ?? this.findKept(target);
  }

  private settle(id: RawId, head: Head | null): void {
    this.parentId = id;
    this.last = head;
    this.written.add(id);
    this.length += 1;
  }
}
