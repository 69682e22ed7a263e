import { rebilledBy } from '#analysis/cache/breaks.js';
import type { CacheBreakData } from '../data.js';
import { cacheChart } from './charts.js';
import { type Child, count, dollars, el, type PageView, percent, plural, table, tiles, visibleLine } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';

const MOST_BREAKS = 500;

/** The view of cache breaks, with causes and costs. */
export function cacheView(store: Store): PageView {
  const { cache } = store.data;
  if (cache.prompts.length === 0) return { element: el('p', { class: 'empty' }, 'This path has no requests.') };
  const chart = cacheChart(store);
  // The most expensive ones, in chronological order.
  const shown = cache.breaks
    .toSorted(([, a], [, b]) => rebilledBy(b) - rebilledBy(a))
    .slice(0, MOST_BREAKS)
    .toSorted(([a], [b]) => a - b);
  const title =
    shown.length < cache.breaks.length
      ? `The ${MOST_BREAKS} largest of ${plural(cache.breaks.length, 'cache break')}`
      : 'Cache breaks';
  return {
    element: el(
      'div',
      {},
      cacheTiles(store),
      chart.element,
      shown.length === 0 ? el('p', { class: 'empty' }, 'No cache breaks.') : breaksTable(store, title, shown),
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
      { title: 'Cause', cell: ([, { class: name, undeclared }]) => cause(name, undeclared) },
      { title: 'Details', cell: ([, { what }]) => el('span', { class: 'clamp' }, visibleLine(what)) },
      { title: 'Entry', cell: ([, { entry }]) => (entry === -1 ? '' : entryLink(store, entry)) },
      {
        title: 'Re-billed tokens',
        isNumber: true,
        cell: ([, broken]) => `${broken.rebilledTokens === null ? '~' : ''}${count(rebilledBy(broken))}`,
      },
      {
        title: 'Cost',
        isNumber: true,
        cell: ([, { rebilledCost }]) => (rebilledCost === null ? '' : dollars(rebilledCost)),
      },
    ],
    breaks,
  );
}

function cause(name: string, undeclared: boolean): Child {
  return el(
    'span',
    {},
    el('b', {}, name),
    undeclared ? ' ' : '',
    undeclared && el('span', { class: 'label' }, 'undeclared'),
  );
}

function cacheTiles({ data: { cache } }: Store): HTMLElement {
  const { summary, breaks } = cache;
  const { cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = summary;
  const isRecorded = summary.requestsRecorded > 0;
  const isEstimated = rebilledTokensEstimated > 0 && rebilledTokens === 0;
  return tiles([
    {
      title: 'Cache hits',
      value: isRecorded ? percent(cacheRead, promptTokens) : 'not recorded',
      note: isRecorded ? `${count(cacheRead)} of ${count(promptTokens)} prompt tokens` : '',
    },
    { title: 'Cache breaks', value: count(breaks.length), note: `in ${plural(cache.prompts.length, 'request')}` },
    {
      title: 'Re-billed',
      value: count(isEstimated ? rebilledTokensEstimated : rebilledTokens),
      note: isEstimated ? 'tokens, estimated' : 'tokens',
    },
    { title: 'Re-billed cost', value: dollars(summary.rebilledCost), note: 'for tokens that were cached before' },
  ]);
}
