import type { OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { replayPath } from '#context/walk.js';
import { copyHead } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import type { UndoSelection } from './undo-selection.js';

/** The context at the leaf without the undone entries. */
export function buildContentWithout(
  session: OpenSession,
  { path, places, settled, back }: UndoSelection,
): EnvelopeContent {
  if (back) return replayPath(session, pathTo(session.tree, back)).content();
  const without = path.slice();
  for (const place of [...places, ...settled]) {
    const head = path[place];
    // A compaction may keep from it, so it stays in its place without an effect.
    if (head) without[place] = { ...copyHead(head), index: head.index, type: 'custom' };
  }
  return replayPath(session, without).content();
}
