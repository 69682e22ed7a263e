import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';

/** What makes entries new; replaced in tests. */
export interface Freshness {
  /** Milliseconds since 1970. */
  now(): number;
  /** Eight hex digits, as Pi makes them. */
  newId(): string;
}

/** So often Pi tries before it takes a longer id. */
const MOST_TRIES = 100;

/** Gives ids that neither the session nor an earlier call has. */
export function freshIds({ tree }: Pick<Session, 'tree'>, newId: () => string): () => string {
  const given = new Set<string>();
  return () => {
    let id = newId();
    for (let tries = 1; tree.heads.has(id) || given.has(id); tries += 1) {
      id = tries < MOST_TRIES ? newId() : `${newId()}${newId()}`;
    }
    given.add(id);
    return id;
  };
}

/** The fields of an entry that are its own: all but its id, parent and time. */
export type EntryBody = { readonly type: string } & JsonObject;

/** Entries that follow one another below `parentId`, in Pi's key order. */
export function entriesBelow(
  session: Pick<Session, 'tree'>,
  parentId: string | null,
  bodies: readonly EntryBody[],
  { now, newId }: Freshness,
): readonly JsonObject[] {
  const nextId = freshIds(session, newId);
  const timestamp = new Date(now()).toISOString();
  let parent = parentId;
  return bodies.map(({ type, ...fields }) => {
    const place = { id: nextId(), parentId: parent, timestamp };
    parent = place.id;
    return FIELDS_FIRST.has(type) ? { type, ...fields, ...place } : { type, ...place, ...fields };
  });
}

/** Pi writes what these say before where they stand. */
const FIELDS_FIRST: ReadonlySet<string> = new Set(['custom', 'custom_message']);
