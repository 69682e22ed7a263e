import type { ReactNode } from 'react';
import { CONTEXT_CHANGES } from '../../palette.js';
import { buildCacheChart, buildContextChart } from './chart-data.js';
import { Chart } from './chart.js';
import { chooseColor } from './colors.js';
import { ChangeLink } from './links.js';
import { useStore } from './store-context.js';
import { PageTable } from './table.js';

/** The maximum rows. The list of entries has all. */
const MOST_EVENTS = 300;

/** The view of the context size and the cache over time. */
export function ContextView(): ReactNode {
  const store = useStore();
  const { requests, cache } = store.data;
  const events = store.changes();
  const title =
    events.length > MOST_EVENTS ? `The last ${MOST_EVENTS} of ${events.length} context changes` : 'Context changes';
  return (
    <>
      <Chart data={buildContextChart(store)} />
      {cache.prompts.length > 0 && <Chart data={buildCacheChart(store)} />}
      <PageTable
        caption={title}
        columns={[
          { title: 'Entry', entry: ({ entry }) => entry },
          {
            title: 'Change',
            cell: ({ kind }) => (
              <span className="key" style={chooseColor(kind)}>
                {CONTEXT_CHANGES[kind].title}
              </span>
            ),
          },
          { title: 'Preview', text: ({ entry }) => store.preview(entry) },
          {
            title: 'First request',
            cell: ({ request }) =>
              request < requests.onPath && <ChangeLink request={request}>{store.requestName(request)}</ChangeLink>,
          },
        ]}
        rows={events.slice(-MOST_EVENTS)}
      />
    </>
  );
}
