import { asString, type JsonObject } from '#base/json.js';
import { readLineId } from '../linked-entries.js';

/** The place of a record in the tree. */
export interface TreePlace {
  readonly id: string;
  /** The entry that it follows; null for the first one. */
  readonly parentId: string | null;
  /** The record only moves the leaf, and what names it as its parent follows the entry that it chose. */
  readonly isMove: boolean;
}

/**
 * The tree of a transcript of OpenClaw, record by record: which entry each follows, and the leaf. A record `leaf`
 * chooses another leaf, one that is added beside the conversation (`appendMode`) leaves it, and nothing leads behind a
 * reset.
 */
export class TranscriptTree {
  leafId: string | null = null;
  /** The parents of all entries, by id; of a `leaf`, the entry that it chose. */
  private readonly parents = new Map<string, string | null>();
  private readonly moves = new Set<string>();
  private readonly failedMoves = new Set<string>();
  private readonly ofReset = new Set<string>();
  private hasReset = false;
  /** The last entry, which one that names it follows, though the leaf is another. */
  private appendParentId: string | null = null;

  /** The place of a record; null for one without a place. */
  add(record: JsonObject): TreePlace | null {
    const id = readLineId(record);
    if (id === null) return null;
    if (record['type'] === 'leaf') return this.addMove(id, record);
    const isEntry = ENTRY_TYPES.has(record['type']);
    const linked = readLink(record, 'parentId');
    if (linked === undefined && (isEntry ? 'parentId' in record : true)) return null;
    const isBeside = record['appendMode'] === 'side';
    const parentId = isEntry ? this.findParent(linked, isBeside) : (linked ?? null);
    this.place(id, parentId);
    if (isEntry && record['type'] === 'reset') this.beginReset(id);
    this.appendParentId = id;
    if (isEntry && !isBeside) this.leafId = id;
    return { id, parentId, isMove: false };
  }

  private addMove(id: string, record: JsonObject): TreePlace | null {
    const target = readLink(record, 'targetId');
    const follows = record['appendParentId'] === undefined ? target : readLink(record, 'appendParentId');
    const own = readLink(record, 'parentId');
    if (target === undefined || follows === undefined || own === undefined) return null;
    this.moves.add(id);
    // What was before a reset is not chosen again: such a move stays at the leaf, also one to an unknown entry.
    const isRefused = this.hasReset && this.leafId !== null && (target === null || !this.ofReset.has(target));
    if (!isRefused && !(this.isPlace(target) && this.isPlace(follows))) {
      this.failedMoves.add(id);
      this.parents.set(id, own);
      return { id, parentId: own, isMove: true };
    }
    this.leafId = isRefused ? this.leafId : target;
    this.appendParentId = isRefused ? this.leafId : follows;
    this.place(id, this.leafId);
    return { id, parentId: this.leafId, isMove: true };
  }

  private isPlace(id: string | null): boolean {
    return id === null || (this.parents.has(id) && !this.failedMoves.has(id));
  }

  private findParent(linked: string | null | undefined, isBeside: boolean): string | null {
    if (linked === undefined) return this.resolve(this.leafId);
    if (isBeside) return this.resolve(linked);
    const isBehindReset = this.hasReset && (linked === null || !this.ofReset.has(linked));
    const isLost = linked !== null && !this.parents.has(linked) && this.leafId !== null;
    const isAfterOther = linked === this.appendParentId && this.leafId !== this.appendParentId;
    return this.resolve(isBehindReset || isLost || isAfterOther ? this.leafId : linked);
  }

  /** The entry that an id leads to, past moves of the leaf. */
  private resolve(id: string | null): string | null {
    let at = id;
    const seen = new Set<string>();
    while (at !== null && this.moves.has(at) && !seen.has(at)) {
      seen.add(at);
      at = this.parents.get(at) ?? null;
    }
    return at;
  }

  private place(id: string, parentId: string | null): void {
    this.parents.set(id, parentId);
    if (this.hasReset && parentId !== null && this.ofReset.has(parentId)) this.ofReset.add(id);
  }

  private beginReset(id: string): void {
    this.hasReset = true;
    this.ofReset.clear();
    this.ofReset.add(id);
  }
}

/** The types that OpenClaw knows: a record of another type is kept, but is never the leaf. */
const ENTRY_TYPES: ReadonlySet<unknown> = new Set([
  'message',
  'thinking_level_change',
  'model_change',
  'compaction',
  'reset',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
]);

/** The id in a field, null for none; undefined if the field is missing, or has another value. */
function readLink(record: JsonObject, field: string): string | null | undefined {
  const value = record[field];
  return value === null ? null : asString(value) || undefined;
}
