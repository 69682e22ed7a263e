import type { SessionIndex } from './known.js';
import { moveTo, type Size, START } from './layout.js';
import type { Line } from './lines.js';
import { onKey } from './on-key.js';
import { type Mouse, onMouse } from './on-mouse.js';
import { isWriting } from './on-plan-key.js';
import { atBreak, atMatch, found } from './on-search-key.js';
import { atInside, atLine, atTop, entriesOn, insideExtent } from './page.js';
import { type ExplorerState, listExtent, only, relisted, selected, type Shown, type Updated } from './state.js';

/** A key, or a message from outside. */
export type ExplorerMessage =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'mouse'; readonly mouse: Mouse }
  | { readonly kind: 'resized'; readonly size: Size }
  /** `isRewritten`: the file was rewritten, so everything known of it is invalid. */
  | { readonly kind: 'session'; readonly known: SessionIndex; readonly isRewritten: boolean }
  /** More of the answers that the filter needs have been read. */
  | { readonly kind: 'filtered' }
  | { readonly kind: 'shown'; readonly shown: Shown }
  | { readonly kind: 'printed'; readonly lines: readonly Line[]; readonly isOk: boolean }
  /** The search has found its first entry. */
  | { readonly kind: 'found'; readonly index: number }
  /** `matches`: all rows that match the last pattern; null if it searched for errors, or has failed with the notice. */
  | { readonly kind: 'searched'; readonly matches: readonly number[] | null; readonly notice: string | null }
  /** The progress of work, or a notice; without any, previews have changed: draw again. */
  | { readonly kind: 'progress'; readonly change: ProgressChange };

export type ProgressChange = Partial<Pick<ExplorerState, 'building' | 'searching' | 'notice'>>;

/** Computes the next state. The caller performs the effects. */
export function update(state: ExplorerState, message: ExplorerMessage): Updated {
  if (message.kind === 'key') return onKey(state, message.key);
  if (message.kind === 'mouse') return onMouse(state, message.mouse);
  if (message.kind === 'resized') return resized(state, message.size);
  return only(news(state, message));
}

type News = Exclude<ExplorerMessage, { kind: 'key' | 'mouse' | 'resized' }>;

function news(state: ExplorerState, message: News): ExplorerState {
  switch (message.kind) {
    case 'session':
      return searchEnded(message.isRewritten ? rewritten(state, message.known) : grown(state, message.known));
    case 'filtered':
      return relisted(state, {}, selected(state));
    case 'shown':
      return withShown(state, message.shown);
    case 'printed':
      return printed(state, message);
    case 'found':
      return found(state, message.index);
    case 'searched':
      return searchedAll(state, message);
    case 'progress':
      return progressed({ ...state, ...message.change });
  }
}

/** Tries a jump again that waits for more of the requests. */
function progressed(state: ExplorerState): ExplorerState {
  return state.awaited === null ? state : atBreak({ ...state, awaited: null }, state.awaited);
}

/** Fits everything to the new size. The page of a command is printed again, unless that would write again. */
function resized(state: ExplorerState, size: Size): Updated {
  const next = { ...state, size };
  const list = moveTo(next.list, next.list.cursor, listExtent(next));
  const inside = moveTo(next.inside, next.inside.cursor, insideExtent(next));
  const all = { ...next, list, inside };
  if (!all.page) return only(all);
  const { argv, content, top } = all.page;
  const isPrinted = content.isRaw === undefined && !isWriting(all.page) && size.columns !== state.size.columns;
  return { state: atTop(all, all.page, top), effects: argv && isPrinted ? [{ kind: 'run', argv }] : [] };
}

/** Keeps a cursor at the end at the end, like `tail -f`. */
function grown(state: ExplorerState, known: SessionIndex): ExplorerState {
  const before = state.known.session.tree.leaf?.index ?? -1;
  const index = selected(state);
  const isAtEnd = index === before || index === -1;
  return relisted(state, { known }, isAtEnd ? (known.session.tree.leaf?.index ?? 0) : index);
}

/** Ends a running search, because its rows have changed. */
function searchEnded(state: ExplorerState): ExplorerState {
  if (state.searching === null) return state;
  return { ...state, searching: null, notice: state.notice ?? 'the file has grown: press n to continue the search' };
}

/** Starts over with a rewritten file, at the entry with the same id. */
function rewritten(state: ExplorerState, known: SessionIndex): ExplorerState {
  const id = state.known.session.tree.heads.at(selected(state))?.id;
  const { heads, leaf } = known.session.tree;
  const wanted = (id === undefined ? undefined : heads.find(id))?.index ?? leaf?.index ?? 0;
  const notice = 'the file was rewritten';
  return { ...relisted(state, { known }, wanted), shown: null, mark: null, notice };
}

/** Shows a new envelope, at its newest message, which the entry usually added. */
function withShown(state: ExplorerState, shown: Shown): ExplorerState {
  const isSame = state.shown?.index === shown.index;
  const next = { ...state, shown, building: null };
  if (isSame) return { ...next, inside: moveTo(state.inside, state.inside.cursor, insideExtent(next)) };
  return state.tab === 'messages' ? atInside({ ...next, inside: START }, Infinity) : { ...next, inside: START };
}

function searchedAll(
  state: ExplorerState,
  { matches, notice }: Extract<ExplorerMessage, { kind: 'searched' }>,
): ExplorerState {
  const { rows, pattern } = state;
  const next = { ...state, searching: null, notice: notice ?? state.notice };
  return matches === null || pattern === null ? next : { ...next, matches: { rows, pattern, found: matches } };
}

/** Shows the output of a command, at a match or at the entry that the page is about. */
function printed(state: ExplorerState, { lines, isOk }: Extract<ExplorerMessage, { kind: 'printed' }>): ExplorerState {
  if (!state.page) return state;
  const page = { ...state.page, content: { lines }, isOk, isRunning: false };
  const [at] = [...entriesOn(state, page)].find(([, named]) => named.includes(page.entry ?? -1)) ?? [];
  if (at !== undefined) return atMatch({ ...state, page: atLine(state, page, at) });
  return atMatch(atTop(state, page, page.top));
}
