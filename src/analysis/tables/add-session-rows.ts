import type { ReadPatch } from '#context/replay/patch-op.js';
import { type FileStep, walkFile } from '#context/walk.js';
import { formatId, type Head } from '#session/heads/head.js';
import { OutlineReader } from '#session/scan/entry-outline.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { SharedEntries } from '../stats/count-session.js';
import type { EntryPart } from './define.js';
import { agentOf, toCalendarTime } from './entry-values.js';
import { type PathToReplay, ReplayedPath, replayPreamble } from './replayed-path.js';
import type { TableRows } from './row-groups.js';
import { SessionRows } from './session-rows.js';
import { hasNeed, type QueriedColumns } from './index.js';

export interface SessionForTables {
  readonly session: Session & { readonly readPatch: ReadPatch };
  /** Entries of earlier sessions. */
  readonly shared: SharedEntries;
  readonly wanted: QueriedColumns;
  /** Sessions that are read one after the other share one. */
  readonly outlines?: OutlineReader;
}

/** Adds the rows of a session. Yields when those so far should be taken, to limit memory. */
export function* addSessionRows(
  { session, shared, wanted, outlines = new OutlineReader() }: SessionForTables,
  all: TableRows,
  mostSize: number,
): Generator<void> {
  const path = activePath(session.tree);
  const places = placesIn(session, shared, path);
  const replaying = replayFor({ session, path }, wanted);
  const rows = new SessionRows(session, wanted, all, outlines);
  for (const { head, step, isRepeated } of stepsFor(session, replaying, rows)) {
    const place = new EntryPosition(places, head);
    if (!isRepeated && rows.takes(head.index)) rows.take(head, place, step);
    const request = step && replaying?.take(step);
    if (request) rows.takeRequest(place, request);
    if (all.size >= mostSize) yield;
  }
  const withPreamble = !replaying && hasNeed(wanted, 'sessions', 'replay');
  rows.end(withPreamble ? replayPreamble({ session, path }) : (replaying?.end() ?? null), shared);
}

/** Replays the path if the columns need its contexts. */
function replayFor(path: PathToReplay, wanted: QueriedColumns): ReplayedPath | null {
  const withRequests = wanted.has('envelopes');
  return withRequests || hasNeed(wanted, 'entries', 'replay') ? new ReplayedPath(path, withRequests) : null;
}

/** The entries that have rows, or all with their steps on a path that is replayed. */
function* stepsFor({ tree }: Session, replaying: ReplayedPath | null, rows: SessionRows): Generator<FileStep> {
  if (replaying) return yield* walkFile(replaying.walked);
  const { heads } = tree;
  for (let index = 0; index < heads.length; index += 1) {
    const head = rows.takes(index) ? heads.at(index) : undefined;
    if (head) yield { head, step: null, isRepeated: false };
  }
}

/** The position of an entry: in the file, and on the active path. Its values are computed when a column needs them. */
export class EntryPosition implements EntryPart {
  constructor(
    private readonly places: Places,
    private readonly head: Head,
  ) {}

  get session_id(): string {
    return this.places.session.header.id;
  }

  get file(): string {
    return this.places.session.file;
  }

  get cwd(): string | null {
    return this.places.session.header.cwd;
  }

  get agent(): string {
    return agentOf(this.places.session);
  }

  get line(): number {
    return this.head.line;
  }

  get entry_id(): string | null {
    return formatId(this.head.id);
  }

  get time(): number | null {
    return toCalendarTime(this.head.time);
  }

  get shared(): boolean {
    return this.places.shared.has(this.places.session, this.head.index);
  }

  get on_active_path(): boolean {
    return this.places.turns[this.head.index] !== OFF_PATH;
  }

  /** Turns started so far, including this one; null outside the active path. */
  get turn(): number | null {
    return this.on_active_path ? (this.places.turns[this.head.index] ?? null) : null;
  }

  /** Requests answered so far, including this one; null outside the active path. */
  get request(): number | null {
    return this.on_active_path ? (this.places.requests[this.head.index] ?? null) : null;
  }
}

interface Places {
  readonly session: Session;
  readonly shared: SharedEntries;
  /** By the index of the entry. */
  readonly turns: Int32Array;
  readonly requests: Int32Array;
}

const OFF_PATH = -1;

function placesIn(session: Session, shared: SharedEntries, path: readonly Head[]): Places {
  const { length } = session.tree.heads;
  const [turns, requests] = [new Int32Array(length).fill(OFF_PATH), new Int32Array(length)];
  let [turn, request] = [0, 0];
  for (const head of path) {
    if (startsTurn(head)) turn += 1;
    if (answersRequest(head)) request += 1;
    turns[head.index] = turn;
    requests[head.index] = request;
  }
  return { session, shared, turns, requests };
}
