import type { JsonObject } from '#base/json.js';
import { transformerName } from '#context/replay/selection.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { FileBuilder } from './file-builder.js';
import { changeParent, planLineChange } from './migrated-line.js';

/** A path of entries that are written one below the other. */
export class PathWriter {
  /** The number of entries written. */
  length = 0;
  private parentId: RawId = null;
  private last: Head | null = null;
  private readonly written = new Set<RawId>();
  /** Labels that were left out since the last entry. */
  private waiting: Head[] = [];
  /** The entry after a label, by the label's id. */
  private readonly behind = new Map<RawId, RawId>();

  constructor(
    private readonly session: Session,
    private readonly builder: FileBuilder,
    /** The first kept entry of a compaction that names an unwritten entry. */
    private readonly keptFor: (target: RawId) => RawId,
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
    // A compaction right below a transform is taken for its shadow, so a label that parts them stays.
    const label = this.waiting.at(-1);
    if (label && head.type === 'compaction' && this.isBelowCompaction()) this.write(label);
    for (const { id } of this.waiting) this.behind.set(id, head.id);
    this.waiting = [];
    this.write(head);
  }

  private isBelowCompaction(): boolean {
    const { last, session } = this;
    return last?.type === 'context_transform' && transformerName(session.entry(last)) === 'compaction';
  }

  private write(head: Head): void {
    const { session } = this;
    const parentId = head.parentId === this.parentId ? undefined : (this.parentId ?? null);
    const isMigrated = session.header.version < 2;
    const change = changeParent(
      planLineChange(session, head, new Set()),
      isMigrated ? (this.parentId ?? null) : parentId,
    );
    const kept = head.type === 'compaction' ? this.keptBy(head) : head.target;
    if (kept === head.target) this.builder.addLine(head, change);
    else {
      const { changes = {}, dropped = [], inner = {} } = change ?? {};
      this.builder.addLine(head, { changes: { ...changes, firstKeptEntryId: kept }, dropped, inner });
    }
    this.settle(head.id, head);
  }

  private keptBy({ id, target }: Head): RawId {
    if (target === id || target === undefined || this.has(target)) return target;
    const behind = this.behind.get(target);
    return behind ?? this.keptFor(target);
  }

  private settle(id: RawId, head: Head | null): void {
    this.parentId = id;
    this.last = head;
    this.written.add(id);
    this.length += 1;
  }
}
