import type { JsonObject } from '#base/json.js';
import { labelsOf, type Session } from '#session/session.js';
import type { RawId } from '#session/table/head.js';

interface Rewritten {
  readonly entries: readonly JsonObject[];
  readonly renamed: ReadonlyMap<RawId, string>;
}

interface Place {
  readonly parentId: string | null;
  readonly timestamp: unknown;
  nextId(): string;
}

/**
 * Entries that take labels from what was written anew and give them to what took its place, as a label that stands at two
 * entries names neither.
 */
export function movedLabels(
  session: Session,
  { entries, renamed }: Rewritten,
  { parentId, timestamp, nextId }: Place,
): readonly JsonObject[] {
  const given = new Map<unknown, unknown>();
  for (const { type, targetId, label } of entries) if (type === 'label') given.set(targetId, label);
  const moved = [...labelsOf(session)].flatMap(([id, label]) => {
    const to = renamed.get(id as RawId);
    if (to === undefined) return [];
    return given.get(to) === label ? [{ targetId: id }] : [{ targetId: to, label }, { targetId: id }];
  });
  let parent = parentId;
  return moved.map((fields) => {
    const entry = { type: 'label', id: nextId(), parentId: parent, timestamp, ...fields };
    parent = entry.id;
    return entry;
  });
}
