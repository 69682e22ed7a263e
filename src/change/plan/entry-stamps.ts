import type { Session } from '#session/session.js';

/** The source of ids and times for new entries; replaced in tests. */
export interface EntryStamps {
  /** Milliseconds since 1970. */
  now(): number;
  /** Eight hex digits, as Pi makes them. */
  newId(): string;
}

/** The number of ids that Pi tries before it takes a longer one. */
const MOST_TRIES = 100;

/** Returns a function that gives ids which neither the session nor an earlier call has. */
export function buildIdSource({ tree }: Pick<Session, 'tree'>, newId: () => string): () => string {
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

/** The source of times and ids for a plan; by default the clock and random ids, as Pi makes them. */
export type PlanOptions = Partial<EntryStamps>;

/** The clock and random ids, where the options name no others. */
export function toEntryStamps({ now = Date.now, newId }: PlanOptions): EntryStamps {
  return { now, newId: newId ?? (() => crypto.randomUUID().slice(0, 8)) };
}
