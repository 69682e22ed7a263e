import { visibleLine } from '#base/visible.js';
import { count, percent, plural, shortCount } from '#base/words.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { span, type Tone } from '../doc/doc.js';
import { messageRow } from '../parts/overview.js';
import { shortSizeText } from '../parts/size-words.js';
import { argvOf, commandLine, revisionOf } from './command-line.js';
import { listLines, listTitle, underCursor } from './draw-list.js';
import { stripLines } from './draw-strip.js';
import { apart, fitted, inverse, type Line, rule } from './lines.js';
import { insideExtent, pageExtent, pageLines, tabLines } from './page.js';
import { layout, type ExplorerPage, type Shown, type ExplorerState, TABS } from './state.js';

/** A pane of the screen. Each of its lines has the pane's width. */
interface Pane {
  readonly columns: number;
  readonly lines: readonly Line[];
}

/** The screen's lines from top to bottom. The panes are side by side. */
export interface Screen {
  readonly top: readonly Line[];
  readonly panes: readonly Pane[];
  readonly bottom: readonly Line[];
}

/** Draws a state. Reads only the entries that are visible. */
export function draw(state: ExplorerState): Screen {
  state.known.previews.start();
  const { columns } = state.size;
  const top = [header(state)];
  const bottom = footer(state);
  if (state.page) return { top, panes: [{ columns, lines: drawPage(state, state.page) }], bottom };
  return { top, panes: panes(state), bottom: [...stripLines(state), ...bottom] };
}

function panes(state: ExplorerState): readonly Pane[] {
  const { list, envelope, body } = layout(state);
  const both = list > 0 && envelope > 0;
  const left = { columns: list, lines: [rule(listTitle(state), list, state), ...listLines(state)] };
  if (envelope === 0) return [left];
  const right = { columns: envelope, lines: [rule(envelopeTitle(state), envelope, state), ...envelopeLines(state)] };
  if (!both) return [right];
  const edge = [[span('┬', 'faint')], ...Array.from({ length: body }, () => [span('│', 'faint')])];
  return [left, { columns: 1, lines: edge }, right];
}

function header({ size, ruler, known: { title, session } }: ExplorerState): Line {
  const entries = plural(session.tree.heads.length, 'entry', 'entries');
  const name = session.file.replace(/^.*[/\\]/, '');
  const about = `${visibleLine(name)} · ${entries} `;
  return fitted(
    apart([span(` ${visibleLine(title)}`, 'strong')], [span(about, 'faint')], size.columns, ruler),
    size.columns,
    ruler,
  );
}

function drawPage(state: ExplorerState, page: ExplorerPage): readonly Line[] {
  const { size, ruler } = state;
  const { length, height: shown } = pageExtent(state, page);
  const last = Math.min(length, page.top + shown);
  const place = page.isRunning
    ? 'running …'
    : length <= shown
      ? ''
      : `${count(page.top + 1)}–${count(last)} of ${count(length)}`;
  const title = [span(page.title, 'strong'), span(place === '' ? '' : `  ${place}`, 'faint')];
  const lines = pageLines(state, page);
  const body = Array.from({ length: shown }, (_, at) => {
    const line = fitted(lines[page.top + at] ?? [], size.columns, ruler);
    return page.top + at === page.found ? inverse(line) : line;
  });
  return [rule(title, size.columns, state), ...body];
}

/** The equivalent command, and below it a notice or the keys. */
function footer(state: ExplorerState): readonly Line[] {
  const { size, ruler } = state;
  const { footer: lines } = layout(state);
  const command = [span(' $ ', 'faint'), span(visibleLine(commandLine(argvOf(state))), 'faint')];
  const said = statusLine(state);
  const shown = lines === 1 ? [said ?? command] : [command, said ?? keysLine(state)];
  return shown.map((line) => fitted(line, size.columns, ruler));
}

/** The search prompt, the search progress or the notice; null if there is none. */
function statusLine({ prompt, notice, searching, pattern }: ExplorerState): Line | null {
  if (prompt !== null) return [span(' /', 'strong'), span(visibleLine(prompt)), span('█', 'faint')];
  if (searching !== null) {
    const share = `${Math.floor(searching * 100)}%`;
    return [span(` searching for ${visibleLine(pattern ?? '')} … ${share}, Esc cancels`, 'warning')];
  }
  return notice === null ? null : [span(` ${visibleLine(notice)}`, 'warning')];
}

const MAIN_KEYS =
  '? help · / search · f filter · t log · e expand · d diff · c cache · l loss · p prune · x compact · y copy id · o pager · q quit';
/** The explorer itself never writes to the session. */
const PLAN_KEYS = 'w quit and print the command to write it · ';
const PAGE_KEYS = 'q back · / search · n N next · o pager · Y copy command · ? help';

function keysLine({ page, size }: ExplorerState): Line {
  const isPlan = page?.argv?.includes('--dry-run') ?? false;
  const keys = (page ? `${isPlan ? PLAN_KEYS : ''}${PAGE_KEYS}` : MAIN_KEYS).split(' · ');
  let text = '';
  for (const key of keys) {
    if (text.length + key.length + 4 > size.columns) break;
    text += `${text === '' ? ' ' : ' · '}${key}`;
  }
  return [span(text, 'faint')];
}

function envelopeTitle(state: ExplorerState): Line {
  const { tab, focus, shown, known, building } = state;
  const names = TABS.flatMap((name) => [
    span(name, name !== tab ? 'faint' : focus === 'envelope' ? 'strong' : 'plain'),
    span(' '),
  ]);
  const at = shown && revisionOf(known, shown.index);
  const tokens = shown?.kind === 'ready' ? ` ${usedText(shown.overview.meta)}` : '';
  return [
    ...names,
    span(building === null ? '' : `loading ${percent(building, 1)} `, 'warning'),
    span(at === null ? '' : visibleLine(at).slice(0, LONGEST_ID), 'id'),
    span(tokens, 'faint'),
  ];
}

const LONGEST_ID = 12;

/** `~139k`, or `~139k of 200k` where the context window is known. */
function usedText({ size, limit }: EnvelopeOverview['meta']): string {
  return `${shortSizeText(size)}${limit === null ? '' : ` of ${shortCount(limit)}`}`;
}

/** The visible lines of the envelope, each as wide as the pane. */
function envelopeLines(state: ExplorerState): readonly Line[] {
  const { shown, ruler } = state;
  const { envelope: cells, body } = layout(state);
  const lines = shown === null ? [] : linesOf(state, shown);
  return Array.from({ length: body }, (_, at) => fitted(lines[at] ?? [], cells, ruler));
}

function linesOf(state: ExplorerState, shown: Shown): readonly Line[] {
  const { tab, inside } = state;
  const { body } = layout(state);
  if (shown.kind === 'failed') return [[span(` ${visibleLine(shown.message)}`, 'error')]];
  if (tab !== 'messages') return tabLines(state).slice(inside.top, inside.top + body);
  const { length } = insideExtent(state);
  if (length === 0) return [[span(' no messages', 'faint')]];
  const last = Math.min(length, inside.top + body);
  return Array.from({ length: last - inside.top }, (_, at) => messageLine(state, shown, inside.top + at));
}

function messageLine(state: ExplorerState, { overview }: Extract<Shown, { kind: 'ready' }>, index: number): Line {
  const { ruler, inside, focus } = state;
  const { envelope: cells } = layout(state);
  const { length } = insideExtent(state);
  const [number, role, id, tokens, preview] = messageRow(overview.messages, index);
  if (!number || !role || !id || !tokens || !preview) return [];
  const line = fitted(
    [
      span(` ${number.text.padStart(String(length).length)} `, 'faint'),
      span(`${visibleLine(role.text).padEnd(10)} `, TONES[role.text] ?? 'plain'),
      span(cells >= WIDE ? visibleLine(id.text).slice(0, 8).padEnd(9) : '', 'id'),
      span(`${tokens.text.padStart(6)} `, 'faint'),
      span(visibleLine(preview.text)),
    ],
    cells,
    ruler,
  );
  return index === inside.cursor && focus === 'envelope' ? underCursor(line, true) : line;
}

/** The minimum width in cells of an envelope with ids. */
const WIDE = 56;

/** The tones of roles, as in the list of entries. */
const TONES: Readonly<Record<string, Tone>> = { user: 'messages', assistant: 'strong', toolResult: 'tools' };
