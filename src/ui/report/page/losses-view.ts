import type { LossData } from '../data.js';
import { el, table } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';
import { textBlock } from './text.js';
import type { PageView } from './view.js';
import { count, plural, timeText, visibleLine } from './words.js';

const REASONS: Readonly<Record<string, string>> = {
  'kept-before': 'kept by the compaction before, and not summarised since',
  'kept-from-elsewhere': 'what the compaction keeps from is not above it',
  'summary-forgotten': 'Pi forgot that there was one',
};

/** What each compaction took out, and what its summary still says of it. */
export function lossesView(store: Store): PageView {
  const { losses } = store.data;
  return {
    element: el(
      'div',
      {},
      ...(losses.length === 0
        ? [el('p', { class: 'empty' }, 'Nothing was compacted on this path.')]
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
    el('details', {}, el('summary', {}, 'The summary'), textBlock(summary)),
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
    `${plural(gone, 'entry', 'entries')} left the context, ${count(counts.kept)} stayed. Of `,
    `${plural(all, 'thing')} that they held, the summary does not mention ${count(lost)}.`,
    counts.unaccounted > 0 &&
      el('b', {}, ` ${plural(counts.unaccounted, 'entry is', 'entries are')} in no summary at all.`),
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
        { title: 'Why', cell: ([, reason]) => REASONS[reason] ?? reason },
        { title: 'What', cell: ([from]) => el('span', { class: 'clamp' }, store.preview(from)) },
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
        ? `Not mentioned: the first ${missing.length} of ${count(lost)}`
        : `Not mentioned: ${count(lost)}`,
    ),
    table(
      'Not mentioned',
      [
        { title: 'What', cell: ([name]) => name },
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
    'What left the context, and how the summary mentions it',
    [
      { title: 'What', cell: (row) => row.class },
      number('Left', ({ left }) => left),
      number('Word for word', ({ quoted }) => quoted),
      number('By name', ({ named }) => named),
      number('In part', ({ partly }) => partly),
      number('Not at all', ({ missing }) => missing),
    ],
    classes,
  );
}
