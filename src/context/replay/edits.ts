import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { applyEdit, type EditReplacement } from './apply-edit.js';
import type { Provenance } from './envelope.js';
import { isOfStockEntry, type MessageSlot } from './slot.js';

export interface PathEdit {
  /** The `context_edit` entry. */
  readonly edit: Head;
  readonly index: number;
  /** undefined: the edit has no replacement, but earlier edits of its target no longer apply. */
  readonly replacement: EditReplacement | undefined;
}

/** The edits of a path, and their effect on the messages of their targets. */
export class Edits {
  /** `newest`: the newest edit of each target; it is in force if Pi selects it. */
  constructor(
    private readonly newest = new Map<RawId, PathEdit>(),
    private selectedFrom = 0,
  ) {}

  fork(): Edits {
    return new Edits(new Map(this.newest), this.selectedFrom);
  }

  add(edit: PathEdit): void {
    this.newest.set(edit.edit.target, edit);
  }

  /** Edits before this place on the path are no longer selected. */
  selectFrom(index: number): void {
    this.selectedFrom = index;
  }

  get isEmpty(): boolean {
    return this.newest.size === 0;
  }

  /** Whether an edit names an entry, in force or not. */
  isTarget(id: RawId): boolean {
    return this.newest.has(id);
  }

  /** The edit in force for an entry. */
  findInForce(id: RawId): PathEdit | undefined {
    const edit = this.newest.get(id);
    return edit && edit.index >= this.selectedFrom ? edit : undefined;
  }

  /** The edited message of a slot, if it has an edit; null if the edit omits it. */
  apply(slot: MessageSlot, message: StoredMessage): StoredMessage | null {
    const edit = isOfStockEntry(slot) ? this.findInForce(slot.head.id) : undefined;
    return edit?.replacement === undefined ? message : applyEdit(message, edit.replacement);
  }

  originOf(slot: MessageSlot): Provenance {
    const edit = slot.kind === 'entry' && slot.isEdited ? this.findInForce(slot.head.id) : undefined;
    const origin = findOriginWithoutEdit(slot);
    return edit ? { ...origin, origin: 'edit', editId: formatId(edit.edit.id) } : origin;
  }
}

const ORIGINS = { transform: 'transform', history: 'transform', summary: 'compaction', entry: 'entry' } as const;

function findOriginWithoutEdit({ head, kind, transformer = '' }: MessageSlot): Provenance {
  const origin = { entryId: formatId(head.id), line: head.line, origin: ORIGINS[kind] };
  if (kind === 'history') return { ...origin, transformerName: 'remote compaction' };
  return kind === 'transform' ? { ...origin, transformerName: transformer } : origin;
}
