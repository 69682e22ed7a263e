import type { ReadPatch } from '#context/replay/patch-step.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { activePath, answersRequest, startsTurn } from '#session/tree/tree.js';
import type { SharedEntries } from '../stats/count-session.js';
import type { EntryPart } from './define.js';
import { type Replayed, replayed, replayedPreamble } from './replayed.js';
import { type RowGroup, timeOf } from './row-groups.js';
import { SessionRows } from './session-rows.js';
import type { TableName } from './index.js';

export interface SessionToTable {
  readonly session: Session & { readonly readPatch: ReadPatch };
  /** Entries of earlier sessions. */
  readonly shared: SharedEntries;
  readonly wanted: ReadonlySet<TableName>;
}

/** The length of text from which a session has several groups of messages, to limit memory. */
const MOST_CHARACTERS = 1 << 26;

/** The rows of a session: one group for each requested table with rows. */
export function* rowsOfSession(
  { session, shared, wanted }: SessionToTable,
  mostCharacters = MOST_CHARACTERS,
): Generator<RowGroup> {
  const { tree } = session;
  const path = activePath(tree);
  const placeOf = placesIn(session, shared, path);
  const result = replayOf({ session, path, wanted }, (head) => placeOf(head).ofEntry);
  const rows = new SessionRows(session, wanted);
  for (const head of tree.heads) {
    const place = placeOf(head);
    rows.note(head, place);
    const entry = rows.read(head);
    if (entry) rows.take(head, entry, place, result?.linesShown.has(head.line) ?? false);
    if (rows.characters >= mostCharacters) yield* rows.takeTexts();
  }
  if (result) rows.end(result);
  yield* rows.takeAll();
}

/** Replays as much of the path as the tables need; null if they need nothing of it. */
function replayOf(
  { session, path, wanted }: Pick<SessionToTable, 'session' | 'wanted'> & { readonly path: readonly Head[] },
  ofEntry: (head: Head) => EntryPart,
): Replayed | null {
  if (wanted.has('entries') || wanted.has('envelopes'))
    return replayed({ session, path, withRequests: wanted.has('envelopes'), ofEntry });
  return wanted.has('sessions') ? replayedPreamble({ session, path }) : null;
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
