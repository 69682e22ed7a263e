import { patchBetween } from '#analysis/diff/patch-ops.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { attachPatchReader, readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { RESTORE_TYPE } from '#context/replay/ctx-entries.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildDraft, type Draft, redraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, buildTransformBody } from '../plan/new-entries.js';
import { formatRevertCommand } from '../plan/next-commands.js';
import { hideTransforms } from '../plan/stock-view.js';
import { buildContentWithout } from './content-without.js';
import { buildBranchOnlyError, buildReturnEntries } from './rewritten-branch.js';
import { RESTORE_NAME } from './settled-places.js';
import { buildStockUndos } from './stock-undo.js';
import { isLastChange, listUndoneIds, type UndoSelection } from './undo-selection.js';

/** The form of an undo: a new branch above the change, a transform, or entries that Pi itself knows. */
export type RestoreForm = 'branch' | 'context_transform' | 'stock';

export interface RestoreDraft {
  readonly draft: Draft;
  /** null: it was undone already. */
  readonly form: RestoreForm | null;
  /** Whether Pi, which knows no transforms, sees it undone too. */
  readonly isSeenByPi: boolean;
}

interface RestoreOptions extends EntryStamps {
  /** null: the form that fits best. */
  readonly form: RestoreForm | null;
}

/**
 * Drafts entries that undo others of the active path: the context is then as if those had never been there. Throws a
 * CtxError (refused) if no entries of the form do that.
 */
export function draftRestore(session: Session, selection: UndoSelection, options: RestoreOptions): RestoreDraft {
  const { rewritten, path } = selection;
  if (rewritten) {
    if (options.form !== null && options.form !== 'branch') throw buildBranchOnlyError(session);
    const draft = buildDraft(session, buildReturnEntries(session, path, rewritten, options));
    return { draft, form: 'branch', isSeenByPi: true };
  }
  refuseCountedIndexes(session, selection);

  const wanted = hashEnvelope(buildContentWithout(attachPatchReader(session), selection));
  const wantedByPi = hashEnvelope(buildContentWithout(hideTransforms(session), selection));
  const unchanged = buildDraft(session, []);
  const { sha256, stockSha256 } = unchanged.predicted();
  if (sha256 === wanted && options.form === null)
    return { draft: unchanged, form: null, isSeenByPi: stockSha256 === wantedByPi };

  // Candidates are tried in turn: only a replay tells whether they undo it.
  for (const form of listForms(session, selection, options.form)) {
    for (const entries of buildCandidates(unchanged, selection, form, options)) {
      const draft = redraft(unchanged, entries);
      const predicted = draft.predicted();
      const isSeenByPi = predicted.stockSha256 === wantedByPi;
      if (predicted.sha256 === wanted && (isSeenByPi || form !== 'stock')) return { draft, form, isSeenByPi };
    }
  }
  throw buildImpossibleError(session, selection, options.form);
}

/** Forms that Pi sees too come first, and a path without transforms stays without. */
function listForms(session: Session, selection: UndoSelection, form: RestoreForm | null): readonly RestoreForm[] {
  if (form !== null) return [form];
  if (isLastChange(session, selection)) return ['branch'];
  return selection.path.some(({ type }) => type === 'context_transform') ? ['stock', 'context_transform'] : ['stock'];
}

function buildCandidates(
  { session, before }: Draft,
  selection: UndoSelection,
  form: RestoreForm,
  stamps: EntryStamps,
): Iterable<readonly JsonObject[]> {
  switch (form) {
    case 'branch':
      return isLastChange(session, selection) ? [buildBranchUndo(session, selection, stamps)] : [];
    case 'context_transform':
      return buildTransformUndo(session, before, selection, stamps);
    case 'stock':
      return buildStockUndos(session, selection, stamps);
  }
}

/** Pi takes the last line of a file for its leaf, of any type, and sends nothing of a `custom` entry to the model. */
function buildBranchUndo(session: Session, selection: UndoSelection, stamps: EntryStamps): readonly JsonObject[] {
  const above = selection.back ?? selection.path[(selection.places[0] ?? 0) - 1];
  const data = { undone: listUndoneIds(selection) };
  return buildEntryChain(session, formatId(above?.id), [{ type: 'custom', customType: RESTORE_TYPE, data }], stamps);
}

function* buildTransformUndo(
  session: Session,
  before: EnvelopeContent,
  selection: UndoSelection,
  stamps: EntryStamps,
): Generator<readonly JsonObject[]> {
  const after = buildContentWithout(attachPatchReader(session), selection);
  const undone = listUndoneIds(selection);
  const title = `Undo ${undone.join(', ')}`;
  const { patch, impossible } = patchBetween(before, after, title);
  if (impossible.length > 0) return;
  const body = buildTransformBody(RESTORE_NAME, patch, { display: { title }, details: { undone } });
  yield buildEntryChain(session, formatId(session.tree.leaf?.id), [body], stamps);
}

/** Refuses if a later `compaction_apply` counts the messages as they were with the change. */
function refuseCountedIndexes(session: Session, { path, places }: UndoSelection): void {
  const undone = new Set(places);
  const first = places[0] ?? 0;
  const compacts = (head: Head): boolean =>
    head.type === 'context_transform' && readPatch(session.entry(head)).some((step) => step.ok && step.compacts);
  const later = path.find((head, at) => at > first && !undone.has(at) && compacts(head));
  if (!later) return;
  throw new CtxError('refused', 'a later compaction summarised the context with this change', {
    where: `${session.file}:${later.line}`,
    hint: `undo that compaction first: ${formatRevertCommand(session.file, String(later.id))}`,
  });
}

function buildImpossibleError(session: Session, selection: UndoSelection, form: RestoreForm | null): CtxError {
  const what = listUndoneIds(selection).join(', ');
  if (form === 'branch')
    return new CtxError('refused', `messages follow ${what}, and a branch before it would drop them`, {
      where: session.file,
      hint: 'omit --as',
    });
  const hint =
    form === 'context_transform'
      ? 'go back to its parent in Pi with /tree'
      : 'use --as context_transform, for readers that support transforms; Pi has no entry for it';
  return new CtxError('refused', `no appended entry can undo ${what}`, { where: session.file, hint });
}
