import type { OpenSession } from '#context/open.js';
import { type FileStep, walkFile } from '#context/walk-file.js';
import { OutlineReader } from '#session/scan/entry-outline.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import { buildPlaces, EntryPosition } from './entry-position.js';
import { type PathToReplay, ReplayedPath, replayPreamble } from './replayed-path.js';
import type { TableRows } from './row-groups.js';
import { SessionRows } from './session-rows.js';
import { hasNeed, type QueriedColumns } from './index.js';

export interface SessionForTables {
  readonly session: OpenSession;
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
  const places = buildPlaces(session, shared, path);
  const replaying = startReplay({ session, path }, wanted);
  const rows = new SessionRows(session, wanted, all, outlines);
  for (const { head, step, isRepeated } of listSteps(session, replaying, rows)) {
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
function startReplay(path: PathToReplay, wanted: QueriedColumns): ReplayedPath | null {
  const withRequests = wanted.has('envelopes');
  return withRequests || hasNeed(wanted, 'entries', 'replay') ? new ReplayedPath(path, withRequests) : null;
}

/** The entries that have rows, or all with their steps on a path that is replayed. */
function* listSteps({ tree }: Session, replaying: ReplayedPath | null, rows: SessionRows): Generator<FileStep> {
  if (replaying) return yield* walkFile(replaying.walked);
  const { heads } = tree;
  for (let index = 0; index < heads.length; index += 1) {
    const head = rows.takes(index) ? heads.at(index) : undefined;
    if (head) yield { head, step: null, isRepeated: false };
  }
}
