import { isObject, listTexts } from '#base/json.js';
import type { EntryBatch } from '#context/replay/batches.js';
import { RESTORE_TYPE } from '#context/replay/ctx-entries.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The name of a restore's transform. */
export const RESTORE_NAME = 'restore';

interface UndoRequest {
  readonly path: readonly Head[];
  /** Places on the path to undo now, in order. */
  readonly places: readonly number[];
  readonly batches: ReadonlyMap<number, EntryBatch>;
}

/**
 * The places of restores after what is to be undone, and of all that they have undone. A restore brings messages back as
 * they were then, including what is to be undone now, so it counts together with what it has undone.
 */
export function findSettledPlaces(session: Session, { path, places, batches }: UndoRequest): ReadonlySet<number> {
  const wanted = new Set(places);
  const gone = new Set<number>();
  const byId = new Map(path.map(({ id }, at) => [id, at]));
  // The loop starts at the end, since a restore that was undone itself has undone nothing.
  for (let at = path.length - 1; at > (places[0] ?? 0); at -= 1) {
    if (gone.has(at) || wanted.has(at)) continue;
    const undone = readUndoneIds(session, path[at], batches.get(at));
    if (undone.length === 0) continue;
    const { from, to } = batches.get(at) ?? { from: at, to: at + 1 };
    for (let place = from; place < to; place += 1) gone.add(place);
    for (const id of undone) {
      const place = byId.get(id);
      if (place !== undefined && !wanted.has(place)) gone.add(place);
    }
  }
  return gone;
}

/** The ids that a restore records as undone. */
function readUndoneIds(session: Session, head: Head | undefined, batch: EntryBatch | undefined): readonly string[] {
  if (batch?.type === RESTORE_TYPE) return listTexts(batch.data.undone);
  if (head?.type !== 'context_transform') return [];
  const entry = session.entry(head);
  const { details } = entry;
  return readTransformerName(entry) === RESTORE_NAME && isObject(details) ? listTexts(details.undone) : [];
}
