import type { ReactNode } from 'react';
import { describeRebilledCost, isCostListed, rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { CONTEXT_CHANGES } from '../../look.js';
import { buildCacheChart, buildContextChart } from './chart-data.js';
import { Chart } from './chart.js';
import { ChangeLink, keyColor, PageTable, type Tile, Tiles, useStore } from './parts.js';
import type { Store } from './store.js';

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
              <span className="key" style={keyColor(kind)}>
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

const MOST_BREAKS = 500;

/** The view of the prompt cache: its use over time, and breaks with causes and costs. */
export function CacheView(): ReactNode {
  const store = useStore();
  const { cache } = store.data;
  if (cache.prompts.length === 0) return <p className="empty">This path has no requests.</p>;
  return (
    <>
      <Tiles all={buildTiles(store)} />
      <Chart data={buildCacheChart(store)} />
      <BreaksTable most={MOST_BREAKS} />
      {cache.breaks.length === 0 && <p className="empty">No cache breaks.</p>}
    </>
  );
}

/** The most expensive cache breaks, in chronological order. */
export function BreaksTable({ most }: { most: number }): ReactNode {
  const { breaks } = useStore().data.cache;
  const isWhole = breaks.length <= most;
  const shown = breaks.toSorted(([, a], [, b]) => rebilledTokensOf(b) - rebilledTokensOf(a)).slice(0, most);
  return (
    <PageTable
      caption={isWhole ? 'Cache breaks' : `The ${most} largest of ${pluralize(breaks.length, 'cache break')}`}
      columns={[
        { title: 'Request', cell: ([at]) => <ChangeLink request={at}>{at + 1}</ChangeLink> },
        {
          title: 'Cause',
          cell: ([, { class: name, undeclared }]) => (
            <>
              <b>{name}</b> {undeclared && <span className="label">undeclared</span>}
            </>
          ),
        },
        { title: 'Details', text: ([, { what }]) => what },
        { title: 'Entry', entry: ([, { entry }]) => entry },
        {
          title: 'Re-billed tokens',
          figure: ([, broken]) =>
            `${broken.rebilledTokens === null ? '~' : ''}${formatCount(rebilledTokensOf(broken))}`,
        },
        { title: 'Cost', figure: ([, broken]) => describeRebilledCost(broken, '') },
      ]}
      rows={shown.toSorted(([a], [b]) => a - b)}
    />
  );
}

function buildTiles({ data: { cache } }: Store): readonly Tile[] {
  const { summary, breaks } = cache;
  const { cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = summary;
  const isRecorded = summary.requestsRecorded > 0;
  const isEstimated = rebilledTokensEstimated > 0 && rebilledTokens === 0;
  const counted = `${formatCount(cacheRead)} of ${formatCount(promptTokens)} prompt tokens`;
  return [
    ['Cache hits', isRecorded ? formatPercent(cacheRead, promptTokens) : 'not recorded', isRecorded ? counted : ''],
    ['Cache breaks', formatCount(breaks.length), `in ${pluralize(cache.prompts.length, 'request')}`],
    ['Re-billed', formatCount(rebilledTokens || rebilledTokensEstimated), isEstimated ? 'tokens, estimated' : 'tokens'],
    [
      'Re-billed cost',
      describeRebilledCost(summary, 'not recorded'),
      isCostListed(summary) ? 'at listed prices' : 'for tokens that were cached before',
    ],
  ];
}
