import { eventsOf, titleOfEvent } from './chart.js';
import { cacheChart, contextChart } from './charts.js';
import { el, type PageView, table } from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';

/** The maximum rows. The list of entries has all. */
const MOST_EVENTS = 300;

/** The view of the context size and the cache over time. */
export function contextView(store: Store): PageView {
  const charts = store.data.cache.prompts.length > 0 ? [contextChart(store), cacheChart(store)] : [contextChart(store)];
  const events = eventsOf(store);
  const shown = events.slice(-MOST_EVENTS);
  const title =
    shown.length < events.length ? `The last ${MOST_EVENTS} of ${events.length} context changes` : 'Context changes';
  const changes = table(
    title,
    [
      { title: 'Entry', cell: ({ entry }) => entryLink(store, entry) },
      { title: 'Change', cell: (event) => el('span', { class: `key ${event.kind}` }, titleOfEvent(event)) },
      { title: 'Preview', cell: ({ entry }) => el('span', { class: 'clamp' }, store.preview(entry)) },
      {
        title: 'First request',
        cell: ({ request }) =>
          request < store.data.requests.onPath
            ? el(
                'a',
                { href: request === 0 ? '#request=1' : `#diff=${request}..${request + 1}` },
                store.requestName(request),
              )
            : '',
      },
    ],
    shown,
  );
  return {
    element: el('div', {}, ...charts.map(({ element }) => element), events.length > 0 && changes),
    redraw: () => {
      for (const chart of charts) chart.draw();
    },
  };
}
