import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { type Span, span } from '../../doc/doc.js';
import { joinSpans } from '../../doc/spans.js';
import { CONTEXT_CHANGES, PROMPT_PARTS } from '../../palette.js';
import { formatShortSize } from '../../parts/size-words.js';
import { divideScreen } from '../layout.js';
import { type ScreenLine } from '../lines.js';
import type { ExplorerState } from '../state.js';
import { buildScreenStrip, type Strip, type StripColumn } from '../strip.js';
import { Pane, TitleRule, useLook } from './panes.js';

const STEPS = ' ▁▂▃▄▅▆▇█';
const EIGHTH = 8;

/** The context size along the path as bars, with marks for cache breaks and compactions below. */
export function ContextStrip({ state }: { readonly state: ExplorerState }) {
  const { ruler } = useLook();
  const { bars, hasStripTitle } = divideScreen(state);
  if (bars === 0 && !hasStripTitle) return null;
  const { columns: cells } = state.size;
  const strip = buildScreenStrip(state);
  const place = renderTitle(strip);
  if (state.isSpoken) return <TitleRule title={[...place, ...describeColumn(strip)]} cells={cells} />;
  const title = [...place, ...LEGEND];
  const hasRoom = strip.requests > 0 && ruler.widthOf(joinSpans(title)) + AROUND_TITLE <= cells;
  const lines = Array.from({ length: bars }, (_, at) => renderBars(strip, bars - at - 1, bars));
  const shownTitle = hasRoom ? title : place;
  return <Pane title={hasStripTitle ? shownTitle : null} lines={[...lines, renderAxis(strip)]} cells={cells} />;
}

/** The words for the column of the selected request. */
function describeColumn({ columns }: Strip): ScreenLine {
  const column = columns.find(({ isSelected }) => isSelected);
  if (!column || column.prompt === 0) return [];
  const words = [
    `${formatPercent(column.cacheRead, column.prompt)} ${PROMPT_PARTS.cached.title}`,
    column.isBreak && 'cache break',
    column.isCompacted && 'compacted before',
  ];
  return [span(words.map((word) => (word ? `, ${word}` : '')).join(''))];
}

function renderTitle({ requests, number, context, compared }: Strip): ScreenLine {
  if (requests === 0) return [span('Context'), span(' no request yet', 'faint')];
  const size = context === null ? '' : ` ${formatShortSize(context)}`;
  const place =
    number === 0
      ? `before the first of ${pluralize(requests, 'request')}`
      : `at request ${formatCount(number)} of ${formatCount(requests)}`;
  return [
    span('Context'),
    span(`${size} ${place}`, 'faint'),
    span(compared > 0 && compared < 1 ? ` finding cache breaks ${formatPercent(compared, 1)}` : '', 'warning'),
  ];
}

const AROUND_TITLE = 3;

const LEGEND: ScreenLine = [
  span('  '),
  ...(['cached', 'fresh', 'again'] as const).flatMap((kind) => [
    span(`${PROMPT_PARTS[kind].sign}${kind === 'again' ? '!' : ''}`, PROMPT_PARTS[kind].tone),
    span(` ${PROMPT_PARTS[kind].title} `, 'faint'),
  ]),
  span(CONTEXT_CHANGES.compaction.sign, 'warning'),
  span(' compacted', 'faint'),
];

function renderBars({ columns, wide }: Strip, level: number, bars: number): ScreenLine {
  const top = columns.reduce((most, { prompt }) => Math.max(most, prompt), 1);
  const spans = columns.map((column): Span => {
    const { prompt, cacheRead, isBreak } = column;
    const eighths = prompt === 0 ? 0 : Math.max(1, Math.round((prompt / top) * bars * EIGHTH));
    const here = Math.max(0, Math.min(EIGHTH, eighths - level * EIGHTH));
    const isCached = (cacheRead / top) * bars >= level + here / EIGHTH / 2;
    const uncached = isBreak ? 'again' : 'fresh';
    const { sign, tone } = PROMPT_PARTS[isCached ? 'cached' : uncached];
    return span((here === EIGHTH ? sign : (STEPS[here] ?? ' ')).repeat(wide), tone);
  });
  return [span(' '), ...mergeSpans(spans)];
}

function renderAxis({ columns, wide }: Strip): ScreenLine {
  const spans = columns.map((column) => {
    const sign = chooseSign(column);
    return { ...sign, text: sign.text + '─'.repeat(wide - 1) };
  });
  return [span(' '), ...mergeSpans(spans)];
}

/** The sign of a request below its bar. */
function chooseSign({ isSelected, isCompacted, isBreak }: StripColumn): Span {
  if (isSelected) return span('▲', 'strong');
  if (isCompacted) return span(CONTEXT_CHANGES.compaction.sign, 'warning');
  return isBreak ? span('!', PROMPT_PARTS.again.tone) : span('─', 'faint');
}

/** Joins neighbours of the same tone. */
function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const pieces: Span[] = [];
  for (const { text, tone } of spans) {
    const last = pieces.at(-1);
    if (last?.tone === tone) pieces[pieces.length - 1] = span(last.text + text, tone);
    else pieces.push(span(text, tone));
  }
  return pieces;
}
