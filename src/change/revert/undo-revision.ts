import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Draft } from '../plan/draft.js';
import { draftRestore } from './restore.js';
import { resolveUndo } from './undo-selection.js';

/**
 * The revision for `ctx revert` that gives back the context from before a draft, once the draft is written. null where
 * the draft leaves the context as it is, or a restore cannot give it back.
 */
export function findUndoRevision({ session, entries, longer, from, before, predicted }: Draft): string | null {
  const { leaf } = session.tree;
  const wanted = hashEnvelope(from?.index === leaf?.index ? before : buildEnvelope(attachPatchReader(session), leaf));
  const last = asString(entries.at(-1)?.id);
  if (last === null || predicted().sha256 === wanted) return null;
  const revisions = [last, `${formatId(leaf?.id)}..${last}`];
  return revisions.find((revision) => hashRestored(longer, revision) === wanted) ?? null;
}

/** The hash of the envelope after a restore; null if nothing can be undone. */
function hashRestored(session: Session, revision: string): string | null {
  let ids = 0;
  // Times and ids do not matter, because only the context is compared.
  const newId = (): string => {
    ids += 1;
    return `undo-${ids}`;
  };
  try {
    const { draft } = draftRestore(session, resolveUndo(session, revision), { form: null, now: () => 0, newId });
    return draft.predicted().sha256;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
