import { memoizeByObject } from '#base/memoize.js';
import type { Heads } from '#session/heads/heads.js';
import { joinSpans, wrapSpans } from '../doc/spans.js';
import { divideScreen } from './layout.js';
import { layOutDoc, type PageContent, type ScreenLine, type ScreenLook } from './lines.js';
import { type Extent, limitTop, moveCursor } from './scroll.js';
import type { ExplorerPage, ExplorerState } from './state.js';

/** The lines of a page as wide as the screen. */
export function listPageLines(
  { size: { columns }, look }: ExplorerState,
  { content }: ExplorerPage,
): readonly ScreenLine[] {
  return wrapContent(content, columns, look);
}

/** Every key needs the lines again. */
const wrapContent = memoizeByObject(
  (content: PageContent, columns: number, look: ScreenLook): readonly ScreenLine[] => {
    const whole =
      content.isRaw === undefined ? content.lines : layOutDoc(content.doc, { columns, look, isRich: !content.isRaw });
    return whole.flatMap((line) => wrapSpans(line, columns, look.ruler));
  },
);

/** The number of lines of a page, and the number that fit below its title. */
export function measurePage(state: ExplorerState, page: ExplorerPage): Extent {
  return { length: listPageLines(state, page).length, height: Math.max(1, divideScreen(state).page - 1) };
}

/** The entries that the lines of a command name, by line, with those of the lines that its row goes on with. */
export function findEntriesOnPage(state: ExplorerState, page: ExplorerPage): ReadonlyMap<number, readonly number[]> {
  return 'doc' in page.content
    ? new Map()
    : findEntriesInLines(listPageLines(state, page), state.sessionIndex.session.tree.heads);
}

const findEntriesInLines = memoizeByObject(
  (lines: readonly ScreenLine[], heads: Heads): ReadonlyMap<number, readonly number[]> => {
    const texts = lines.map(joinSpans);
    const entries = texts.map((text) => text.match(/[\w-]+/g)?.flatMap((id) => heads.find(id)?.index ?? []) ?? []);
    const depths = texts.map((text) => text.search(/\S/));
    /** The line at which the row of a line ends: one less deep, or as deep with entries of its own. */
    const findRowEnd = (at: number): number => {
      const depth = depths[at] ?? 0;
      for (let below = at + 1; below < texts.length; below += 1) {
        const other = depths[below] ?? 0;
        if (other < depth || (other === depth && entries[below]?.length !== 0)) return below;
      }
      return texts.length;
    };
    const found = new Map<number, readonly number[]>();
    for (const [at, own] of entries.entries()) {
      if (own.length > 0) found.set(at, entries.slice(at, findRowEnd(at)).flat());
    }
    return found;
  },
);

/** Selects a line of a page, and scrolls to it unless it is visible. */
export function selectPageLine(state: ExplorerState, page: ExplorerPage, line: number): ExplorerPage {
  const { length, height } = measurePage(state, page);
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
  return { ...state, page: { ...page, top: limitTop(top, measurePage(state, page)), found } };
}
