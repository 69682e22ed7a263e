import type { EnvelopeContent } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { replayPath } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { copyOf, type Head } from '#session/table/head.js';
import { pathTo } from '#session/tree/tree.js';

/** The context that Pi, which knows no transforms, shows at an entry. */
export function stockContent(session: Session, at: Head | null): EnvelopeContent {
  const path = (at ? pathTo(session.tree, at) : []).map(withoutTransform);
  return replayPath(session, path, { readPatch: ignorePatches }).content();
}

/** An entry that does nothing and shadows no compaction. */
function withoutTransform(head: Head): Head {
  return head.type === 'context_transform' ? { ...copyOf(head), index: head.index, type: 'custom' } : head;
}

/** A session as Pi sees it, which knows no transforms: none shadows a compaction. */
export function withoutTransforms(session: Session): Session {
  return { ...session, entry: (head) => (head.type === 'context_transform' ? {} : session.entry(head)) };
}

/** Transforms do nothing. */
export const ignorePatches: ReadPatch = () => [];
