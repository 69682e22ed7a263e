import type { LossData } from '../data.js';
import { el, table } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';
import { textBlock } from './text.js';
import type { PageView } from './view.js';
import { count, plural, timeText, visibleLine } from './words.js';

const REASONS: Readonly<Record<string, string>> = {
  'kept-before': 'kept by the previous compaction, never summarised',
  'kept-from-elsewhere': 'the first kept entry is not an ancestor of the compaction',
  'summary-forgotten': 'Pi dropped the earlier summary',
};

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
    counts.unaccounted > 0 &&
      el('b', {}, ` ${plural(counts.unaccounted, 'entry was', 'entries were')} never summarised.`),
  );
}

function unaccountedList(store: Store, { counts, unaccounted }: LossData): HTMLElement {
  return el(
    'details',
    {},
    el('summary', {}, `Never summarised: ${count(counts.unaccounted)}`),
    table(
      'Never summarised',
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
  const number = (
    title: string,
    of: (row: Row) => number,
  ): { title: string; isNumber: true; cell: (row: Row) => string } => ({
    title,
    isNumber: true,
    cell: (row) => count(of(row)),
  });
  return table<Row>(
    'Removed facts, by how the summary mentions them',
    [
      { title: 'Kind', cell: (row) => row.class },
      number('Removed', ({ left }) => left),
      number('Quoted', ({ quoted }) => quoted),
      number('Named', ({ named }) => named),
      number('Partial', ({ partly }) => partly),
      number('Missing', ({ missing }) => missing),
    ],
    classes,
  );
}
