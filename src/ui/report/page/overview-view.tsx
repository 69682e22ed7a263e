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
      <PropertyList properties={listProperties(store)} />
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
    {
      title: 'Context',
      value: formatShortSize(size),
      note: `${room}${describeSize(size)}`,
      link: `#envelope=${requests.onPath}`,
    },
    {
      title: 'Cost',
      value: describeUsageCost(cost.usageRecorded, 'not recorded'),
      note: describeCost(store.data),
      link: '#cost',
    },
    {
      title: 'Requests',
      value: formatCount(requests.onPath - 1),
      note:
        branches === 0
          ? pluralize(entries.ids.length, 'entry', 'entries')
          : `plus ${formatCount(branches)} on other branches`,
      link: '#entries',
    },
    {
      title: 'Cache hits',
      value: hits,
      note: requestsRecorded > 0 ? 'of prompt tokens' : 'not recorded',
      link: '#cache',
    },
    {
      title: 'Cache breaks',
      value: formatCount(cache.breaks.length),
      note: `${rebilled} tokens re-billed`,
      link: '#cache',
    },
    { title: 'Compactions', value: formatCount(losses.length), note: '', link: '#compactions' },
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
  const version = agent ? '' : `, version ${sessionVersion ?? 'unknown'}`;
  const sizeSource = describeSizeSource(size, { model: { modelId: model } });
  const properties: readonly Property[] = [
    { name: 'File', value: file },
    { name: 'Session', value: id },
    { name: 'Folder', value: cwd ?? 'not recorded' },
    { name: 'Started', value: formatClockMinute(first) },
    { name: 'Ended', value: formatClockMinute(last) },
    { name: 'Agent', value: agent && describeAgentParts(agent) },
    { name: 'Size', value: `${formatBytes(bytes)}${version}` },
    { name: 'Last entry', value: end === -1 ? 'the session is empty' : <EntryLink entry={end} /> },
    { name: 'Context', value: `${formatSize(size)} tokens: ${sizeSource}` },
    {
      name: 'System prompt and tools',
      value: isPreambleKnown ? 'recorded or supplied' : 'partly recorded: the chart counts the rest as not recorded',
    },
    {
      name: 'Token counts',
      value:
        'recorded by the provider for requests, whose parts share that size; 4 characters per token for single messages',
    },
    { name: 'Texts', value: textLimit === null ? null : `truncated at ${formatBytes(textLimit)} per entry` },
    { name: 'Branches', value: requests.leftOut === 0 ? null : describeLeftOut(requests.leftOut) },
  ];
  return properties.filter(({ value }) => value !== null && value !== undefined);
}

function describeLeftOut(requests: number): string {
  return `${pluralize(requests, 'request')} of other branches omitted; ctx report SESSION ID shows one branch`;
}
