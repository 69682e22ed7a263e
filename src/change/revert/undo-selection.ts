import { CtxError } from '#base/errors.js';
import { listTexts } from '#base/json.js';
import { type EntryBatch, findBatches } from '#context/replay/batches.js';
import { RESTORE_TYPE } from '#context/replay/ctx-entries.js';
import { formatId, type Head, quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { resolveRange, type RevisionRange } from '#session/tree/revision.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { formatRevertCommand } from '../plan/next-commands.js';
import { isUndoable } from './changes-in-force.js';
import { findRewrittenBranch, type RewrittenBranch } from './rewritten-branch.js';
import { findSettledPlaces } from './settled-places.js';

/** The active path, and which of its entries are to be undone. */
export interface UndoSelection {
  readonly path: readonly Head[];
  /** Places on the path, in order. */
  readonly places: readonly number[];
  /** Places of later restores and of what they have undone: together they have no effect. */
  readonly settled: ReadonlySet<number>;
  /** The end of another branch, where the session continues instead: the path left it only for what is undone. */
  readonly back: Head | null;
  /** The whole branch to undo, which copies another one. */
  readonly rewritten?: RewrittenBranch;
}

/**
 * Finds what a revision, or a range of them, undoes: compactions, edits and transforms on the active path. A
 * compaction in two forms is undone whole, and so is a prune of several entries. Throws
 * a CtxError (usage) where there is nothing.
 */
export function resolveUndo(session: Session, revision: string): UndoSelection {
  const path = activePath(session.tree);
  const range = resolveRange(session, revision);
  const selected = findSelectedIndexes(session, range);
  const rewritten = findRewrittenBranch(session, path, selected);
  if (rewritten) {
    const other = rewritten.later.find(({ index, type }) => selected.has(index) && isUndoable(type));
    if (other) throw buildUndoLaterFirstError(session, other);
    return { path, places: [rewritten.at], settled: new Set(), back: null, rewritten };
  }
  const batches = findBatches(session, path);
  const found = listUndoablePlaces(path, selected, batches);
  if (found.length === 0) {
    const left = findLeftBranch(session, path, { selected, batches });
    if (left) return left;
    throw buildNothingToUndoError(session, path, revision);
  }
  const places = addTwins(session, path, found);
  const settled = findSettledPlaces(session, { path, places, batches });
  return { path, places, settled, back: findBranchBefore(session, range, { path, places, settled }) };
}

/** The places of the selected entries that can be undone. One entry of a prune or restore selects all of them. */
function listUndoablePlaces(
  path: readonly Head[],
  selected: ReadonlySet<number>,
  batches: ReadonlyMap<number, EntryBatch>,
): readonly number[] {
  const places: number[] = [];
  for (const [at, { index, type }] of path.entries()) {
    if (!selected.has(index)) continue;
    const batch = batches.get(at);
    if (batch && !isEmptyBatch(batch)) for (let place = batch.from; place < batch.to; place += 1) places.push(place);
    else if (isUndoable(type)) places.push(at);
  }
  return places;
}

type Undone = Omit<UndoSelection, 'back' | 'rewritten'>;

/** The beginning of a range, where it is on another branch and the path has left that for nothing else. */
function findBranchBefore(session: Session, { from, isRange }: RevisionRange, undone: Undone): Head | null {
  if (!isRange || !from) return null;
  const other = new Set(pathTo(session.tree, from).map(({ index }) => index));
  const leaves = undone.path.findIndex(({ index }) => !other.has(index));
  const isAncestor = undone.path[leaves - 1]?.index === from.index;
  return leaves >= 0 && !isAncestor && hasOnlyUndone(session, undone, leaves) ? from : null;
}

/**
 * The branch that a restore left for nothing but what it undid, where the session continues again: no entry was needed for that
 * restore, and nothing followed it. null if none is selected.
 */
function findLeftBranch(
  session: Session,
  path: readonly Head[],
  { selected, batches }: { readonly selected: ReadonlySet<number>; readonly batches: ReadonlyMap<number, EntryBatch> },
): UndoSelection | null {
  const place = path.findLastIndex(({ index }, at) => {
    const batch = batches.get(at);
    return selected.has(index) && batch !== undefined && isEmptyBatch(batch);
  });
  const undone = listTexts(batches.get(place)?.data.undone);
  const back = session.tree.heads.find(undone.at(-1) ?? '');
  const isOfChange = back !== undefined && (isUndoable(back.type) || isRecord(session, back));
  if (!isOfChange) return null;
  const selection = { path, places: [place], settled: new Set<number>() };
  return isLastChange(session, selection) ? { ...selection, back } : null;
}

/** A restore that needed no entries, because a branch began there. */
function isEmptyBatch({ type, from, to }: EntryBatch): boolean {
  return type === RESTORE_TYPE && to === from + 1;
}

/** The indexes of the entries that a revision or a range names. */
function findSelectedIndexes(session: Session, { from, to, isRange }: RevisionRange): ReadonlySet<number> {
  if (!isRange) return new Set([to?.index ?? -1]);
  const until = to ? pathTo(session.tree, to) : [];
  const before = new Set((from ? pathTo(session.tree, from) : []).map(({ index }) => index));
  return new Set(until.flatMap(({ index }) => (before.has(index) ? [] : [index])));
}

/** Adds the other half of each dual write: the transform of a compaction, or the compaction of a transform. */
function addTwins(session: Session, path: readonly Head[], places: readonly number[]): readonly number[] {
  const isRepetition = (at: number): boolean =>
    path[at]?.type === 'compaction' && findRepeatedTransform(session, path, at) !== null;
  const all = new Set(places);
  for (const at of places) {
    if (isRepetition(at)) all.add(at - 1);
    if (isRepetition(at + 1)) all.add(at + 1);
  }
  return [...all].toSorted((a, b) => a - b);
}

function buildNothingToUndoError(session: Session, path: readonly Head[], revision: string): CtxError {
  const candidates = path.filter(({ type }) => isUndoable(type)).slice(-MOST_CANDIDATES);
  const list = candidates.map(({ id, type }) => `${String(id)} (${type})`).join(', ');
  const none = 'the path has no compaction, edit or transform';
  return new CtxError('usage', `nothing to undo at ${quoteId(revision)} on the active path`, {
    where: session.file,
    hint: list === '' ? none : `name a compaction, an edit or a transform: ${list}`,
  });
}

function buildUndoLaterFirstError(session: Session, { id, line }: Head): CtxError {
  return new CtxError('usage', 'the range holds a rewritten branch and a later change', {
    where: `${session.file}:${line}`,
    hint: `undo the later one first: ${formatRevertCommand(session.file, String(id))}`,
  });
}

const MOST_CANDIDATES = 5;

export function listUndoneIds({ path, places }: UndoSelection): readonly string[] {
  return places.map((place) => formatId(path[place]?.id) ?? '');
}

/** Types of entries that change neither the context nor where Pi continues. */
const HARMLESS: ReadonlySet<string | null> = new Set(['label', 'session_info', 'usage']);

/** Whether only undone changes follow on the path. */
export function isLastChange(session: Session, undone: Undone): boolean {
  return hasOnlyUndone(session, undone, undone.places[0] ?? undone.path.length);
}

/** Whether the path has only undone changes from a place on. */
function hasOnlyUndone(session: Session, { path, places, settled }: Undone, first: number): boolean {
  const undone = new Set([...places, ...settled]);
  return path.every((head, at) => {
    const isUndone = at < first || undone.has(at);
    return isUndone || HARMLESS.has(head.type) || isRecord(session, head);
  });
}

function isRecord(session: Session, head: Head): boolean {
  if (head.type !== 'custom') return false;
  const entry = session.entry(head);
  return entry.type === 'custom' && entry.customType === RESTORE_TYPE;
}
