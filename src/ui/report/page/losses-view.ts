import { FACT_COLUMNS, REASON_TEXTS } from '../../parts/loss-words.js';
import type { LossData } from '../data.js';
import { count, el, type PageView, plural, table, timeText, visibleLine } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';
import { textBlock } from './text.js';

const REASONS: Readonly<Record<string, string>> = REASON_TEXTS;

/** The view of the compactions: removed entries, and how each summary mentions them. */
export function lossesView(store: Store): PageView {
  const { losses } = store.data;
  return {
    element: el(
      'div',
      {},
      ...(losses.length === 0
        ? [el('p', { class: 'empty' }, 'This path has no compactions.')]
        : losses.map((loss, at) => lossCard(store, loss, at))),
    ),
  };
}

function lossCard(store: Store, loss: LossData, at: number): HTMLElement {
  const { entry, classes, missing, unaccounted, summary } = loss;
  const time = el('small', {}, timeText(store.data.entries.times[entry] ?? null));
  const lost = classes.reduce((sum, each) => sum + each.missing, 0);
  return el(
    'section',
    { class: 'card' },
    el('h3', {}, `Compaction ${at + 1} `, entryLink(store, entry), ' ', time),
    lossSentence(loss, lost),
    el('details', {}, el('summary', {}, 'Summary'), textBlock(summary)),
    classes.length > 0 && classTable(loss),
    missing.length > 0 && missingList(store, loss, lost),
    unaccounted.length > 0 && unaccountedList(store, loss),
  );
}

function lossSentence({ counts, classes }: LossData, lost: number): HTMLElement {
  const gone = counts.total - counts.kept;
  const all = classes.reduce((sum, { left }) => sum + left, 0);
  return el(
    'p',
    {},
    `${plural(gone, 'entry', 'entries')} removed from the context, ${count(counts.kept)} kept. `,
    `The summary omits ${count(lost)} of ${plural(all, 'fact')} in the removed entries.`,
    counts.unaccounted > 0 && el('b', {}, ` ${plural(counts.unaccounted, 'entry is', 'entries are')} in no summary.`),
  );
}

function unaccountedList(store: Store, { counts, unaccounted }: LossData): HTMLElement {
  return el(
    'details',
    {},
    el('summary', {}, `In no summary: ${count(counts.unaccounted)}`),
    table(
      'In no summary',
      [
        { title: 'Entry', cell: ([from]) => entryLink(store, from) },
        { title: 'Reason', cell: ([, reason]) => REASONS[reason] ?? reason },
        { title: 'Preview', cell: ([from]) => el('span', { class: 'clamp' }, store.preview(from)) },
      ],
      unaccounted,
    ),
  );
}

function missingList(store: Store, { missing }: LossData, lost: number): HTMLElement {
  return el(
    'details',
    {},
    el(
      'summary',
      {},
      missing.length < lost
        ? `Missing from the summary: the first ${missing.length} of ${count(lost)}`
        : `Missing from the summary: ${count(lost)}`,
    ),
    table(
      'Missing from the summary',
      [
        { title: 'Kind', cell: ([name]) => name },
        { title: 'Entry', cell: ([, from]) => entryLink(store, from) },
        { title: 'Text', cell: ([, , text]) => visibleLine(text) },
      ],
      missing,
    ),
  );
}

function classTable({ classes }: LossData): HTMLElement {
  type Row = LossData['classes'][number];
  return table<Row>(
    'Removed facts, by their mention in the summary',
    [
      { title: 'Kind', cell: (row) => row.class },
      ...FACT_COLUMNS.map(({ title, of }) => ({
        title: title.charAt(0).toUpperCase() + title.slice(1),
        isNumber: true as const,
        cell: (row: Row) => count(of(row)),
      })),
    ],
    classes,
  );
}
