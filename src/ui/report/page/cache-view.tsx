import type { ReactNode } from 'react';
import { describeRebilledCost, isCostListed, rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { buildCacheChart } from './chart-data.js';
import { Chart } from './chart.js';
import { ChangeLink } from './links.js';
import { useStore } from './store-context.js';
import type { Store } from './store.js';
import { PageTable } from './table.js';
import { type Tile, Tiles } from './tiles.js';

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
  const hits = isRecorded
    ? {
        value: formatPercent(cacheRead, promptTokens),
        note: `${formatCount(cacheRead)} of ${formatCount(promptTokens)} prompt tokens`,
      }
    : { value: 'not recorded', note: '' };
  return [
    { title: 'Cache hits', ...hits },
    {
      title: 'Cache breaks',
      value: formatCount(breaks.length),
      note: `in ${pluralize(cache.prompts.length, 'request')}`,
    },
    {
      title: 'Re-billed',
      value: formatCount(rebilledTokens || rebilledTokensEstimated),
      note: isEstimated ? 'tokens, estimated' : 'tokens',
    },
    {
      title: 'Re-billed cost',
      value: describeRebilledCost(summary, 'not recorded'),
      note: isCostListed(summary) ? 'at listed prices' : 'for tokens that were cached before',
    },
  ];
}
