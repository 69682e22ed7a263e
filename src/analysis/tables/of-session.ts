import type { ReadPatch } from '#context/replay/patch-step.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import { placesIn } from './places.js';
import { replayed } from './replayed.js';
import type { RowGroup } from './row-groups.js';
import { SessionRows } from './session-rows.js';
import type { TableName } from './index.js';

export interface SessionToTable {
  readonly session: Session & { readonly readPatch: ReadPatch };
  /** Entries of sessions that came before it. */
  readonly shared: SharedEntries;
  readonly wanted: ReadonlySet<TableName>;
}

/** A session with more text than this has more than one group of messages, so that no memory holds all of it. */
const MOST_CHARACTERS = 1 << 26;

/** The rows of a session: one group for each table that is wanted and has any. */
export function* rowsOfSession(
  { session, shared, wanted }: SessionToTable,
  mostCharacters = MOST_CHARACTERS,
): Generator<RowGroup> {
  const { tree } = session;
  const path = activePath(tree);
  const placeOf = placesIn(session, shared, path);
  const isReplayed = REPLAYED.some((name) => wanted.has(name));
  const result = isReplayed
    ? replayed({ session, path, withRequests: wanted.has('envelopes'), ofEntry: (head) => placeOf(head).ofEntry })
    : null;
  const rows = new SessionRows(session, wanted);
  for (const head of tree.heads) {
    rows.take(head, session.entry(head), placeOf(head), result?.linesShown.has(head.line) ?? false);
    if (rows.characters >= mostCharacters) yield* rows.takeTexts();
  }
  if (result) rows.end(result);
  yield* rows.takeAll();
}

/** What only the replay of the active path tells. */
const REPLAYED: readonly TableName[] = ['sessions', 'entries', 'envelopes'];
