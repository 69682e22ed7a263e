import { count, percent, plural } from '#base/words.js';
import { type Span, span, type Tone } from '../../doc/doc.js';
import { joined } from '../../doc/text-line.js';
import { CHANGES, PROMPT } from '../../look.js';
import { shortSizeText } from '../../parts/size-words.js';
import { layout } from '../layout.js';
import { type Line } from '../lines.js';
import type { ExplorerState } from '../state.js';
import { type Strip, type StripColumn, stripOn } from '../strip.js';
import { Pane, Rule, useLook } from './panes.js';

const STEPS = ' ▁▂▃▄▅▆▇█';
const EIGHTH = 8;

/** The context size along the path as bars, with marks for cache breaks and compactions below. */
export function ContextStrip({ state }: { readonly state: ExplorerState }) {
  const { ruler } = useLook();
  const { bars, hasStripTitle } = layout(state);
  if (bars === 0 && !hasStripTitle) return null;
  const { columns: cells } = state.size;
  const strip = stripOn(state);
  const place = titleOf(strip);
  if (state.isSpoken) return <Rule title={[...place, ...spokenOf(strip)]} cells={cells} />;
  const title = [...place, ...LEGEND];
  const hasRoom = strip.requests > 0 && ruler.widthOf(joined(title)) + AROUND_TITLE <= cells;
  const lines = Array.from({ length: bars }, (_, at) => barLine(strip, bars - at - 1, bars));
  return (
    <Pane title={hasStripTitle ? (hasRoom ? title : place) : null} lines={[...lines, axisLine(strip)]} cells={cells} />
  );
}

/** The words for the column of the selected request. */
function spokenOf({ columns }: Strip): Line {
  const column = columns.find(({ isSelected }) => isSelected);
  if (!column || column.prompt === 0) return [];
  const words = [
    `${percent(column.cacheRead, column.prompt)} ${PROMPT.cached.title}`,
    column.isBreak && 'cache break',
    column.isCompacted && 'compacted before',
  ];
  return [span(words.map((word) => (word ? `, ${word}` : '')).join(''))];
}

function titleOf({ requests, number, context, compared }: Strip): Line {
  if (requests === 0) return [span('Context'), span(' no request yet', 'faint')];
  const size = context === null ? '' : ` ${shortSizeText(context)}`;
  const place =
    number === 0
      ? `before the first of ${plural(requests, 'request')}`
      : `at request ${count(number)} of ${count(requests)}`;
  return [
    span('Context'),
    span(`${size} ${place}`, 'faint'),
    span(compared > 0 && compared < 1 ? ` finding cache breaks ${percent(compared, 1)}` : '', 'warning'),
  ];
}

const AROUND_TITLE = 3;

const LEGEND: Line = [
  span('  '),
  ...(['cached', 'fresh', 'again'] as const).flatMap((kind) => [
    span(`${PROMPT[kind].sign}${kind === 'again' ? '!' : ''}`, PROMPT[kind].tone),
    span(` ${PROMPT[kind].title} `, 'faint'),
  ]),
  span(CHANGES.compaction.sign, 'warning'),
  span(' compacted', 'faint'),
];

function barLine({ columns, wide }: Strip, level: number, bars: number): Line {
  const top = columns.reduce((most, { prompt }) => Math.max(most, prompt), 1);
  const spans = columns.map((column): Span => {
    const { prompt, cacheRead, isBreak } = column;
    const eighths = prompt === 0 ? 0 : Math.max(1, Math.round((prompt / top) * bars * EIGHTH));
    const here = Math.max(0, Math.min(EIGHTH, eighths - level * EIGHTH));
    const isCached = (cacheRead / top) * bars >= level + here / EIGHTH / 2;
    const { sign, tone } = PROMPT[isCached ? 'cached' : isBreak ? 'again' : 'fresh'];
    return span((here === EIGHTH ? sign : (STEPS[here] ?? ' ')).repeat(wide), tone);
  });
  return [span(' '), ...merged(spans)];
}

function axisLine({ columns, wide }: Strip): Line {
  const spans = columns.map((column) => {
    const [sign, tone] = signOf(column);
    return span(sign + '─'.repeat(wide - 1), tone);
  });
  return [span(' '), ...merged(spans)];
}

function signOf({ isSelected, isCompacted, isBreak }: StripColumn): readonly [string, Tone] {
  if (isSelected) return ['▲', 'strong'];
  if (isCompacted) return [CHANGES.compaction.sign, 'warning'];
  return isBreak ? ['!', PROMPT.again.tone] : ['─', 'faint'];
}

/** Joins neighbours of the same tone. */
function merged(spans: readonly Span[]): readonly Span[] {
  const pieces: Span[] = [];
  for (const { text, tone } of spans) {
    const last = pieces.at(-1);
    if (last?.tone === tone) pieces[pieces.length - 1] = span(last.text + text, tone);
    else pieces.push(span(text, tone));
  }
  return pieces;
}
