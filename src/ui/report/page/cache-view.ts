import type { CacheBreakData } from '../data.js';
import { cacheChart } from './charts.js';
import { type Child, el, table } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';
import { tiles } from './tiles.js';
import type { PageView } from './view.js';
import { count, dollars, percent, plural, visibleLine } from './words.js';

const MOST_BREAKS = 500;

/** Where the cache broke, why, and what it cost. */
export function cacheView(store: Store): PageView {
  const { cache } = store.data;
  if (cache.prompts.length === 0) return { element: el('p', { class: 'empty' }, 'There is no request on the path.') };
  const chart = cacheChart(store);
  // Those that cost most, in the order in which they came.
  const shown = cache.breaks
    .toSorted(([, a], [, b]) => b.rebilled - a.rebilled)
    .slice(0, MOST_BREAKS)
    .toSorted(([a], [b]) => a - b);
  const title =
    shown.length < cache.breaks.length
      ? `The ${MOST_BREAKS} biggest of ${plural(cache.breaks.length, 'break')}`
      : 'Breaks of the cache';
  return {
    element: el(
      'div',
      {},
      cacheTiles(store),
      chart.element,
      shown.length === 0 ? el('p', { class: 'empty' }, 'The cache never broke.') : breaksTable(store, title, shown),
    ),
    redraw: () => chart.draw(),
  };
}

type Break = readonly [request: number, broken: CacheBreakData];

function breaksTable(store: Store, title: string, breaks: readonly Break[]): HTMLElement {
  return table<Break>(
    title,
    [
      {
        title: 'Request',
        cell: ([at]) => el('a', { href: at === 0 ? '#request=1' : `#diff=${at}..${at + 1}` }, String(at + 1)),
      },
      { title: 'Cause', cell: ([, { class: name, isUndeclared }]) => cause(name, isUndeclared) },
      { title: 'What happened', cell: ([, { what }]) => el('span', { class: 'clamp' }, visibleLine(what)) },
      { title: 'Entry', cell: ([, { entry }]) => (entry === -1 ? '' : entryLink(store, entry)) },
      {
        title: 'Tokens billed again',
        isNumber: true,
        cell: ([, { rebilled, isRecorded }]) => `${isRecorded ? '' : '~'}${count(rebilled)}`,
      },
      { title: 'Cost', isNumber: true, cell: ([, { cost }]) => (cost === null ? '' : dollars(cost)) },
    ],
    breaks,
  );
}

function cause(name: string, isUndeclared: boolean): Child {
  return el(
    'span',
    {},
    el('b', {}, name),
    isUndeclared ? ' ' : '',
    isUndeclared && el('span', { class: 'label' }, 'undeclared'),
  );
}

function cacheTiles({ data: { cache } }: Store): HTMLElement {
  const { totals, breaks } = cache;
  const isRecorded = totals.recorded > 0;
  const isEstimated = totals.rebilledEstimated > 0 && totals.rebilled === 0;
  return tiles([
    {
      title: 'Read from the cache',
      value: isRecorded ? percent(totals.read, totals.prompt) : 'not recorded',
      note: isRecorded ? `${count(totals.read)} of ${count(totals.prompt)} prompt tokens` : '',
    },
    { title: 'Breaks', value: count(breaks.length), note: `over ${plural(cache.prompts.length, 'request')}` },
    {
      title: 'Billed again',
      value: count(isEstimated ? totals.rebilledEstimated : totals.rebilled),
      note: isEstimated ? 'tokens, estimated' : 'tokens',
    },
    { title: 'For nothing', value: dollars(totals.rebilledCost), note: 'paid for what had been cached' },
  ]);
}
