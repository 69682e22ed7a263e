import { CtxError } from '#base/errors.js';
import { type CopyDraft, draftCopyWithout } from '#change/copy/copy-draft.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import type { OpenSession } from '#context/open.js';
import { isOfCompaction } from '#session/tree/compaction.js';

/**
 * Drafts a copy of another agent's session without the compactions that a revision names. Afterwards the session shows them
 * as undone. Throws a CtxError (refused) if the revision names another change.
 */
export function draftUndoneCopy(session: OpenSession, revision: string): CopyDraft {
  const { path, places } = resolveUndo(session, revision);
  const heads = places.flatMap((place) => path[place] ?? []);
  if (!heads.every((head) => isOfCompaction(session, head))) {
    throw new CtxError('refused', `only compactions of ${session.agent?.title ?? 'this agent'} can be taken back`, {
      where: session.file,
      hint: "name a compaction, such as '@{compaction}'",
    });
  }
  return draftCopyWithout(session, new Set(heads.map(({ index }) => index)));
}
