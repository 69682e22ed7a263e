import { memoizeByObject } from '#base/memoize.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { type Doc, span } from '../doc/doc.js';
import { wrapSpans } from '../doc/spans.js';
import { renderOptions, renderSystemPrompt, renderTools } from '../parts/regions-view.js';
import { divideScreen } from './layout.js';
import { layOutDoc, type ScreenLine, type ScreenLook } from './lines.js';
import { type Extent, limitTop, moveCursor, SCROLL_START } from './scroll.js';
import type { ExplorerState, Tab } from './state.js';

/** Moves to a line of the open tab: the cursor among the messages, which other tabs have not. */
export function moveInTab(state: ExplorerState, line: number): ExplorerState {
  const extent = measureTab(state);
  if (state.tab !== 'messages') return { ...state, inside: { cursor: 0, top: limitTop(line, extent) } };
  return { ...state, inside: moveCursor(state.inside, line, extent) };
}

/** Opens a tab. Among the messages it selects the newest, which the entry usually added. */
export function openTab(state: ExplorerState, tab: Tab): ExplorerState {
  const next = { ...state, tab, inside: SCROLL_START };
  return tab === 'messages' ? moveInTab(next, Infinity) : next;
}

/** The number of lines of the open tab, and the number that fit. */
export function measureTab(state: ExplorerState): Extent {
  const { shown, tab } = state;
  const { body: height } = divideScreen(state);
  if (shown?.kind !== 'ready') return { length: 0, height };
  const { cached, uncached } = shown.overview.messages;
  return { length: tab === 'messages' ? cached.length + uncached.length : listTabLines(state).length, height };
}

/** The lines of a tab other than `messages`, whose lines are built one by one. */
export function listTabLines(state: ExplorerState): readonly ScreenLine[] {
  const { shown, tab, look } = state;
  return shown?.kind === 'ready' ? layOutTab(shown.overview, tab, divideScreen(state).envelope, look) : [];
}

const layOutTab = memoizeByObject(
  (overview: EnvelopeOverview, tab: Tab, columns: number, look: ScreenLook): readonly ScreenLine[] =>
    layOutDoc(DOCS[tab](overview).slice(1), { columns: columns - 1, look, isRich: true })
      .flatMap((line) => wrapSpans(line, columns - 1, look.ruler))
      .map((line) => [span(' '), ...line]),
);

/** The documents of the tabs. The first block of each is a title, which the tab repeats. */
const DOCS: Readonly<Record<Tab, (overview: EnvelopeOverview) => Doc>> = {
  messages: () => [],
  system: (overview) => renderSystemPrompt(overview, true),
  tools: (overview) => renderTools(overview, { isFull: true }),
  options: renderOptions,
};
