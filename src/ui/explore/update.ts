import { moveToBreak } from './jump.js';
import type { ScreenSize } from './layout.js';
import type { ScreenLine } from './lines.js';
import { findEntriesOnPage, scrollPage, selectPageLine } from './page.js';
import { isWriteCommand } from './plan-page.js';
import { moveCursor } from './scroll.js';
import { scrollToMatch } from './search.js';
import { addEffect, type ExplorerState, moveToRow, type ShownEnvelope } from './state.js';
import { measureTab, moveInTab, openTab } from './tab.js';

/** A change of the screen. */
export type StateChange = (state: ExplorerState) => ExplorerState;

/** Progress of work, or a notice; without any, something was read: draw again. */
export type ScreenProgress = Partial<Pick<ExplorerState, 'building' | 'searching' | 'notice'>>;

/** Tries a jump again that waits for more of the requests. */
export function retryJump(state: ExplorerState): ExplorerState {
  return state.awaited === null ? state : moveToBreak({ ...state, awaited: null }, state.awaited);
}

/** Fits everything to the new size. The page of a command is printed again, unless that would write again. */
export function resizeScreen(state: ExplorerState, size: ScreenSize): ExplorerState {
  const next = moveToRow({ ...state, size }, state.list.cursor);
  const all = moveInTab(next, next.tab === 'messages' ? next.inside.cursor : next.inside.top);
  if (!all.page) return all;
  const { argv, content, top } = all.page;
  const isPrinted = content.isRaw === undefined && !isWriteCommand(all.page) && size.columns !== state.size.columns;
  const scrolled = scrollPage(all, all.page, top);
  return argv && isPrinted ? addEffect(scrolled, { kind: 'run', argv }) : scrolled;
}

/** Shows a new envelope, at the beginning of the open tab, or at the newest message. */
export function showEnvelope(state: ExplorerState, shown: ShownEnvelope): ExplorerState {
  const isSame = state.shown?.index === shown.index;
  const next = { ...state, shown, building: null };
  if (isSame) return { ...next, inside: moveCursor(state.inside, state.inside.cursor, measureTab(next)) };
  return openTab(next, state.tab);
}

/** Shows the output of a command, at a match or at the entry that the page is about. */
export function showOutput(state: ExplorerState, lines: readonly ScreenLine[], isOk: boolean): ExplorerState {
  if (!state.page) return state;
  const page = { ...state.page, content: { lines }, isOk, isRunning: false };
  const [at] = [...findEntriesOnPage(state, page)].find(([, entries]) => entries.includes(page.entry ?? -1)) ?? [];
  if (at !== undefined) return scrollToMatch({ ...state, page: selectPageLine(state, page, at) });
  return scrollToMatch(scrollPage(state, page, page.top));
}
