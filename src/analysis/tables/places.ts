import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { answersRequest, startsTurn } from '#session/tree/tree.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import type { EntryPart } from './define.js';
import { timeOf } from './row-groups.js';

/** What is known of an entry by where it stands. */
export interface Place {
  readonly ofEntry: EntryPart;
  /** Turns begun and requests answered up to it, itself included; null off the active path. */
  readonly turn: number | null;
  readonly request: number | null;
}

export function placesIn(session: Session, shared: SharedEntries, path: readonly Head[]): (head: Head) => Place {
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
