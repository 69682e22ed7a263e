import type { EnvelopeOverview } from '#context/replay/overview.js';
import { type Doc, span } from '../doc/doc.js';
import { wrapSpans } from '../doc/text-wrap.js';
import { optionsDoc, systemDoc, toolsDoc } from '../parts/regions-view.js';
import { type Line, linesOfDoc } from './lines.js';
import type { Extent } from './scroll.js';
import { layout, type ExplorerState, type Tab } from './state.js';

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
const made = new WeakMap<EnvelopeOverview, Made>();

/** The lines of a tab other than `messages`, whose lines are built one by one. */
export function tabLines(state: ExplorerState): readonly Line[] {
  const { shown, tab, ruler } = state;
  if (shown?.kind !== 'ready') return [];
  const { overview } = shown;
  const columns = layout(state).envelope;
  const known = made.get(overview);
  if (known?.tab === tab && known.columns === columns) return known.lines;
  const lines = linesOfDoc(docOf(overview, tab).slice(1), columns - 1, ruler)
    .flatMap((line) => wrapSpans(line, columns - 1, ruler))
    .map((line) => [span(' '), ...line]);
  made.set(overview, { tab, columns, lines });
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
