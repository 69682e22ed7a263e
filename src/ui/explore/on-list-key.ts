import { findPathThrough } from '#analysis/listing/session-index.js';
import { TREE_FILTERS } from '#analysis/listing/tree-filter.js';
import { isCompaction } from '#session/tree/compaction.js';
import { findLastResult, startsTurn } from '#session/tree/turns.js';
import { buildEntryArgs, findRevision, openCommandPage } from './command-line.js';
import { planUndo } from './on-plan-key.js';
import { findTargetLine } from './scroll.js';
import { searchNext } from './search.js';
import {
  type ExplorerState,
  findSelectedEntry,
  type KeyMap,
  listExtent,
  moveToNextRow,
  moveToRow,
  relist,
  relistAndRemember,
} from './state.js';

/** Handles a key in the tree or the log. */
export function onListKey(state: ExplorerState, key: string): ExplorerState {
  const wanted = findTargetLine(key, state.list.cursor, listExtent(state));
  return IN_LIST[key]?.(state) ?? (wanted === null ? state : moveToRow(state, wanted));
}

const IN_LIST: KeyMap = {
  t: (state) => relist(state, { listing: state.listing === 'tree' ? 'log' : 'tree' }, findSelectedEntry(state)),
  f: (state) => switchFilter(state, 1),
  F: (state) => switchFilter(state, -1),
  n: (state) => searchNext(state, 1),
  N: (state) => searchNext(state, -1),
  escape: (state) => ({ ...state, mark: null, matches: null, highlight: null }),
  right: (state) => ({ ...state, focus: 'envelope' }),
  ']': (state) => ({ ...state, jump: ']' }),
  '[': (state) => ({ ...state, jump: '[' }),
  '{': (state) => moveToTurn(state, -1) ?? state,
  '}': (state) => moveToTurn(state, 1) ?? state,
  u: planUndo,
  d: withRevision(compareWithMark),
  l: withRevision(openLossPage),
  c: withRevision((state) => {
    const { sessionIndex } = state;
    const entry = findMeantEntry(state);
    const withId = findRevision(sessionIndex, entry) === null ? findSelectedEntry(state) : entry;
    return openCommandPage(
      state,
      'Cache',
      ['cache', sessionIndex.session.file, ...buildEntryArgs(sessionIndex, withId)],
      entry,
    );
  }),
  s: withRevision((state) => {
    const { sessionIndex } = state;
    const argv = ['status', sessionIndex.session.file, ...buildEntryArgs(sessionIndex, findSelectedEntry(state))];
    return openCommandPage(state, 'Status', argv, findSelectedEntry(state));
  }),
  p: withRevision((state, at) =>
    openPlanPage(state, 'Prune', ['prune', ...buildPlaceArgs(state, at), ...buildLimitArgs(state)]),
  ),
  x: withRevision((state, at) => openPlanPage(state, 'Compact', ['compact', ...buildPlaceArgs(state, at)])),
};

/** Handles a key with the revision of the selected entry, which a command names. */
function withRevision(handle: (state: ExplorerState, at: string) => ExplorerState): KeyMap[string] {
  return (state) => {
    const at = findRevision(state.sessionIndex, findSelectedEntry(state));
    return at === null
      ? { ...state, notice: 'this entry has no id, so no command can name it: select another one' }
      : handle(state, at);
  };
}

/** The file, and the entry to append to unless it is the leaf: the selected one, or the last result of its calls. */
function buildPlaceArgs(state: ExplorerState, at: string): readonly string[] {
  const { file, tree } = state.sessionIndex.session;
  const last = findPlaceToPlan(state);
  if (last === tree.leaf?.index) return [file];
  return [file, '--at', findRevision(state.sessionIndex, last) ?? at];
}

/** The last result of the calls of the selected answer; else the selected entry. */
function findPlaceToPlan(state: ExplorerState): number {
  const index = findSelectedEntry(state);
  return findLastResult(state.sessionIndex.session.tree.heads, findPathThrough(state.sessionIndex, index), index);
}

function openPlanPage(state: ExplorerState, title: string, argv: readonly string[]): ExplorerState {
  const isMoved = findPlaceToPlan(state) !== findSelectedEntry(state);
  const notice = isMoved ? 'planned after the results of this answer, which stay with their calls' : state.notice;
  return openCommandPage({ ...state, notice }, `${title} (dry run)`, [...argv, '--dry-run']);
}

/** Changes the filter. After a full cycle, the cursor is on the entry where it started. */
function switchFilter(state: ExplorerState, step: 1 | -1): ExplorerState {
  const at = TREE_FILTERS.indexOf(state.filter) + step + TREE_FILTERS.length;
  return relistAndRemember(
    state,
    { filter: TREE_FILTERS[at % TREE_FILTERS.length] ?? 'default' },
    findMeantEntry(state),
  );
}

/** The entry under the cursor, or the hidden one that it represents. */
function findMeantEntry(state: ExplorerState): number {
  const index = findSelectedEntry(state);
  return state.hidden?.instead === index ? state.hidden.wanted : index;
}

/** Moves the cursor to the next row that starts a turn; null if there is none. */
function moveToTurn(state: ExplorerState, step: 1 | -1): ExplorerState | null {
  const { heads } = state.sessionIndex.session.tree;
  return moveToNextRow(state, step, (index) => {
    const head = heads.at(index);
    return head !== undefined && startsTurn(head);
  });
}

/** The limit for pruning. If the context window is unknown, zone red, the strongest pruning without a confirmation. */
function buildLimitArgs({ window, shown }: ExplorerState): readonly string[] {
  if (window.limit !== undefined) return ['--limit', String(window.limit)];
  const isKnown = shown?.kind === 'ready' && shown.overview.meta.limit !== null;
  return isKnown ? [] : ['--zone', 'red'];
}

/** Marks the first entry, and compares the second one with it. */
function compareWithMark(state: ExplorerState, at: string): ExplorerState {
  const { sessionIndex, mark } = state;
  const index = findSelectedEntry(state);
  if (mark === null) return { ...state, mark: index, notice: 'marked: press d on another entry to compare them' };
  const from = mark === index ? null : findRevision(sessionIndex, mark);
  if (from === null) return { ...state, mark: null };
  return openCommandPage({ ...state, mark: null }, 'Diff', ['diff', sessionIndex.session.file, from, at]);
}

/** Opens the loss of the selected compaction, or of the latest one before it, which the command finds itself. */
function openLossPage(state: ExplorerState, at: string): ExplorerState {
  const index = findSelectedEntry(state);
  const { session } = state.sessionIndex;
  const path = findPathThrough(state.sessionIndex, index);
  const first = path.findIndex((each) => isCompaction(session, session.tree.heads.at(each)));
  if (first === -1) return { ...state, notice: 'no compaction on this path' };
  if (first > path.indexOf(index)) return { ...state, notice: 'no compaction at or before this entry: ]c goes on' };
  return openCommandPage(state, 'Loss', ['loss', session.file, at, '--full']);
}
