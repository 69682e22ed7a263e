import { count, shortCount } from '#base/words.js';
import { type Span, span, type Tone } from '../doc/doc.js';
import { fitted, type Line, widthOf } from './lines.js';
import { rule } from './rule.js';
import { layout, selected, type State } from './state.js';
import { type Column, type Strip, stripOf } from './strip.js';

const STEPS = ' ▁▂▃▄▅▆▇█';
const EIGHTH = 8;
const MOST_CELLS_OF_A_REQUEST = 3;

/** The size of the context along the path, in bars, and below them what happened to it. */
export function stripLines(state: State): readonly Line[] {
  const { bars, hasStripTitle } = layout(state);
  if (bars === 0) return [];
  const { columns: cells } = state.size;
  const room = cells - 2;
  const strip = stripOf(state.known, selected(state), room);
  const wide = Math.max(1, Math.min(MOST_CELLS_OF_A_REQUEST, Math.floor(room / Math.max(1, strip.columns.length))));
  const lines = Array.from({ length: bars }, (_, at) => barLine(strip, bars - at - 1, bars, wide));
  return [
    ...(hasStripTitle ? [rule(titleOf(strip, state), cells, state)] : []),
    ...[...lines, axisLine(strip, wide)].map((line) => fitted(line, cells, state.ruler)),
  ];
}

function titleOf({ requests, number, tokens }: Strip, { size: { columns }, ruler }: State): Line {
  if (requests === 0) return [span('Context'), span(' no request yet', 'faint')];
  const much = tokens === 0 ? 'size not recorded' : shortCount(tokens);
  const title = [span('Context'), span(` ${much} at request ${count(number)} of ${count(requests)}`, 'faint')];
  const legend = [
    span('  '),
    span(FULL.cached, TONES.cached),
    span(' cached ', 'faint'),
    span(FULL.new, TONES.new),
    span(' new ', 'faint'),
    span(`${FULL.rebilled}!`, TONES.rebilled),
    span(' cache miss ', 'faint'),
    span('C', 'warning'),
    span(' compacted', 'faint'),
  ];
  const all = [...title, ...legend];
  return widthOf(all, ruler) + AROUND_TITLE <= columns ? all : title;
}

const AROUND_TITLE = 3;

type Kind = 'cached' | 'new' | 'rebilled';

const TONES: Readonly<Record<Kind, Tone>> = { cached: 'good', new: 'system', rebilled: 'error' };
/** A full cell of each kind, as in `ctx cache --chart`: they differ without colours, too. */
const FULL: Readonly<Record<Kind, string>> = { cached: '█', new: '▒', rebilled: '░' };

function barLine({ columns }: Strip, level: number, bars: number, wide: number): Line {
  const top = columns.reduce((most, { prompt }) => Math.max(most, prompt), 1);
  const spans = columns.map((column): Span => {
    const { prompt, cacheRead, isRebilled } = column;
    const eighths = prompt === 0 ? 0 : Math.max(1, Math.round((prompt / top) * bars * EIGHTH));
    const here = Math.max(0, Math.min(EIGHTH, eighths - level * EIGHTH));
    const isCached = (cacheRead / top) * bars >= level + here / EIGHTH / 2;
    const kind = isCached ? 'cached' : isRebilled ? 'rebilled' : 'new';
    return span((here === EIGHTH ? FULL[kind] : (STEPS[here] ?? ' ')).repeat(wide), TONES[kind]);
  });
  return [span(' '), ...joined(spans)];
}

function axisLine({ columns }: Strip, wide: number): Line {
  const spans = columns.map((column) => {
    const [sign, tone] = signOf(column);
    return span(sign + '─'.repeat(wide - 1), tone);
  });
  return [span(' '), ...joined(spans)];
}

function signOf({ isSelected, isCompacted, isRebilled }: Column): readonly [string, Tone] {
  if (isSelected) return ['▲', 'strong'];
  if (isCompacted) return ['C', 'warning'];
  return isRebilled ? ['!', TONES.rebilled] : ['─', 'faint'];
}

/** Neighbours of one tone are one piece. */
function joined(spans: readonly Span[]): readonly Span[] {
  const pieces: Span[] = [];
  for (const { text, tone } of spans) {
    const last = pieces.at(-1);
    if (last?.tone === tone) pieces[pieces.length - 1] = span(last.text + text, tone);
    else pieces.push(span(text, tone));
  }
  return pieces;
}
