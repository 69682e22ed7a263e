import { patchBetween } from '#analysis/diff/patch-ops.js';
import { CtxError } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import { RESTORE_TYPE } from '#context/replay/batches.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/hash.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildDraft, type Draft, redraft } from './draft.js';
import type { EntryStamps } from './entry-stamps.js';
import { buildEntryChain, buildTransformBody } from './new-entries.js';
import { formatRevertCommand } from './next-commands.js';
import { branchOnlyError, buildReturnEntries } from './rewritten-branch.js';
import { buildStockUndos } from './stock-undo.js';
import { hideTransforms, ignorePatches } from './stock-view.js';
import {
  buildContentWithout,
  isLastChange,
  listUndoneIds,
  resolveUndo,
  RESTORE_NAME,
  type UndoSelection,
} from './undo.js';

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
  /** null: as fits best. */
  readonly form: RestoreForm | null;
}

/**
 * Undoes entries of the active path by appending others: afterwards the context is what it would be if they had never
 * been there. Throws a CtxError (refused) where that cannot be had in the form that is wanted.
 */
export function draftRestore(session: Session, undoing: UndoSelection, wish: RestoreOptions): RestoreDraft {
  const { rewritten, path } = undoing;
  if (rewritten) {
    if (wish.form !== null && wish.form !== 'branch') throw branchOnlyError(session);
    return {
      draft: buildDraft(session, buildReturnEntries(session, path, rewritten, wish)),
      form: 'branch',
      isSeenByPi: true,
    };
  }
  refuseCountedIndexes(session, undoing);
  const wanted = hashEnvelope(buildContentWithout(session, undoing, readPatch));
  const wantedByPi = hashEnvelope(buildContentWithout(hideTransforms(session), undoing, ignorePatches));
  const nothing = buildDraft(session, []);
  const { sha256, stockSha256 } = nothing.predicted();
  if (sha256 === wanted && wish.form === null)
    return { draft: nothing, form: null, isSeenByPi: stockSha256 === wantedByPi };
  for (const form of formsFor(session, undoing, wish.form)) {
    for (const entries of waysOf(nothing, undoing, form, wish)) {
      const draft = redraft(nothing, entries);
      const predicted = draft.predicted();
      const isSeenByPi = predicted.stockSha256 === wantedByPi;
      if (predicted.sha256 === wanted && (isSeenByPi || form !== 'stock')) return { draft, form, isSeenByPi };
    }
  }
  throw impossible(session, undoing, wish.form);
}

/** Forms that Pi sees too come first, and a path without transforms stays without. */
function formsFor(session: Session, undoing: UndoSelection, wished: RestoreForm | null): readonly RestoreForm[] {
  if (wished !== null) return [wished];
  if (isLastChange(session, undoing)) return ['branch'];
  return undoing.path.some(({ type }) => type === 'context_transform') ? ['stock', 'context_transform'] : ['stock'];
}

function waysOf(
  { session, before }: Draft,
  undoing: UndoSelection,
  form: RestoreForm,
  fresh: EntryStamps,
): Iterable<readonly JsonObject[]> {
  switch (form) {
    case 'branch':
      return isLastChange(session, undoing) ? [branchAbove(session, undoing, fresh)] : [];
    case 'context_transform':
      return transformBack(session, before, undoing, fresh);
    case 'stock':
      return buildStockUndos(session, undoing, fresh);
  }
}

/** Pi takes the last line of a file for its leaf, of any type, and sends nothing of a `custom` entry to the model. */
function branchAbove(session: Session, undoing: UndoSelection, fresh: EntryStamps): readonly JsonObject[] {
  const above = undoing.back ?? undoing.path[(undoing.places[0] ?? 0) - 1];
  const data = { undone: listUndoneIds(undoing) };
  return buildEntryChain(session, formatId(above?.id), [{ type: 'custom', customType: RESTORE_TYPE, data }], fresh);
}

function* transformBack(
  session: Session,
  before: EnvelopeContent,
  undoing: UndoSelection,
  fresh: EntryStamps,
): Generator<readonly JsonObject[]> {
  const after = buildContentWithout(session, undoing, readPatch);
  const title = `Undo ${listUndoneIds(undoing).join(', ')}`;
  const { patch, impossible: left } = patchBetween(before, after, title);
  if (left.length > 0) return;
  const body = buildTransformBody(RESTORE_NAME, patch, {
    display: { title },
    details: { undone: listUndoneIds(undoing) },
  });
  yield buildEntryChain(session, formatId(session.tree.leaf?.id), [body], fresh);
}

/** A `compaction_apply` further down counts the messages as they were then. */
function refuseCountedIndexes(session: Session, { path, places }: UndoSelection): void {
  const undone = new Set(places);
  const first = places[0] ?? 0;
  const later = path.find(
    (head, at) =>
      at > first &&
      head.type === 'context_transform' &&
      !undone.has(at) &&
      readPatch(session.entry(head)).some((step) => step.ok && step.compacts),
  );
  if (!later) return;
  throw new CtxError('refused', 'a later compaction summarised the context with this change', {
    where: `${session.file}:${later.line}`,
    hint: `undo that compaction first: ${formatRevertCommand(session.file, String(later.id))}`,
  });
}

function impossible(session: Session, undoing: UndoSelection, form: RestoreForm | null): CtxError {
  const what = listUndoneIds(undoing).join(', ');
  if (form === 'branch')
    return new CtxError('refused', `messages follow ${what}, and a branch before it would drop them`, {
      where: session.file,
      hint: 'omit --as',
    });
  return new CtxError('refused', `no appended entry can undo ${what}`, {
    where: session.file,
    hint:
      form === 'context_transform'
        ? 'go back to its parent in Pi with /tree'
        : 'use --as context_transform, for readers that support transforms; Pi has no entry for it',
  });
}

/**
 * The revision for `ctx revert` that gives back the context from before a draft, once the draft is written. null where
 * the draft leaves the context as it is, or a restore cannot give it back.
 */
export function findUndoRevision({ session, entries, longer, from, before, predicted }: Draft): string | null {
  const { leaf } = session.tree;
  const wanted = hashEnvelope(from?.index === leaf?.index ? before : buildEnvelope(session, leaf, readPatch));
  const last = asString(entries.at(-1)?.['id']);
  if (last === null || predicted().sha256 === wanted) return null;
  const revisions = [last, `${formatId(leaf?.id)}..${last}`];
  return revisions.find((revision) => restoredBy(longer, revision) === wanted) ?? null;
}

/** The hash of the envelope that a restore gives; null where there is nothing that it can undo. */
function restoredBy(session: Session, revision: string): string | null {
  let id = 0;
  // Only the context is looked at: when and under which id the restore is written does not matter.
  const fresh = { now: () => 0, newId: () => `undo-${(id += 1)}` };
  try {
    return draftRestore(session, resolveUndo(session, revision), { form: null, ...fresh }).draft.predicted().sha256;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
