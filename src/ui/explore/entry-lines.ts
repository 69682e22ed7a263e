import type { PromptUsage } from '#analysis/cache/recorded.js';
import { timeText } from '#base/time.js';
import { visibleLine } from '#base/visible.js';
import { count, percent, shortCount } from '#base/words.js';
import { entryName } from '#context/words/entry-text.js';
import { idText } from '#session/table/head.js';
import { type Span, span } from '../doc/doc.js';
import { nameTone, previewTone, strayedOf } from '../parts/tree-view.js';
import { layout } from './layout.js';
import type { Line } from './lines.js';
import type { ExplorerState } from './state.js';

/** The minimum width in cells of a list with ids. */
const LEAST_FOR_IDS = 56;
const ID_CELLS = 9;
const MOST_OF_CONNECTORS = 3;

export function listTitle(state: ExplorerState): Line {
  const { listing, filter, focus, known, rows } = state;
  const share = known.filtering.share(filter);
  return [
    span(listing === 'tree' ? 'Tree' : 'Log', focus === 'list' ? 'strong' : 'plain'),
    span(filter === 'default' ? '' : ` ${filter}`, 'warning'),
    span(` ${count(rows.length)}`, 'faint'),
    span(share === 1 ? '' : ` loading ${percent(share, 1)}`, 'faint'),
    span(matchesText(state), 'warning'),
  ];
}

/** The pattern of the last search, the match under the cursor and the number of matches. */
function matchesText({ matches, rows, list }: ExplorerState): string {
  return matches?.rows === rows ? ` ${foundText(matches.pattern, matches.found, list.cursor)}` : '';
}

/** `/pattern 3/149`: the place of a line among the matches, and their number. */
export function foundText(pattern: string, found: readonly number[], line: number | null): string {
  const place = line === null ? -1 : found.indexOf(line);
  return `/${visibleLine(pattern)} ${place < 0 ? '' : `${count(place + 1)}/`}${count(found.length)}`;
}

/** The visible rows as lines, which are cut where they are shown. */
export function entryLines(state: ExplorerState): readonly Line[] {
  const { rows, list } = state;
  const { list: cells, body } = layout(state);
  if (rows.length === 0) return [[span(' no entries', 'faint')]];
  return Array.from({ length: Math.max(0, Math.min(body, rows.length - list.top)) }, (_, at) => {
    const row = list.top + at;
    return [...before(state, row, cells), ...entrySpans(state, rows.indexAt(row))];
  });
}

function before(state: ExplorerState, row: number, cells: number): readonly Span[] {
  const { rows, list, known, mark, listing } = state;
  const index = rows.indexAt(row);
  if (state.isSpoken) return [span(spokenBefore(state, row))];
  const connector = rows.connector(row, Math.max(2, Math.floor(cells / MOST_OF_CONNECTORS / 2)));
  const sign = mark === index ? '◆ ' : known.active[index] === 1 ? '• ' : '  ';
  return [
    span(row === list.cursor ? '›' : ' '),
    span(sign, mark === index ? 'warning' : 'messages'),
    span(listing === 'tree' ? connector : `${timeOf(known.session.tree.heads.timeAt(index))} `, 'faint'),
  ];
}

/** The words for the signs before a row. */
function spokenBefore({ rows, known, mark, listing }: ExplorerState, row: number): string {
  const index = rows.indexAt(row);
  const words = [
    listing === 'log'
      ? timeOf(known.session.tree.heads.timeAt(index))
      : /[├└]/.test(rows.connector(row, 1)) && 'branch:',
    mark === index && 'marked:',
    known.active[index] !== 1 && 'inactive:',
  ];
  return words.map((word) => (word ? `${word} ` : '')).join('');
}

/** The text of a row after its connector: id, name, labels and preview. */
function entrySpans(state: ExplorerState, index: number): readonly Span[] {
  const { known, listing, isSpoken = false } = state;
  const { session, labels, forest, previews, usages } = known;
  const head = session.tree.heads.at(index);
  if (!head) return [];
  const id = visibleLine(idText(head.id) ?? `line ${head.line}`);
  const label = labels.get(index);
  const strayed = strayedOf(session, forest, head);
  const usage = listing === 'log' && head.role === 'assistant' ? usages.readAt(index) : null;
  const preview = previews.at(index);
  return [
    span(layout(state).list >= LEAST_FOR_IDS && !isSpoken ? id.padEnd(ID_CELLS) : '', 'id'),
    span(listing === 'log' ? promptText(usage, isSpoken) : '', 'faint'),
    span(visibleLine(entryName(head)), nameTone(head)),
    span(index === session.tree.leaf?.index ? (isSpoken ? ' (leaf)' : ' ←') : '', 'good'),
    span(label === undefined ? '' : ` [${visibleLine(label)}]`, 'warning'),
    span(strayed === null ? '' : ` (${strayed})`, 'error'),
    span(preview === null ? ' …' : ` ${visibleLine(preview)}`, previewTone(head)),
  ];
}

/** The size of a prompt as a column, or as words. */
function promptText(usage: PromptUsage | null, isSpoken: boolean): string {
  const text = usage ? shortCount(usage.promptTokens) : '';
  if (!isSpoken) return `${text.padStart(5)} `;
  return usage ? `${text} tokens ` : '';
}

/** Hours and minutes, UTC. */
function timeOf(time: number): string {
  return timeText(time)?.slice(11, 16) ?? '     ';
}
