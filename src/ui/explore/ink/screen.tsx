import { Box, Text } from 'ink';
import { visibleLine } from '#base/visible.js';
import { count, percent, plural, shortCount } from '#base/words.js';
import { type Span, span, type Tone } from '../../doc/doc.js';
import { CHANGES, PROMPT } from '../../look.js';
import { argvOf, commandLine } from '../command-line.js';
import type { ScreenProps } from '../full-screen.js';
import { layout } from '../layout.js';
import { type Line, widthOf } from '../lines.js';
import { isPlan, sizeOf } from '../on-plan-key.js';
import { entriesOn, pageExtent, pageLines } from '../page.js';
import { parts } from '../prompt.js';
import { matchingLines } from '../search.js';
import { type ExplorerPage, type ExplorerState, selected } from '../state.js';
import { type Strip, type StripColumn, stripOf } from '../strip.js';
import { foundText, type ScreenView } from '../view.js';
import { LookContext, Pane, Panes, Row, Rule, useLook } from './panes.js';

/** The whole screen. */
export function Screen({ view, style }: ScreenProps<ScreenView>) {
  const { state } = view;
  return (
    <LookContext value={{ style, ruler: state.ruler }}>
      <Box flexDirection="column" width={state.size.columns} height={state.size.rows}>
        <Header state={state} />
        {state.page ? <Page state={state} page={state.page} lines={view.page} /> : <Panes view={view} />}
        {!state.page && <ContextStrip state={state} />}
        <Footer state={state} />
      </Box>
    </LookContext>
  );
}

/** The title, and the file at the right if both fit. */
function Header({ state: { size, known, ruler } }: { readonly state: ExplorerState }) {
  const { style } = useLook();
  const { title, session } = known;
  const entries = plural(session.tree.heads.length, 'entry', 'entries');
  const name = visibleLine(session.file.replace(/^.*[/\\]/, ''));
  return (
    <Box height={1} flexWrap="wrap" justifyContent="space-between" columnGap={2} overflowY="hidden">
      <Text wrap="truncate">{style('strong', ` ${ruler.cutTo(visibleLine(title), size.columns - 1)}`)}</Text>
      <Text>{style('faint', `${name} · ${entries} `)}</Text>
    </Box>
  );
}

interface PageProps {
  readonly state: ExplorerState;
  readonly page: ExplorerPage;
  readonly lines: readonly Line[];
}

function Page({ state, page, lines }: PageProps) {
  const { length, height } = pageExtent(state, page);
  const last = Math.min(length, page.top + height);
  const place = page.isRunning
    ? 'running …'
    : length <= height
      ? ''
      : `${count(page.top + 1)}–${count(last)} of ${count(length)}`;
  return (
    <Box height={height + 1}>
      <Pane
        title={[
          span(page.title, 'strong'),
          span(place === '' ? '' : `  ${place}`, 'faint'),
          span(matchesText(state, page), 'warning'),
        ]}
        lines={lines}
        cells={state.size.columns}
        selected={page.found === null ? null : page.found - page.top}
      />
    </Box>
  );
}

function matchesText(state: ExplorerState, page: ExplorerPage): string {
  if (state.highlight === null || page.found === null) return '';
  return `  ${foundText(state.highlight, matchingLines(pageLines(state, page), state.highlight), page.found)}`;
}

/** The equivalent command, and below it a notice or the keys. */
function Footer({ state }: { readonly state: ExplorerState }) {
  const { footer } = layout(state);
  const command = [span(' $ ', 'faint'), span(visibleLine(commandLine(argvOf(state))), 'faint')];
  const status = statusLine(state);
  const keys = status ?? keysLine(state);
  const lines = footer === 1 ? [keys] : [command, keys];
  return lines.map((line, at) => <Row key={at} line={line} cells={state.size.columns} />);
}

/** The search prompt, the search progress or the notice; null if there is none. */
function statusLine({ prompt, notice, searching, pattern, highlight, question }: ExplorerState): Line | null {
  if (question !== null) return [span(' Append it to the session?', 'warning'), span(ANSWERS, 'strong')];
  if (prompt !== null) {
    const [before, at, after] = parts(prompt);
    return [
      span(' /', 'strong'),
      span(visibleLine(before)),
      { ...span(visibleLine(at)), isInverse: true },
      span(visibleLine(after)),
    ];
  }
  if (searching !== null) {
    const share = `${Math.floor(searching * 100)}%`;
    const goal = highlight === null ? 'an error' : visibleLine(pattern ?? '');
    return [span(` searching for ${goal} … ${share}, Esc cancels`, 'warning')];
  }
  return notice === null ? null : [span(` ${visibleLine(notice)}`, 'warning')];
}

const ANSWERS = '  y yes · n no · q quit and print the command';
const MAIN_KEYS =
  '? help · q quit · / search · e expand · c cache · p prune · x compact · u undo · l loss · d diff · f filter · t log · o pager · y copy id';
const PLAN_KEYS = 'w write it · ';
const SIZE_KEYS = { keep: '+ - keep more, less · ', prune: '+ - prune more, less · ' };
const ENTRY_KEYS = 'Tab select an entry · Enter go to it · ';
const PAGE_KEYS = 'q back · / search · n N next · o pager · Y copy command · ? help';
const DOC_KEYS = PAGE_KEYS.replace('n N', 'r raw · n N');

function keysLine(state: ExplorerState): Line {
  const { page, size, jump, isFromList } = state;
  if (jump !== null) return [span(` ${jump}  then  b cache miss · c compaction · e error`, 'strong')];
  const sizable = page && sizeOf(page);
  const planKeys = page ? `${isPlan(page) ? PLAN_KEYS : ''}${sizable ? SIZE_KEYS[sizable] : ''}` : '';
  const hasEntries = page !== null && entriesOn(state, page).size > 0;
  const pageKeys = page?.content.isRaw === undefined ? (hasEntries ? ENTRY_KEYS : '') + PAGE_KEYS : DOC_KEYS;
  const mainKeys = isFromList ? MAIN_KEYS.replace('q quit', 'q sessions') : MAIN_KEYS;
  const keys = (page ? `${planKeys}${pageKeys}` : mainKeys).split(' · ');
  let text = '';
  for (const key of keys) {
    if (text.length + key.length + 4 > size.columns) break;
    text += `${text === '' ? ' ' : ' · '}${key}`;
  }
  return [span(text, 'faint')];
}

const STEPS = ' ▁▂▃▄▅▆▇█';
const EIGHTH = 8;
const MOST_CELLS_OF_A_REQUEST = 3;

/** The context size along the path as bars, with marks for cache misses and compactions below. */
export function ContextStrip({ state }: { readonly state: ExplorerState }) {
  const { ruler } = useLook();
  const { bars, hasStripTitle } = layout(state);
  if (bars === 0 && !hasStripTitle) return null;
  const { columns: cells } = state.size;
  const room = cells - 2;
  const strip = stripOf(state.known, selected(state), room);
  if (state.isSpoken) return <Rule title={[...titleOf(strip), ...spokenOf(strip)]} cells={cells} />;
  const wide = Math.max(1, Math.min(MOST_CELLS_OF_A_REQUEST, Math.floor(room / Math.max(1, strip.columns.length))));
  const title = [...titleOf(strip), ...LEGEND];
  const hasRoom = strip.requests > 0 && widthOf(title, ruler) + AROUND_TITLE <= cells;
  return (
    <Box flexDirection="column">
      {hasStripTitle && <Rule title={hasRoom ? title : titleOf(strip)} cells={cells} />}
      {Array.from({ length: bars }, (_, at) => (
        <Row key={at} line={barLine(strip, bars - at - 1, bars, wide)} cells={cells} />
      ))}
      <Row line={axisLine(strip, wide)} cells={cells} />
    </Box>
  );
}

/** The words for the column of the selected request. */
function spokenOf({ columns }: Strip): Line {
  const column = columns.find(({ isSelected }) => isSelected);
  if (!column || column.prompt === 0) return [];
  const words = [
    `${percent(column.cacheRead, column.prompt)} ${PROMPT.cached.title}`,
    column.isRebilled && 'cache miss',
    column.isCompacted && 'compacted before',
  ];
  return [span(words.map((word) => (word ? `, ${word}` : '')).join(''))];
}

function titleOf({ requests, number, tokens }: Strip): Line {
  if (requests === 0) return [span('Context'), span(' no request yet', 'faint')];
  const much = tokens === 0 ? 'size not recorded' : shortCount(tokens);
  return [span('Context'), span(` ${much} at request ${count(number)} of ${count(requests)}`, 'faint')];
}

const AROUND_TITLE = 3;

const LEGEND: Line = [
  span('  '),
  span(PROMPT.cached.sign, PROMPT.cached.tone),
  span(` ${PROMPT.cached.title} `, 'faint'),
  span(PROMPT.fresh.sign, PROMPT.fresh.tone),
  span(` ${PROMPT.fresh.title} `, 'faint'),
  span(`${PROMPT.again.sign}!`, PROMPT.again.tone),
  span(` ${PROMPT.again.title} `, 'faint'),
  span(CHANGES.compaction.sign, 'warning'),
  span(' compacted', 'faint'),
];

function barLine({ columns }: Strip, level: number, bars: number, wide: number): Line {
  const top = columns.reduce((most, { prompt }) => Math.max(most, prompt), 1);
  const spans = columns.map((column): Span => {
    const { prompt, cacheRead, isRebilled } = column;
    const eighths = prompt === 0 ? 0 : Math.max(1, Math.round((prompt / top) * bars * EIGHTH));
    const here = Math.max(0, Math.min(EIGHTH, eighths - level * EIGHTH));
    const isCached = (cacheRead / top) * bars >= level + here / EIGHTH / 2;
    const { sign, tone } = PROMPT[isCached ? 'cached' : isRebilled ? 'again' : 'fresh'];
    return span((here === EIGHTH ? sign : (STEPS[here] ?? ' ')).repeat(wide), tone);
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

function signOf({ isSelected, isCompacted, isRebilled }: StripColumn): readonly [string, Tone] {
  if (isSelected) return ['▲', 'strong'];
  if (isCompacted) return [CHANGES.compaction.sign, 'warning'];
  return isRebilled ? ['!', PROMPT.again.tone] : ['─', 'faint'];
}

/** Joins neighbours of the same tone. */
function joined(spans: readonly Span[]): readonly Span[] {
  const pieces: Span[] = [];
  for (const { text, tone } of spans) {
    const last = pieces.at(-1);
    if (last?.tone === tone) pieces[pieces.length - 1] = span(last.text + text, tone);
    else pieces.push(span(text, tone));
  }
  return pieces;
}
