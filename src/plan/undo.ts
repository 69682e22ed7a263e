import type { EnvelopeContent } from '../context/content.js';
import type { ReadPatch } from '../context/patch-step.js';
import { Replay } from '../context/replay.js';
import { transformAbove } from '../context/selection.js';
import { CtxError } from '../errors.js';
import { copyOf, type Head, quotedId } from '../session/head.js';
import { resolveRange, resolveRevision } from '../session/revision.js';
import type { Session } from '../session/session.js';
import { pathTo } from '../session/tree.js';

/** The active path, and which of its entries are to be undone. */
export interface Undoing {
  readonly path: readonly Head[];
  /** Places on the path, in order. */
  readonly places: readonly number[];
}

const CHANGES: ReadonlySet<string | null> = new Set(['compaction', 'context_edit', 'context_transform']);

/**
 * What a revision, or a range of them, means to undo: compactions, edits and transforms on the active path. A
 * compaction that was written in two forms is undone whole. Throws a CtxError (usage) where there is nothing.
 */
export function undoingOf(session: Session, revision: string): Undoing {
  const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  const wanted = wantedIn(session, revision);
  const found = path.flatMap(({ index, type }, at) => (wanted.has(index) && CHANGES.has(type) ? [at] : []));
  if (found.length === 0) throw nothingThere(session, path, revision);
  return { path, places: withTwins(session, path, found) };
}

/** The entries that are meant, by their index. */
function wantedIn(session: Session, revision: string): ReadonlySet<number> {
  if (!revision.includes('..')) return new Set([resolveRevision(session, revision)?.index ?? -1]);
  const { from, to } = resolveRange(session, revision);
  const until = to ? pathTo(session.tree, to) : [];
  const before = new Set((from ? pathTo(session.tree, from) : []).map(({ index }) => index));
  return new Set(until.flatMap(({ index }) => (before.has(index) ? [] : [index])));
}

/** With the transform above a compaction, and the compaction below a transform, where both are one. */
function withTwins(session: Session, path: readonly Head[], places: readonly number[]): readonly number[] {
  const isTwin = (at: number): boolean => path[at]?.type === 'compaction' && transformAbove(session, path, at) !== null;
  const all = places.flatMap((at) => [...(isTwin(at) ? [at - 1] : []), at, ...(isTwin(at + 1) ? [at + 1] : [])]);
  return [...new Set(all)].toSorted((a, b) => a - b);
}

function nothingThere(session: Session, path: readonly Head[], revision: string): CtxError {
  const candidates = path.filter(({ type }) => CHANGES.has(type)).slice(-MOST_CANDIDATES);
  const list = candidates.map(({ id, type }) => `${String(id)} (${type})`).join(', ');
  return new CtxError('usage', `there is nothing to undo at ${quotedId(revision)} on the active path`, {
    where: session.file,
    hint:
      list === '' ? 'it has no compaction, edit or transform' : `name a compaction, an edit or a transform: ${list}`,
  });
}

const MOST_CANDIDATES = 5;

/** The context at the leaf as if the entries had never been there. */
export function contentWithout(session: Session, { path, places }: Undoing, readPatch: ReadPatch): EnvelopeContent {
  const without = path.slice();
  for (const place of places) {
    const head = path[place];
    // It stays in its place, since a compaction may keep from it, but does nothing.
    if (head) without[place] = { ...copyOf(head), index: head.index, type: 'custom' };
  }
  const replay = new Replay(session, without, { readPatch, baseline: {}, lenient: false });
  for (const [index, head] of without.entries()) replay.step(head, index);
  return replay.content();
}

/** Types that change neither the context nor what Pi goes on with. */
const HARMLESS: ReadonlySet<string | null> = new Set(['label', 'session_info', 'usage']);

/** Whether nothing else has happened since. */
export function isLast({ path, places }: Undoing): boolean {
  const undone = new Set(places);
  const first = places[0] ?? path.length;
  return path.every(({ type }, at) => at < first || undone.has(at) || HARMLESS.has(type));
}
