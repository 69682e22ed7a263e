import type { ReactNode } from 'react';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatBytes, formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { describeAssumedWindow } from '#context/size/window.js';
import { describeAgentParts, describeSizeSource, formatShortSize, formatSize } from '#ui/parts/size-words.js';
import { BreaksTable } from './cache-view.js';
import { buildContextChart } from './chart-data.js';
import { Chart } from './chart.js';
import { CompositionBar } from './composition-bar.js';
import { EntryLink } from './links.js';
import { type Property, PropertyList, TitledList } from './lists.js';
import { useStore } from './store-context.js';
import type { Store } from './store.js';
import { type Tile, Tiles } from './tiles.js';
import { formatClockMinute } from './words.js';

const MOST_LISTED = 5;

/** The overview: key figures, context size, cache breaks and problems. */
export function OverviewView(): ReactNode {
  const store = useStore();
  const { requests, holds, problems } = store.data;
  return (
    <>
      <Tiles all={buildTiles(store)} />
      <Chart data={buildContextChart(store)} />
      <h2>Current context</h2>
      <CompositionBar number={requests.onPath - 1} rows={holds} />
      <BreaksTable most={MOST_LISTED} />
      <TitledList title="Problems in the file" all={problems} />
      <PropertyList rows={listProperties(store)} />
    </>
  );
}

function describeCost({ cost: { usageRecorded }, agent }: Store['data']): string {
  const { cost, costListed } = usageRecorded;
  if (cost === null && costListed === null) return '';
  const prices = costListed === null ? '' : ', with listed prices';
  return `all branches${prices}${agent?.parts.usage === 'approximate' ? ', a lower bound' : ''}`;
}

function buildTiles(store: Store): readonly Tile[] {
  const { requests, cache, cost, losses, entries, size, window } = store.data;
  const { requestsRecorded, cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = cache.summary;
  const branches = requests.entries.length - requests.onPath + requests.leftOut;
  const room = window.tokens === null ? '' : `of ${formatShortCount(window.tokens)}${describeAssumedWindow(window)}, `;
  const hits = requestsRecorded > 0 ? formatPercent(cacheRead, promptTokens) : '–';
  const rebilled = formatShortCount(rebilledTokens + rebilledTokensEstimated);
  return [
    ['Context', formatShortSize(size), `${room}${describeSize(size)}`, `#envelope=${requests.onPath}`],
    ['Cost', describeUsageCost(cost.usageRecorded, 'not recorded'), describeCost(store.data), '#cost'],
    [
      'Requests',
      formatCount(requests.onPath - 1),
      branches === 0
        ? pluralize(entries.ids.length, 'entry', 'entries')
        : `plus ${formatCount(branches)} on other branches`,
      '#entries',
    ],
    ['Cache hits', hits, requestsRecorded > 0 ? 'of prompt tokens' : 'not recorded', '#cache'],
    ['Cache breaks', formatCount(cache.breaks.length), `${rebilled} tokens re-billed`, '#cache'],
    ['Compactions', formatCount(losses.length), '', '#compactions'],
  ];
}

function describeSize({ recorded, estimated }: Store['data']['size']): string {
  if (estimated === 0) return 'tokens, recorded';
  return recorded === 0 ? 'tokens, estimated' : 'tokens, partly estimated';
}

function listProperties(store: Store): readonly Property[] {
  const { file, id, cwd, sessionVersion, agent, bytes, first, last, end, textLimit, requests, isPreambleKnown, size } =
    store.data;
  const { model } = store.envelope(requests.onPath - 1);
  const leftOut = `${pluralize(requests.leftOut, 'request')} of other branches omitted; ctx report SESSION ID shows one branch`;
  return [
    ['File', file],
    ['Session', id],
    ['Folder', cwd ?? 'not recorded'],
    ['Started', formatClockMinute(first)],
    ['Ended', formatClockMinute(last)],
    ...(agent ? [['Agent', describeAgentParts(agent)] as const] : []),
    ['Size', `${formatBytes(bytes)}${agent ? '' : `, version ${sessionVersion ?? 'unknown'}`}`],
    ['Last entry', end === -1 ? 'the session is empty' : <EntryLink entry={end} />],
    ['Context', `${formatSize(size)} tokens: ${describeSizeSource(size, { model: { modelId: model } })}`],
    [
      'System prompt and tools',
      isPreambleKnown ? 'recorded or supplied' : 'partly recorded: the chart counts the rest as not recorded',
    ],
    [
      'Token counts',
      'recorded by the provider for requests, whose parts share that size; 4 characters per token for single messages',
    ],
    ...(textLimit === null ? [] : [['Texts', `truncated at ${formatBytes(textLimit)} per entry`] as const]),
    ...(requests.leftOut === 0 ? [] : [['Branches', leftOut] as const]),
  ];
}
