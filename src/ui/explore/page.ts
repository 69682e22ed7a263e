import { wrapSpans } from '../doc/text-wrap.js';
import { type Line, plainText } from './lines.js';
import type { Extent } from './scroll.js';
import { layout, type ExplorerPage, type ExplorerState } from './state.js';

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
