import { buildSessionIndex, type SessionIndex } from '#analysis/listing/session-index.js';
import type { SessionUpdate } from '#context/follow.js';
import { type ExplorerState, findSelectedEntry, relist } from './state.js';

/** Shows the session after a change of its file, with a new index. */
export function showNews(state: ExplorerState, { session, change }: SessionUpdate, now: () => number): ExplorerState {
  const isRewritten = change === 'rewritten';
  return replaceSession(state, buildSessionIndex(session, now, isRewritten ? undefined : state.known), isRewritten);
}

/** Shows the session after a change of its file. `isRewritten`: everything known of it is invalid. */
export function replaceSession(state: ExplorerState, known: SessionIndex, isRewritten: boolean): ExplorerState {
  return stopSearch(isRewritten ? startOver(state, known) : followGrowth(state, known));
}

/** Keeps a cursor at the end at the end, like `tail -f`. */
function followGrowth(state: ExplorerState, known: SessionIndex): ExplorerState {
  const before = state.known.session.tree.leaf?.index ?? -1;
  const index = findSelectedEntry(state);
  const isAtEnd = index === before || index === -1;
  return relist(state, { known }, isAtEnd ? (known.session.tree.leaf?.index ?? 0) : index);
}

/** Ends a running search, because its rows have changed. */
function stopSearch(state: ExplorerState): ExplorerState {
  if (state.searching === null) return state;
  return { ...state, searching: null, notice: state.notice ?? 'the file has grown: press n to continue the search' };
}

/** Starts over with a rewritten file, at the entry with the same id. */
function startOver(state: ExplorerState, known: SessionIndex): ExplorerState {
  const id = state.known.session.tree.heads.at(findSelectedEntry(state))?.id;
  const { heads, leaf } = known.session.tree;
  const wanted = (id === undefined ? undefined : heads.find(id))?.index ?? leaf?.index ?? 0;
  const notice = 'the file was rewritten';
  return { ...relist(state, { known }, wanted), shown: null, mark: null, notice };
}
