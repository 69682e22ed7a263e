import { findPathThrough } from '#analysis/listing/session-index.js';
import { CONTEXT_CHANGE_TYPES } from '#context/replay/entry-kinds.js';
import { findRevision, formatCommand, openCommandPage } from './command-line.js';
import { describeReadOnly, DRY, findPlanSize, isPlanPage } from './plan-page.js';
import { addEffect, type ExplorerPage, type ExplorerState, findSelectedEntry } from './state.js';

/** Handles a key of a plan: asks before writing it, or plans to change more or less. Returns null for other keys. */
export function onPlanKey(state: ExplorerState, page: ExplorerPage, key: string): ExplorerState | null {
  const { argv, title } = page;
  if (!argv?.includes(DRY) || (key !== 'w' && key !== '+' && key !== '-')) return null;
  if (page.isRunning) return { ...state, notice: 'not done yet: wait for the plan' };
  const size = findPlanSize(page);
  if (key === 'w') {
    const refusal = `there is nothing to write${size ? `: ${size.hint}` : ''}`;
    const notice = isPlanPage(page) ? describeReadOnly(state.sessionIndex.session) : refusal;
    return notice === null ? { ...state, question: argv.filter((word) => word !== DRY) } : { ...state, notice };
  }
  if (!size) return null;
  const { flag } = size;
  const next = size.next(page, key);
  if (next === null) return { ...state, notice: `this zone prunes the ${key === '+' ? 'most' : 'least'}` };
  const otherWords = argv.filter((word, at) => word !== DRY && word !== flag && argv[at - 1] !== flag);
  return openCommandPage(state, title, [...otherWords, flag, next, DRY]);
}

/** Handles the answer to the question whether a plan is to be written. */
export function onQuestionKey(before: ExplorerState, key: string): ExplorerState {
  const state = { ...before, question: null };
  const argv = before.question ?? [];
  // The user has just agreed, and the command runs without a terminal of its own.
  if (key === 'y')
    return openCommandPage(state, (state.page?.title ?? '').replace(' (dry run)', ''), [...argv, '--yes']);
  if (key === 'q') return addEffect(state, { kind: 'quit', say: formatCommand(argv) });
  return { ...state, notice: 'nothing was written' };
}

/** Plans to undo the selected change, or the latest one before it. */
export function planUndo(state: ExplorerState): ExplorerState {
  const { sessionIndex } = state;
  const { heads } = sessionIndex.session.tree;
  const path = findPathThrough(sessionIndex, findSelectedEntry(state));
  const above = path.subarray(0, path.indexOf(findSelectedEntry(state)) + 1);
  const change = above.findLast((index) => CONTEXT_CHANGE_TYPES.has(heads.typeAt(index)));
  const revision = change === undefined ? null : findRevision(sessionIndex, change);
  if (revision === null)
    return { ...state, notice: 'no compaction, transform or edit at or before this entry: select one' };
  return openCommandPage(state, 'Undo (dry run)', ['revert', sessionIndex.session.file, revision, DRY]);
}
