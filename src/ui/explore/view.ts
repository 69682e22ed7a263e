import { entryLines } from './entry-lines.js';
import { envelopeLines } from './envelope-lines.js';
import { layout } from './layout.js';
import type { Line } from './lines.js';
import { pageExtent, pageLines } from './page.js';
import { highlighted } from './search.js';
import type { ExplorerPage, ExplorerState } from './state.js';

/** A state with what its screen shows of the session. */
export interface ScreenView {
  readonly state: ExplorerState;
  /** The visible rows of the list. */
  readonly rows: readonly Line[];
  /** The visible lines of the envelope. */
  readonly inside: readonly Line[];
  /** The visible lines of the page. */
  readonly page: readonly Line[];
}

/** Reads what a screen shows of the session: only the visible entries and messages. Throws if the file has changed. */
export function viewOf(state: ExplorerState): ScreenView {
  const { list, envelope } = layout(state);
  const { page } = state;
  state.known.previews.start();
  const marked = (lines: readonly Line[]): readonly Line[] => highlighted(lines, state.prompt?.text || state.highlight);
  if (page) return { state, rows: [], inside: [], page: marked(visibleOf(state, page)) };
  return {
    state,
    rows: list === 0 ? [] : marked(entryLines(state)),
    inside: envelope === 0 ? [] : marked(envelopeLines(state)),
    page: [],
  };
}

function visibleOf(state: ExplorerState, page: ExplorerPage): readonly Line[] {
  return pageLines(state, page).slice(page.top, page.top + pageExtent(state, page).height);
}
