import type { PromptUsage } from '#analysis/cache/recorded-answer.js';
import { formatCount, formatPercent, formatShortCount } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import { toVisibleLine } from '#base/visible.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { nameEntry } from '#context/words/entry-text.js';
import { formatId } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { type Span, span } from '../doc/doc.js';
import { buildMessageRow } from '../parts/message-list.js';
import { formatShortSize } from '../parts/size-words.js';
import { findStray, nameTone, previewTone } from '../parts/tree-view.js';
import { findRevision } from './command-line.js';
import { highlightMatches } from './highlight.js';
import { divideScreen } from './layout.js';
import type { ScreenLine } from './lines.js';
import { listPageLines, measurePage } from './page.js';
import { type ExplorerState, type ShownEnvelope, TABS } from './state.js';
import { listTabLines, measureTab } from './tab.js';

/** A state with what its screen shows of the session. */
export type ScreenView = ReturnType<typeof readView>;

/** Reads what a screen shows of the session: only the visible entries and messages. Throws if the file has changed. */
export function readView(state: ExplorerState) {
  const { list, envelope } = divideScreen(state);
  const { page } = state;
  state.sessionIndex.previews.start();
  const highlight = (lines: readonly ScreenLine[]): readonly ScreenLine[] =>
    highlightMatches(lines, state.prompt?.text || state.highlight);
  const pageLines = page ? listPageLines(state, page).slice(page.top, page.top + measurePage(state, page).height) : [];
  return {
    state,
    /** The visible rows of the list. */
    rows: page || list === 0 ? [] : highlight(renderEntryLines(state)),
    /** The visible lines of the envelope. */
    inside: page || envelope === 0 ? [] : highlight(renderEnvelopeLines(state)),
    /** The visible lines of the page. */
    page: highlight(pageLines),
  };
}

export function renderEnvelopeTitle(state: ExplorerState): ScreenLine {
  const { tab, shown, sessionIndex, building } = state;
  const names = TABS.flatMap((name) => {
    const isOpen = name === tab;
    // Inverse cells are visible without colours.
    return [{ ...span(name, isOpen ? 'plain' : 'faint'), isInverse: isOpen }, span(' ')];
  });
  const at = shown && findRevision(sessionIndex, shown.index);
  const id = at === null ? '' : toVisibleLine(at).slice(0, LONGEST_ID);
  const room = divideScreen(state).envelope - EDGE - names.reduce((sum, { text }) => sum + text.length, 0);
  const meta = shown?.kind === 'ready' ? shown.overview.meta : null;
  const sizes = meta ? [formatUse(meta), formatShortSize(meta.size)] : [''];
  // The list shows the id too, so it gives way to the size.
  const shownId = id.length + 1 + (sizes[0] ?? '').length <= room ? id : '';
  const size = sizes.find(({ length }) => length <= room) ?? '';
  return [
    ...names,
    span(building === null ? '' : `loading ${formatPercent(building, 1)} `, 'warning'),
    span(shownId, 'id'),
    span(shownId === '' ? size : ` ${size}`, 'faint'),
  ];
}

const LONGEST_ID = 12;
/** The cells of the rule before a title. */
const EDGE = 2;

/** `~139k`, or `~139k of 200k` where the context window is known. */
function formatUse({ size, limit }: EnvelopeOverview['meta']): string {
  return `${formatShortSize(size)}${limit === null ? '' : ` of ${formatShortCount(limit)}`}`;
}

/** The visible lines of the open tab. */
function renderEnvelopeLines(state: ExplorerState): readonly ScreenLine[] {
  const { tab, inside, shown } = state;
  const { body } = divideScreen(state);
  if (shown === null) return [];
  if (shown.kind === 'failed') return [[span(` ${toVisibleLine(shown.message)}`, 'error')]];
  if (tab !== 'messages') return listTabLines(state).slice(inside.top, inside.top + body);
  const { length } = measureTab(state);
  if (length === 0) return [[span(' no messages', 'faint')]];
  const last = Math.min(length, inside.top + body);
  return Array.from({ length: last - inside.top }, (_, at) => renderMessageLine(state, shown, inside.top + at));
}

function renderMessageLine(
  state: ExplorerState,
  { overview }: Extract<ShownEnvelope, { kind: 'ready' }>,
  index: number,
): ScreenLine {
  const { length } = measureTab(state);
  const { isSpoken = false } = state;
  const row = buildMessageRow(overview, index);
  if (!row) return [];
  const { number, role, entryId, tokens, preview } = row;
  const isSelected = index === state.inside.cursor && state.focus === 'envelope';
  const hasId = divideScreen(state).envelope >= LEAST_FOR_IDS && !isSpoken;
  const id = toVisibleLine(entryId).slice(0, ID_CELLS - 1);
  return [
    span(isSelected ? '›' : ' '),
    span(`${number.padStart(String(length).length)} `, 'faint'),
    span(`${toVisibleLine(role).padEnd(10)} `, nameTone({ type: 'message', role })),
    span(hasId ? id.padEnd(ID_CELLS) : '', 'id'),
    span(`${tokens.padStart(6)} ${isSpoken ? 'tokens ' : ''}`, 'faint'),
    span(toVisibleLine(preview)),
  ];
}

/** The minimum width in cells of a list or an envelope with ids. */
const LEAST_FOR_IDS = 56;
const ID_CELLS = 9;
const MOST_OF_CONNECTORS = 3;

export function renderListTitle(state: ExplorerState): ScreenLine {
  const { listing, filter, focus, sessionIndex, rows } = state;
  const share = sessionIndex.filtering.share(filter);
  return [
    span(listing === 'tree' ? 'Tree' : 'Log', focus === 'list' ? 'strong' : 'plain'),
    span(filter === 'default' ? '' : ` ${filter}`, 'warning'),
    span(` ${formatCount(rows.length)}`, 'faint'),
    span(share === 1 ? '' : ` loading ${formatPercent(share, 1)}`, 'faint'),
    span(formatMatches(state), 'warning'),
  ];
}

/** The pattern of the last search, the match under the cursor and the number of matches. */
function formatMatches({ matches, rows, list }: ExplorerState): string {
  return matches?.rows === rows ? ` ${formatMatchCount(matches.pattern, matches.found, list.cursor)}` : '';
}

/** `/pattern 3/149`: the place of a line among the matches, and their number. */
export function formatMatchCount(pattern: string, found: readonly number[], line: number | null): string {
  const place = line === null ? -1 : found.indexOf(line);
  return `/${toVisibleLine(pattern)} ${place < 0 ? '' : `${formatCount(place + 1)}/`}${formatCount(found.length)}`;
}

/** The visible rows as lines, which are cut where they are shown. */
function renderEntryLines(state: ExplorerState): readonly ScreenLine[] {
  const { rows, list } = state;
  const { list: cells, body } = divideScreen(state);
  if (rows.length === 0) return [[span(' no entries', 'faint')]];
  return Array.from({ length: Math.max(0, Math.min(body, rows.length - list.top)) }, (_, at) => {
    const row = list.top + at;
    return [...renderRowStart(state, row, cells), ...renderEntryText(state, rows.indexAt(row))];
  });
}

function renderRowStart(state: ExplorerState, row: number, cells: number): readonly Span[] {
  const { rows, list, sessionIndex, mark, listing } = state;
  const index = rows.indexAt(row);
  if (state.isSpoken) return [span(describeRowStart(state, row))];
  const connector = rows.drawConnector(row, Math.max(2, Math.floor(cells / MOST_OF_CONNECTORS / 2)));
  const sign = sessionIndex.active[index] === 1 ? '• ' : '  ';
  return [
    span(row === list.cursor ? '›' : ' '),
    mark === index ? span('◆ ', 'warning') : span(sign, 'messages'),
    span(listing === 'tree' ? connector : `${formatClock(sessionIndex.session.tree.heads.timeAt(index))} `, 'faint'),
  ];
}

/** The words for the signs before a row. */
function describeRowStart({ rows, sessionIndex, mark, listing }: ExplorerState, row: number): string {
  const index = rows.indexAt(row);
  const beginsBranch = listing !== 'log' && /[├└]/.test(rows.drawConnector(row, 1));
  const words = [
    listing === 'log' && formatClock(sessionIndex.session.tree.heads.timeAt(index)),
    beginsBranch && 'branch:',
    mark === index && 'marked:',
    sessionIndex.active[index] !== 1 && 'inactive:',
  ];
  return words.map((word) => (word ? `${word} ` : '')).join('');
}

/** The text of a row after its connector: id, name, labels and preview. */
function renderEntryText(state: ExplorerState, index: number): readonly Span[] {
  const { sessionIndex, listing, isSpoken = false } = state;
  const { session, labels, forest, previews, requests } = sessionIndex;
  const head = session.tree.heads.at(index);
  if (!head) return [];
  const id = toVisibleLine(formatId(head.id) ?? `line ${head.line}`);
  const label = labels.get(index);
  const strayed = findStray(session, forest, head);
  const usage = listing === 'log' && answersRequest(head) ? requests.usageAt(index) : null;
  const preview = previews.at(index);
  const hasId = divideScreen(state).list >= LEAST_FOR_IDS && !isSpoken;
  const leafMark = isSpoken ? ' (leaf)' : ' ←';
  return [
    span(hasId ? id.padEnd(ID_CELLS) : '', 'id'),
    span(listing === 'log' ? formatPromptSize(usage, isSpoken) : '', 'faint'),
    span(toVisibleLine(nameEntry(head, session)), nameTone(head)),
    span(index === session.tree.leaf?.index ? leafMark : '', 'good'),
    span(label === undefined ? '' : ` [${toVisibleLine(label)}]`, 'warning'),
    span(strayed === null ? '' : ` (${strayed})`, 'error'),
    span(preview === null ? ' …' : ` ${toVisibleLine(preview)}`, previewTone(head)),
  ];
}

/** The size of a prompt as a column, or as words. */
function formatPromptSize(usage: PromptUsage | null, isSpoken: boolean): string {
  const text = usage ? formatShortCount(usage.promptTokens) : '';
  if (!isSpoken) return `${text.padStart(5)} `;
  return usage ? `${text} tokens ` : '';
}

/** Hours and minutes, UTC. */
function formatClock(time: number): string {
  return formatTime(time)?.slice(11, 16) ?? '     ';
}
