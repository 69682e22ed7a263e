import { idText, type RawId } from '#session/table/head.js';
import type { AgentMessage } from './convert.js';
import { edited } from './entry-message.js';
import type { Provenance } from './envelope.js';
import { type PathEdit, isOfStockEntry, type MessageSlot } from './slot.js';

/** The edits of a path, and their effect on the messages of their targets. */
export class Edits {
  /** The newest edit of each target; it is in force if Pi selects it. */
  private readonly newest = new Map<RawId, PathEdit>();
  private selectedFrom = 0;

  add(edit: PathEdit): void {
    this.newest.set(edit.edit.target, edit);
  }

  /** Edits before this place on the path are no longer selected. */
  selectFrom(index: number): void {
    this.selectedFrom = index;
  }

  /** The edit in force for an entry. */
  inForce(id: RawId): PathEdit | undefined {
    const edit = this.newest.get(id);
    return edit && edit.index >= this.selectedFrom ? edit : undefined;
  }

  /** The edited message of a slot, if it has an edit; null if the edit omits it. */
  applied(slot: MessageSlot, message: AgentMessage): AgentMessage | null {
    const edit = isOfStockEntry(slot) ? this.inForce(slot.head.id) : undefined;
    return edit?.replacement === undefined ? message : edited(message, edit.replacement);
  }

  originOf({ head, kind, isEdited }: MessageSlot): Provenance {
    const record = { entryId: idText(head.id), line: head.line };
    if (kind === 'transform') return { ...record, origin: 'transform' };
    if (kind === 'summary') return { ...record, origin: 'compaction' };
    const edit = isEdited ? this.inForce(head.id) : undefined;
    return edit ? { ...record, origin: 'edit', editId: idText(edit.edit.id) } : { ...record, origin: 'entry' };
  }
}
