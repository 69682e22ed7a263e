import type { EnvelopeOverview } from '#context/replay/overview.js';
import { type Doc, span } from '../doc/doc.js';
import { wrapSpans } from '../doc/text-line.js';
import { optionsDoc, systemDoc, toolsDoc } from '../parts/regions-view.js';
import { type Line, linesOfDoc, plainText } from './lines.js';
import type { Extent } from './scroll.js';
import { type ExplorerPage, type ExplorerState, layout, type Tab } from './state.js';

interface Wrapped {
  readonly columns: number;
  readonly lines: readonly Line[];
}

/** The lines wrapped last, which every key needs again. */
const made = new WeakMap<readonly Line[], Wrapped>();

/** The lines of a page as wide as the screen. */
export function pageLines({ size: { columns }, ruler }: ExplorerState, { lines }: ExplorerPage): readonly Line[] {
  const known = made.get(lines);
  if (known?.columns === columns) return known.lines;
  const all = lines.flatMap((line) => wrapSpans(line, columns, ruler));
  made.set(lines, { columns, lines: all });
  return all;
}

/** The number of lines of a page, and the number that fit below its title. */
export function pageExtent(state: ExplorerState, page: ExplorerPage): Extent {
  return { length: pageLines(state, page).length, height: Math.max(1, layout(state).page - 1) };
}

/** The next line that matches, with a wrap-around at the end; null if there is none. */
export function matchInPage(
  state: ExplorerState,
  page: ExplorerPage,
  { pattern, step }: { pattern: RegExp; step: 1 | -1 },
): number | null {
  const lines = pageLines(state, page);
  const from = page.found ?? page.top - step;
  for (let count = 1; count <= lines.length; count += 1) {
    const at = (from + step * count + lines.length * 2) % lines.length;
    if (pattern.test(plainText(lines[at] ?? []))) return at;
  }
  return null;
}

/** The number of lines of the open tab, and the number that fit. */
export function insideExtent(state: ExplorerState): Extent {
  const { shown, tab } = state;
  const { body: height } = layout(state);
  if (shown?.kind !== 'ready') return { length: 0, height };
  const { cached, uncached } = shown.overview.messages;
  return { length: tab === 'messages' ? cached.length + uncached.length : tabLines(state).length, height };
}

interface Made {
  readonly tab: Tab;
  readonly columns: number;
  readonly lines: readonly Line[];
}

/** The lines built last for an envelope, which every key needs again. */
const madeTabs = new WeakMap<EnvelopeOverview, Made>();

/** The lines of a tab other than `messages`, whose lines are built one by one. */
export function tabLines(state: ExplorerState): readonly Line[] {
  const { shown, tab, ruler } = state;
  if (shown?.kind !== 'ready') return [];
  const { overview } = shown;
  const columns = layout(state).envelope;
  const known = madeTabs.get(overview);
  if (known?.tab === tab && known.columns === columns) return known.lines;
  const lines = linesOfDoc(docOf(overview, tab).slice(1), columns - 1, ruler)
    .flatMap((line) => wrapSpans(line, columns - 1, ruler))
    .map((line) => [span(' '), ...line]);
  madeTabs.set(overview, { tab, columns, lines });
  return lines;
}

/** The document of a tab. Its first block is a title, which the tab repeats. */
function docOf(overview: EnvelopeOverview, tab: Tab): Doc {
  switch (tab) {
    case 'system':
      return systemDoc(overview, true);
    case 'tools':
      return toolsDoc(overview, { isFull: true });
    case 'options':
      return optionsDoc(overview);
    case 'messages':
      return [];
  }
}
