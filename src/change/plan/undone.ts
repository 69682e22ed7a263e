import { isObject } from '#base/json.js';
import { type EntryBatch, RESTORE_TYPE } from '#context/replay/batches.js';
import { transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** What the transform of a restore calls itself. */
export const RESTORE_NAME = 'restore';

interface Request {
  readonly path: readonly Head[];
  /** What is to be undone now, in order. */
  readonly places: readonly number[];
  readonly batches: ReadonlyMap<number, EntryBatch>;
}

/**
 * The places of restores below what is to be undone, and of all that they have undone. A restore gives messages back as
 * they stood then, also what is to be undone now; so it has to be taken together with what it was for.
 */
export function undoneBefore(session: Session, { path, places, batches }: Request): ReadonlySet<number> {
  const wanted = new Set(places);
  const gone = new Set<number>();
  const byId = new Map(path.map(({ id }, at) => [id, at]));
  // From the end: a restore that was undone itself has undone nothing.
  for (let at = path.length - 1; at > (places[0] ?? 0); at -= 1) {
    if (gone.has(at) || wanted.has(at)) continue;
    const undone = undoneAt(session, path[at], batches.get(at));
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

/** The ids of the entries that an entry has undone, where it stands below them. */
function undoneAt(session: Session, head: Head | undefined, batch: EntryBatch | undefined): readonly string[] {
  if (batch?.type === RESTORE_TYPE) return textsIn(batch.data['undone']);
  if (head?.type !== 'context_transform') return [];
  const entry = session.entry(head);
  const { details } = entry;
  return transformerName(entry) === RESTORE_NAME && isObject(details) ? textsIn(details['undone']) : [];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
