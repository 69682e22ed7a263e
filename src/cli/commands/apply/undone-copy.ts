import { CtxError } from '#base/errors.js';
import { type CopyDraft, draftCopyWithout } from '#change/copy/copy-draft.js';
import { resolveUndo } from '#change/plan/undo.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { isOfCompaction } from '#context/replay/repeated-transform.js';

/** The context of a session, and its copy without the compactions of a revision. */
interface UndoneCopy {
  readonly before: ContextEnvelope;
  readonly copy: CopyDraft;
}

/**
 * Drafts a copy of another agent's session without the compactions that a revision names. Afterwards the session shows them
 * as undone. Throws a CtxError (refused) if the revision names another change.
 */
export function draftUndoneCopy(session: OpenSession, revision: string): UndoneCopy {
  const { path, places } = resolveUndo(session, revision);
  const heads = places.flatMap((place) => path[place] ?? []);
  if (!heads.every((head) => isOfCompaction(session, head))) {
    throw new CtxError('refused', `only compactions of ${session.agent?.title ?? 'this agent'} can be taken back`, {
      where: session.file,
      hint: "name a compaction, such as '@{compaction}'",
    });
  }
  const before = buildEnvelope(session, session.tree.leaf);
  return { before, copy: draftCopyWithout(session, new Set(heads.map(({ index }) => index))) };
}
