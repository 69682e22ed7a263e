import { Box } from 'ink';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { toVisibleLine } from '#base/visible.js';
import { span } from '../../doc/doc.js';
import { joinSpans, wrapSpans } from '../../doc/spans.js';
import { buildViewArgv, formatCommand } from '../command-line.js';
import type { ScreenProps } from '../full-screen.js';
import { findMatchingLines } from '../highlight.js';
import { divideScreen } from '../layout.js';
import type { ScreenLine } from '../lines.js';
import { findEntriesOnPage, listPageLines, measurePage } from '../page.js';
import { describeReadOnly, findPlanSize, isPlanPage } from '../plan-page.js';
import { renderPrompt } from '../prompt.js';
import type { ExplorerPage, ExplorerState } from '../state.js';
import { formatMatchCount, type ScreenView } from '../view.js';
import { LookContext, Pane, Panes, ScreenRow } from './panes.js';
import { ContextStrip } from './strip.js';

export function Screen({ view }: ScreenProps<ScreenView>) {
  const { state } = view;
  return (
    <LookContext value={state.look}>
      <Box flexDirection="column" width={state.size.columns} height={state.size.rows}>
        <Header state={state} />
        {state.page ? <Page view={view} page={state.page} /> : <Panes view={view} />}
        {!state.page && <ContextStrip state={state} />}
        <Footer state={state} />
      </Box>
    </LookContext>
  );
}

/** The title, and the file at the right if both fit. */
function Header({ state: { size, sessionIndex, look } }: { readonly state: ExplorerState }) {
  const { title, session } = sessionIndex;
  const name = toVisibleLine(session.file.replace(/^.*[/\\]/, ''));
  const heading = span(` ${toVisibleLine(title)}`, 'strong');
  const file = span(`${name} · ${pluralize(session.tree.heads.length, 'entry', 'entries')} `, 'faint');
  const rest = size.columns - look.ruler.widthOf(joinSpans([heading, file]));
  return <ScreenRow line={rest < 2 ? [heading] : [heading, span(' '.repeat(rest)), file]} cells={size.columns} />;
}

function Page({ view: { state, page: lines }, page }: ScreenProps<ScreenView> & { readonly page: ExplorerPage }) {
  const { length, height } = measurePage(state, page);
  const last = Math.min(length, page.top + height);
  const shown = `${formatCount(page.top + 1)}–${formatCount(last)} of ${formatCount(length)}`;
  const placeOfLines = length <= height ? '' : shown;
  const place = page.isRunning ? 'running …' : placeOfLines;
  return (
    <Box height={height + 1}>
      <Pane
        title={[
          span(page.title, 'strong'),
          span(place === '' ? '' : `  ${place}`, 'faint'),
          span(formatMatches(state, page), 'warning'),
        ]}
        lines={lines}
        cells={state.size.columns}
        selected={page.found === null ? null : page.found - page.top}
      />
    </Box>
  );
}

function formatMatches(state: ExplorerState, page: ExplorerPage): string {
  if (state.highlight === null || page.found === null) return '';
  return `  ${formatMatchCount(state.highlight, findMatchingLines(listPageLines(state, page), state.highlight), page.found)}`;
}

/** The equivalent command, and below it a notice or the keys. A long notice needs both lines. */
function Footer({ state }: { readonly state: ExplorerState }) {
  const { footer } = divideScreen(state);
  const command = [span(' $ ', 'faint'), span(toVisibleLine(formatShortCommand(state)), 'faint')];
  const status = renderStatus(state) ?? renderKeys(state);
  const isWhole = footer === 1 || state.prompt !== null || state.notice === null;
  const wrapped = isWhole ? [status] : wrapSpans(status, state.size.columns, state.look.ruler);
  const lines = wrapped.length > 1 ? wrapped.slice(0, footer) : [command, ...wrapped].slice(-footer);
  return <Pane title={null} lines={lines} cells={state.size.columns} />;
}

/** The equivalent command, in which the session has its short name. */
function formatShortCommand(state: ExplorerState): string {
  const argv = buildViewArgv(state);
  const { file } = state.sessionIndex.session;
  const { names } = state.look;
  if (!names) return formatCommand(argv);
  return ['ctx', ...argv].map((word) => (word === file ? names.findHandle(file) : toShellWord(word))).join(' ');
}

/** The search prompt, the search progress or the notice; null if there is none. */
function renderStatus({ prompt, notice, searching, pattern, highlight, question }: ExplorerState): ScreenLine | null {
  if (question !== null) return [span(' Append it to the session?', 'warning'), span(ANSWERS, 'strong')];
  if (prompt !== null) return renderPrompt(' /', prompt);
  if (searching !== null) {
    const share = `${Math.floor(searching * 100)}%`;
    const goal = highlight === null ? 'an error' : toVisibleLine(pattern ?? '');
    return [span(` searching for ${goal} … ${share}, Esc cancels`, 'warning')];
  }
  return notice === null ? null : [span(` ${toVisibleLine(notice)}`, 'warning')];
}

const ANSWERS = '  y yes · n no · q quit and print the command';

function renderKeys(state: ExplorerState): ScreenLine {
  const { page, size, jump } = state;
  if (jump !== null) return [span(` ${jump}  then  b cache break · c compaction · e error`, 'strong')];
  const keys = page ? listPageKeys(state, page) : listMainKeys(state);
  let text = '';
  for (const key of keys.split(SEPARATOR)) {
    if (text.length + key.length + 4 > size.columns) break;
    text += `${text === '' ? ' ' : SEPARATOR}${key}`;
  }
  return [span(text, 'faint')];
}

const SEPARATOR = ' · ';

/** The keys of list and envelope, the most useful first. */
function listMainKeys(state: ExplorerState): string {
  const { list, envelope } = divideScreen(state);
  const other = list > 0 && envelope > 0 ? '' : ` · Tab ${list > 0 ? 'envelope' : 'list'}`;
  return (
    `? help · q ${state.isFromList ? 'sessions' : 'quit'}${other} · / search · c cache · l loss · p prune · ` +
    'x compact · u undo · e expand · d diff · f filter · t log · o pager · y copy id'
  );
}

function listPageKeys(state: ExplorerState, page: ExplorerPage): string {
  const keys = [
    'q back · ? help',
    isPlanPage(page) &&
      (describeReadOnly(state.sessionIndex.session) === null ? 'w write it' : 'w why it is read-only'),
    findPlanSize(page)?.keys,
    findEntriesOnPage(state, page).size > 0 && 'Tab select an entry · Enter go to it',
    page.content.isRaw !== undefined && 'r raw',
    '/ search · n N next · o pager · Y copy command',
  ];
  return keys.filter((key) => key).join(SEPARATOR);
}
