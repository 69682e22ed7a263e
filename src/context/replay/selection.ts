import { asString, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { ReplayableSession } from '../replayable.js';
import type { PatchOp } from './patch-op.js';

/** Types whose entries add messages, or declare like system messages. */
export const MESSAGE_TYPES: ReadonlySet<string | null> = new Set(['message', 'custom_message', 'branch_summary']);

/** Whether an entry only appends a message: before the first needed entry of a path it need not be parsed. */
export function onlyAddsMessage({ type, role }: Pick<Head, 'type' | 'role'>): boolean {
  return MESSAGE_TYPES.has(type) && role !== 'system';
}

/** Types whose entries change the context in another way than by appending. */
export const CONTEXT_CHANGE_TYPES: ReadonlySet<string | null> = new Set([
  'context_edit',
  'context_transform',
  'compaction',
  'reset_boundary',
]);

/**
 * The first entry of a path that replay needs, so that the context after the entry at `since` and after each later
 * one is right: before the kept range of the newest compaction, only transforms can matter, which are always
 * replayed. 0 if earlier messages may still matter.
 */
export function findFirstNeeded(session: ReplayableSession, path: readonly Head[], since = path.length - 1): number {
  const compactsAt = (index: number): boolean =>
    path[index]?.type === 'compaction' && !findRepeatedTransform(session, path, index);
  let newest = since;
  while (newest >= 0 && !compactsAt(newest)) newest -= 1;
  if (newest < 0) return 0;
  const compactions = [newest];
  for (let index = since + 1; index < path.length; index += 1) if (compactsAt(index)) compactions.push(index);
  const from = Math.min(newest, firstKept(session, path, compactions));
  for (let index = path.length - 1; index >= from; index -= 1) {
    const head = path[index];
    if (head?.type !== 'context_transform') continue;
    const entry = session.entry(head);
    const patch = session.readPatch(entry);
    if (looksUp(patch, index > newest) || leavesToTwin(entry, patch)) return 0;
  }
  return from;
}

/** Whether a transform has a broken op, so that the compaction after it may apply, and keep any entry. */
function leavesToTwin(entry: JsonObject, patch: readonly PatchOp[]): boolean {
  return transformerName(entry) === 'compaction' && !patch.every(({ ok }) => ok);
}

/**
 * Whether a patch may use or count any earlier messages. After the compaction, one that compacts
 * counts only the existing ones.
 */
function looksUp(patch: readonly PatchOp[], isBelow: boolean): boolean {
  return patch.some((step) => step.ok && step.region === 'messages' && !(isBelow && step.compacts));
}

/** The first entry that one of these compactions keeps, Infinity if none names any. */
function firstKept({ tree }: Session, path: readonly Head[], compactions: readonly number[]): number {
  const named = new Set(compactions.map((at) => tree.heads.targetAt(path[at]?.index ?? -1)));
  let kept = Infinity;
  // They are near their compactions, and a path may be long.
  for (let at = path.length - 1; at >= 0 && named.size > 0; at -= 1) {
    if (named.delete(path[at]?.index ?? -1)) kept = at;
  }
  return kept;
}

/** The transform that a compaction repeats for programs without transforms. */
export function findRepeatedTransform(session: Session, path: readonly Head[], index: number): Head | null {
  const parent = path[index - 1];
  return parent?.type === 'context_transform' && transformerName(session.entry(parent)) === 'compaction'
    ? parent
    : null;
}

export function transformerName(entry: JsonObject): string {
  return asString(entry['transformerName']) ?? 'unknown';
}

/** The first kept places of the compactions on a path, and the messages that may return. */
export class KeptPlaces {
  /** The position of an entry of the file on the path, counted from 1. */
  private places = new Uint32Array(0);
  /** The number of entries of the path that have a position: a path may grow. */
  private placed = 0;
  /** The places of entries that remove or restore messages, from the root. */
  private readonly changes: number[] = [];
  private back: ReadonlyMap<number, number> | null = null;

  constructor(
    private readonly session: ReplayableSession,
    private readonly path: readonly Head[],
  ) {
    this.grow();
  }

  /** The first place that a compaction keeps; -1 for an entry outside the path. */
  placeKept(compaction: Head): number {
    this.grow();
    const target = this.session.tree.heads.targetAt(compaction.index);
    return (this.places[target] ?? 0) - 1;
  }

  /** The place after the one of an entry; -1 for an id outside the path. */
  placeAfter(id: unknown): number {
    this.grow();
    // An id that is no string names no entry that any program writes.
    const head = typeof id === 'string' ? this.session.tree.heads.find(id) : undefined;
    const place = head ? (this.places[head.index] ?? 0) : 0;
    return place === 0 ? -1 : place;
  }

  /**
   * The first entry of the path whose message may return after the compaction at `index` has removed it: later
   * compactions may keep earlier entries than it did, and a later transform may use any message, unless it only compacts
   * or declares. Infinity if nothing returns.
   */
  comeBackFrom(index: number): number {
    this.grow();
    this.back ??= this.allComeBackFrom();
    return this.back.get(index) ?? 0;
  }

  private grow(): void {
    if (this.placed === this.path.length) return;
    const { length } = this.session.tree.heads;
    if (length > this.places.length) {
      const places = new Uint32Array(length);
      places.set(this.places);
      this.places = places;
    }
    for (; this.placed < this.path.length; this.placed += 1) {
      const head = this.path[this.placed];
      if (!head) continue;
      if (CONTEXT_CHANGE_TYPES.has(head.type) && head.type !== 'context_edit') this.changes.push(this.placed);
      this.places[head.index] = this.placed + 1;
    }
    this.back = null;
  }

  private allComeBackFrom(): ReadonlyMap<number, number> {
    const back = new Map<number, number>();
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.changes.toReversed()) {
      back.set(at, first);
      const head = this.path[at];
      const place = head && first > 0 ? this.placeUsed(head) : -1;
      if (place !== -1 && place <= at) first = Math.min(first, place);
    }
    return back;
  }

  /** The first place of the messages that an entry may restore; -1 if it restores none. */
  private placeUsed(head: Head): number {
    if (head.type === 'compaction') return this.placeKept(head);
    if (head.type === 'reset_boundary') return -1;
    return looksUp(this.session.readPatch(this.session.entry(head)), true) ? 0 : -1;
  }
}
