import { buildSessionIndex, type SessionIndex } from '#analysis/listing/session-index.js';
import type { SessionUpdate } from '#context/follow.js';
import { type ExplorerState, findSelectedEntry, relist } from './state.js';

/** Shows the session after a change of its file, with a new index. */
export function showNews(state: ExplorerState, { session, change }: SessionUpdate, now: () => number): ExplorerState {
  const isRewritten = change === 'rewritten';
  return replaceSession(
    state,
    buildSessionIndex(session, now, isRewritten ? undefined : state.sessionIndex),
    isRewritten,
  );
}

/** Shows the session after a change of its file. `isRewritten`: everything known of it is invalid. */
export function replaceSession(state: ExplorerState, sessionIndex: SessionIndex, isRewritten: boolean): ExplorerState {
  return stopSearch(isRewritten ? startOver(state, sessionIndex) : followGrowth(state, sessionIndex));
}

/** Keeps a cursor at the end at the end, like `tail -f`. */
function followGrowth(state: ExplorerState, sessionIndex: SessionIndex): ExplorerState {
  const before = state.sessionIndex.session.tree.leaf?.index ?? -1;
  const index = findSelectedEntry(state);
  const isAtEnd = index === before || index === -1;
  return relist(state, { sessionIndex }, isAtEnd ? (sessionIndex.session.tree.leaf?.index ?? 0) : index);
}

/** Ends a running search, because its rows have changed. */
function stopSearch(state: ExplorerState): ExplorerState {
  if (state.searching === null) return state;
  return { ...state, searching: null, notice: state.notice ?? 'the file has grown: press n to continue the search' };
}

/** Starts over with a rewritten file, at the entry with the same id. */
function startOver(state: ExplorerState, sessionIndex: SessionIndex): ExplorerState {
  const id = state.sessionIndex.session.tree.heads.at(findSelectedEntry(state))?.id;
  const { heads, leaf } = sessionIndex.session.tree;
  const wanted = (id === undefined ? undefined : heads.find(id))?.index ?? leaf?.index ?? 0;
  const notice = 'the file was rewritten';
  return { ...relist(state, { sessionIndex }, wanted), shown: null, mark: null, notice };
}
