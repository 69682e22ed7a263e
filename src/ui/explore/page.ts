import { memoizeByObject } from '#base/memoize.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import type { Heads } from '#session/heads/heads.js';
import { type Doc, span } from '../doc/doc.js';
import { joinSpans, wrapSpans } from '../doc/text-line.js';
import { renderOptions, renderSystemPrompt, renderTools } from '../parts/regions-view.js';
import { divideScreen, type Extent, limitTop, moveCursor, SCROLL_START } from './layout.js';
import { layOutDoc, type PageContent, type ScreenLine, type ScreenLook } from './lines.js';
import type { ExplorerPage, ExplorerState, Tab } from './state.js';

/** The lines of a page as wide as the screen. */
export function pageLines(
  { size: { columns }, look }: ExplorerState,
  { content }: ExplorerPage,
): readonly ScreenLine[] {
  return wrapContent(content, columns, look);
}

/** Every key needs the lines again. */
const wrapContent = memoizeByObject((content: PageContent, columns: number, look: ScreenLook): readonly ScreenLine[] => {
  const whole =
    content.isRaw === undefined ? content.lines : layOutDoc(content.doc, { columns, look, isRich: !content.isRaw });
  return whole.flatMap((line) => wrapSpans(line, columns, look.ruler));
});

/** The number of lines of a page, and the number that fit below its title. */
export function pageExtent(state: ExplorerState, page: ExplorerPage): Extent {
  return { length: pageLines(state, page).length, height: Math.max(1, divideScreen(state).page - 1) };
}

/** The entries that the lines of a command name, by line, with those of the lines that its row goes on with. */
export function findEntriesOnPage(state: ExplorerState, page: ExplorerPage): ReadonlyMap<number, readonly number[]> {
  return 'doc' in page.content ? new Map() : findEntriesInLines(pageLines(state, page), state.known.session.tree.heads);
}

const findEntriesInLines = memoizeByObject(
  (lines: readonly ScreenLine[], heads: Heads): ReadonlyMap<number, readonly number[]> => {
    const texts = lines.map(joinSpans);
    const named = texts.map((text) => text.match(/[\w-]+/g)?.flatMap((id) => heads.find(id)?.index ?? []) ?? []);
    const depths = texts.map((text) => text.search(/\S/));
    return new Map(
      named.flatMap((own, at) => {
        if (own.length === 0) return [];
        const depth = depths[at] ?? 0;
        const isOther = (each: number, below: number): boolean =>
          below > at && (each < depth || (each === depth && named[below]?.length !== 0));
        const end = depths.findIndex(isOther);
        return [[at, named.slice(at, end === -1 ? undefined : end).flat()] as const];
      }),
    );
  },
);

/** Selects a line of a page, and scrolls to it unless it is visible. */
export function selectPageLine(state: ExplorerState, page: ExplorerPage, line: number): ExplorerPage {
  const { length, height } = pageExtent(state, page);
  const { top } = moveCursor({ cursor: line, top: page.top }, line, { length, height });
  return { ...page, found: line, top };
}

/** Scrolls a page to a line, and selects another one. */
export function scrollPage(
  state: ExplorerState,
  page: ExplorerPage,
  top: number,
  found: number | null = null,
): ExplorerState {
  return { ...state, page: { ...page, top: limitTop(top, pageExtent(state, page)), found } };
}

/** Moves to a line of the open tab: the cursor among the messages, which other tabs have not. */
export function moveInTab(state: ExplorerState, line: number): ExplorerState {
  const extent = tabExtent(state);
  if (state.tab !== 'messages') return { ...state, inside: { cursor: 0, top: limitTop(line, extent) } };
  return { ...state, inside: moveCursor(state.inside, line, extent) };
}

/** Opens a tab. Among the messages it selects the newest, which the entry usually added. */
export function openTab(state: ExplorerState, tab: Tab): ExplorerState {
  const next = { ...state, tab, inside: SCROLL_START };
  return tab === 'messages' ? moveInTab(next, Infinity) : next;
}

/** The number of lines of the open tab, and the number that fit. */
export function tabExtent(state: ExplorerState): Extent {
  const { shown, tab } = state;
  const { body: height } = divideScreen(state);
  if (shown?.kind !== 'ready') return { length: 0, height };
  const { cached, uncached } = shown.overview.messages;
  return { length: tab === 'messages' ? cached.length + uncached.length : tabLines(state).length, height };
}

/** The lines of a tab other than `messages`, whose lines are built one by one. */
export function tabLines(state: ExplorerState): readonly ScreenLine[] {
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

const HELP = `Move
  ↑ ↓  k j            one line
  PgUp PgDn  b space  one page; Ctrl-U and Ctrl-D half a page
  Home End  g G       first line, last line
  { }                 previous turn, next turn
  Tab  → ←            switch between list and envelope
  wheel, click, drag  scroll, select and open (also a bar), move the divider
  1 2 3 4  [ ]        envelope: messages, system, tools, options

View
  e  Enter            expand the selected entry or message
  r                   on a page: its texts as they are stored, and back
  Tab Enter           on a page: select a line with an entry, go to that entry
  t                   switch between the tree and the log of this path
  f F                 next filter, previous filter, as in Pi's /tree
  / n N               search (regular expression), next match, previous match
  ]b ]c ]e            next cache break, compaction, error; [b [c [e before
  d                   mark an entry; press d on another entry to compare them
  c                   prompt cache: hits and breaks up to this entry
  l                   loss: what the latest compaction up to this entry lost
  p                   plan to prune at this entry; + and - prune more or less
  x                   plan to compact at this entry; + and - keep more or less
  u                   plan to undo this change, or the latest before this entry
  w                   on a plan: write it, after a question

Clipboard and pager
  y                   copy the entry id
  Y                   copy the command on the bottom line
  o                   open the current view in a pager
  m                   mouse off, so that the terminal selects text, or on

Quit
  Esc                 close the page, leave the envelope, or cancel the search
  q                   close the page, or quit; Ctrl-C always quits
  Ctrl-Z              suspend; fg resumes

Symbols
  • ← ◆               on the active path, its leaf, the marked entry`;

/** The first cell of the words beside the keys. */
const WORDS_AT = 22;

/** The help page: all keys by group. */
export function helpLines(): readonly ScreenLine[] {
  return HELP.split('\n').map((line) =>
    line.startsWith(' ') ? [span(line.slice(0, WORDS_AT), 'id'), span(line.slice(WORDS_AT))] : [span(line, 'strong')],
  );
}
