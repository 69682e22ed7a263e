import { formatId } from '#session/heads/head.js';
import { adaptToCopy, type CopyDraft, draftEditedCopy } from '../copy/copy-draft.js';
import type { SessionToCopy } from '../copy/session-to-copy.js';
import { buildDraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain } from '../plan/new-entries.js';
import { findCallRepairs, insertResults } from './call-repairs.js';
import type { SavedImage } from './copy-images.js';
import type { CopyRepair } from './copy-repair.js';
import { editHistories } from './edit-histories.js';
import { type DroppedPart, repairSentMessages } from './repair-sent-messages.js';

/** A repaired copy before it is written. */
export interface RepairedCopy {
  readonly copy: CopyDraft;
  /** The repairs in the order of the file. */
  readonly repairs: readonly CopyRepair[];
  /** The images that are left out, to be saved beside the copy. */
  readonly images: readonly SavedImage[];
  /** The images that stay, since no entry of their own has them. */
  readonly imagesLeft: number;
  /** The records with half of a surrogate pair beside those of the context. */
  readonly completedElsewhere: number;
}

/**
 * Plans a copy without what the provider refuses: of the session as `readForCopy` links it. The entries of the session are
 * changed for that. Images are replaced by a note, thinking without its signature is left out of all answers, calls and results
 * are paired, and empty texts are left out.
 */
export function planCopyRepair(
  session: SessionToCopy,
  dropped: ReadonlySet<DroppedPart>,
  stamps: EntryStamps,
): RepairedCopy {
  const calls = findCallRepairs(session);
  const messages = repairSentMessages(session, calls, dropped);
  const bodies = messages.edits.map(({ head, content }) => ({
    type: 'context_edit',
    targetId: head.id,
    replacement: content === null ? null : { content },
  }));
  const leafId = formatId(session.tree.leaf?.id);
  const entries = buildEntryChain(session, leafId, bodies, stamps);
  const draft = buildDraft(editHistories(session, messages.histories), entries);
  const edited = draftEditedCopy(adaptToCopy(draft));
  const changes = {
    ...edited.changes,
    dropped: new Set([...edited.changes.dropped, ...calls.orphans]),
    answered: calls.answered,
    histories: messages.histories,
  };
  const repairs = [...listLinkRepairs(session), ...calls.repairs, ...messages.repairs];
  return {
    copy: { ...edited, changes, after: insertResults(session, edited.after, calls.answered) },
    repairs: repairs.toSorted((a, b) => a.line - b.line),
    images: messages.images,
    imagesLeft: messages.imagesLeft,
    completedElsewhere: session.completed.size - messages.completed.size,
  };
}

function listLinkRepairs({ linked }: SessionToCopy): readonly CopyRepair[] {
  return linked.map(({ record, entryId, fromId, toId, isCircular }): CopyRepair => {
    const done = toId === null ? 'it begins the session now' : `it follows "${toId}" now, the record before it`;
    const why = `its parent "${fromId}" ${isCircular ? 'descends from it' : 'is not in the file'}`;
    return { rule: 'orphan', ...(isCircular && { cause: 'circle' }), why, done, entryId, line: record.line };
  });
}
