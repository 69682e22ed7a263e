import { memo, type ReactNode, useMemo } from 'react';
import { isCostListed, rebilledBy, rebilledCostText } from '#analysis/cache/breaks.js';
import type { CacheBreakData } from '#analysis/report/document.js';
import { visibleLine } from '#base/visible.js';
import { count, percent, plural } from '#base/words.js';
import { cacheChart, contextChart, titleOfEvent } from './chart-data.js';
import { Chart } from './chart.js';
import { ChangeLink, colored, EntryLink, Table, Tiles, useStore } from './parts.js';
import type { Store } from './store.js';

/** The maximum rows. The list of entries has all. */
const MOST_EVENTS = 300;

/** The view of the context size and the cache over time. */
export const Context = memo(function Context(): ReactNode {
  const store = useStore();
  const { requests, cache } = store.data;
  const [size, cached] = useMemo(() => [contextChart(store), cacheChart(store)] as const, [store]);
  const events = store.changes();
  const title =
    events.length > MOST_EVENTS ? `The last ${MOST_EVENTS} of ${events.length} context changes` : 'Context changes';
  return (
    <>
      <Chart data={size} />
      {cache.prompts.length > 0 && <Chart data={cached} />}
      {events.length > 0 && (
        <Table
          caption={title}
          columns={[
            { title: 'Entry', cell: ({ entry }) => <EntryLink entry={entry} /> },
            {
              title: 'Change',
              cell: (event) => (
                <span className="key" style={colored(event.kind)}>
                  {titleOfEvent(event)}
                </span>
              ),
            },
            { title: 'Preview', isWide: true, cell: ({ entry }) => <Clamp text={store.preview(entry)} /> },
            {
              title: 'First request',
              cell: ({ request }) =>
                request < requests.onPath && <ChangeLink request={request}>{store.requestName(request)}</ChangeLink>,
            },
          ]}
          rows={events.slice(-MOST_EVENTS)}
        />
      )}
    </>
  );
});

/** A text of at most two lines. */
export function Clamp({ text }: { text: string }): ReactNode {
  return <span className="clamp">{visibleLine(text)}</span>;
}

const MOST_BREAKS = 500;

/** The view of the prompt cache: its use over time, and breaks with causes and costs. */
export const Cache = memo(function Cache(): ReactNode {
  const store = useStore();
  const { cache } = store.data;
  const chart = useMemo(() => cacheChart(store), [store]);
  if (cache.prompts.length === 0) return <p className="empty">This path has no requests.</p>;
  // The most expensive ones, in chronological order.
  const shown = cache.breaks
    .toSorted(([, a], [, b]) => rebilledBy(b) - rebilledBy(a))
    .slice(0, MOST_BREAKS)
    .toSorted(([a], [b]) => a - b);
  const title =
    shown.length < cache.breaks.length
      ? `The ${MOST_BREAKS} largest of ${plural(cache.breaks.length, 'cache break')}`
      : 'Cache breaks';
  return (
    <>
      <Tiles all={tilesOf(store)} />
      <Chart data={chart} />
      {shown.length === 0 ? <p className="empty">No cache breaks.</p> : <Breaks title={title} breaks={shown} />}
    </>
  );
});

type Break = readonly [request: number, broken: CacheBreakData];

function Breaks({ title, breaks }: { title: string; breaks: readonly Break[] }): ReactNode {
  return (
    <Table<Break>
      caption={title}
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
        { title: 'Details', isWide: true, cell: ([, { what }]) => <Clamp text={what} /> },
        { title: 'Entry', cell: ([, { entry }]) => entry !== -1 && <EntryLink entry={entry} /> },
        {
          title: 'Re-billed tokens',
          isNumber: true,
          cell: ([, broken]) => `${broken.rebilledTokens === null ? '~' : ''}${count(rebilledBy(broken))}`,
        },
        {
          title: 'Cost',
          isNumber: true,
          cell: ([, broken]) => rebilledCostText(broken, ''),
        },
      ]}
      rows={breaks}
    />
  );
}

function tilesOf({ data: { cache } }: Store): Parameters<typeof Tiles>[0]['all'] {
  const { summary, breaks } = cache;
  const { cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = summary;
  const isRecorded = summary.requestsRecorded > 0;
  const isEstimated = rebilledTokensEstimated > 0 && rebilledTokens === 0;
  return [
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
    {
      title: 'Re-billed cost',
      value: rebilledCostText(summary, 'not recorded'),
      note: isCostListed(summary) ? 'at listed prices' : 'for tokens that were cached before',
    },
  ];
}
