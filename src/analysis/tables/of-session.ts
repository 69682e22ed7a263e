import type { ReadPatch } from '#context/replay/patch-step.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { activePath, answersRequest, startsTurn } from '#session/tree/tree.js';
import type { SharedEntries } from '../stats/count-session.js';
import type { EntryPart } from './define.js';
import { type Replayed, replayed, replayedPreamble } from './replayed.js';
import { type RowGroup, timeOf } from './row-groups.js';
import { SessionRows } from './session-rows.js';
import { hasNeed, type WantedColumns } from './index.js';

export interface SessionToTable {
  readonly session: Session & { readonly readPatch: ReadPatch };
  /** Entries of earlier sessions. */
  readonly shared: SharedEntries;
  readonly wanted: WantedColumns;
}

/** The length of text from which a session has several groups of messages, to limit memory. */
const MOST_CHARACTERS = 1 << 26;

/** The rows of a session with the wanted columns: one group for each table with rows. */
export function* rowsOfSession(
  { session, shared, wanted }: SessionToTable,
  mostCharacters = MOST_CHARACTERS,
): Generator<RowGroup> {
  const { heads } = session.tree;
  const path = activePath(session.tree);
  const placeOf = placesIn(session, shared, path);
  const result = replayOf({ session, path, wanted }, (head) => placeOf(head).ofEntry);
  const rows = new SessionRows(session, wanted);
  for (let index = 0; index < heads.length; index += 1) {
    const head = rows.takes(index) ? heads.at(index) : undefined;
    if (head) rows.take(head, placeOf, result?.linesShown.has(head.line) ?? false);
    if (rows.characters >= mostCharacters) yield* rows.takeTexts();
  }
  rows.end(result, shared);
  yield* rows.takeAll();
}

/** Replays as much of the path as the columns need; null if they need nothing of it. */
function replayOf(
  { session, path, wanted }: Pick<SessionToTable, 'session' | 'wanted'> & { readonly path: readonly Head[] },
  ofEntry: (head: Head) => EntryPart,
): Replayed | null {
  const withRequests = wanted.has('envelopes');
  if (withRequests || hasNeed(wanted, 'entries', 'replay')) return replayed({ session, path, withRequests, ofEntry });
  return hasNeed(wanted, 'sessions', 'replay') ? replayedPreamble({ session, path }) : null;
}

/** The position of an entry: in the file, and on the active path. */
export interface EntryPosition {
  readonly ofEntry: EntryPart;
  /** Turns started and requests answered so far, including this one; null outside the active path. */
  readonly turn: number | null;
  readonly request: number | null;
}

function placesIn(session: Session, shared: SharedEntries, path: readonly Head[]): (head: Head) => EntryPosition {
  const { file, header, tree } = session;
  const ofSession = { session_id: header.id, file, cwd: header.cwd };
  const [turns, requests] = [new Int32Array(tree.heads.length).fill(OFF_PATH), new Int32Array(tree.heads.length)];
  let [turn, request] = [0, 0];
  for (const head of path) {
    if (startsTurn(head)) turn += 1;
    if (answersRequest(head)) request += 1;
    turns[head.index] = turn;
    requests[head.index] = request;
  }
  return (head) => {
    const isOnPath = turns[head.index] !== OFF_PATH;
    return {
      ofEntry: {
        ...ofSession,
        line: head.line,
        entry_id: idText(head.id),
        time: timeOf(head.time),
        shared: shared.has(session, head.index),
        on_active_path: isOnPath,
      },
      turn: isOnPath ? (turns[head.index] ?? null) : null,
      request: isOnPath ? (requests[head.index] ?? null) : null,
    };
  };
}

const OFF_PATH = -1;
