import type { ReactNode } from 'react';
import { usageCostText } from '#analysis/stats/usage-sums.js';
import { byteSize, count, percent, plural, shortCount } from '#base/words.js';
import { assumedNote } from '#context/size/window.js';
import { agentText, shortSizeText, sizeSource, sizeText } from '#ui/parts/size-words.js';
import { contextChart } from './chart-data.js';
import { Chart } from './chart.js';
import { Breaks } from './context-view.js';
import { Composition } from './details.js';
import { EntryLink, Facts, Lines, type NamedValue, type Tile, Tiles, useStore } from './parts.js';
import type { Store } from './store.js';
import { timeText } from './words.js';

const MOST_LISTED = 5;

/** The overview: key figures, context size, cache breaks and problems. */
export function Overview(): ReactNode {
  const store = useStore();
  const { requests, problems } = store.data;
  return (
    <>
      <Tiles all={tilesOf(store)} />
      <Chart data={contextChart(store)} />
      <h2>Current context</h2>
      <Composition number={requests.onPath - 1} />
      <Breaks most={MOST_LISTED} />
      <Lines title="Problems in the file" all={problems} />
      <Facts rows={factsOf(store)} />
    </>
  );
}

function costNote({ cost: { usageRecorded }, agent }: Store['data']): string {
  const { cost, costListed } = usageRecorded;
  if (cost === null && costListed === null) return '';
  const prices = costListed === null ? '' : ', with listed prices';
  return `all branches${prices}${agent?.parts.usage === 'approximate' ? ', a lower bound' : ''}`;
}

function tilesOf(store: Store): readonly Tile[] {
  const { requests, cache, cost, losses, entries, size, window } = store.data;
  const { requestsRecorded, cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = cache.summary;
  const branches = requests.entries.length - requests.onPath + requests.leftOut;
  const room = window.tokens === null ? '' : `of ${shortCount(window.tokens)}${assumedNote(window)}, `;
  const hits = requestsRecorded > 0 ? percent(cacheRead, promptTokens) : '–';
  const rebilled = shortCount(rebilledTokens + rebilledTokensEstimated);
  return [
    ['Context', shortSizeText(size), `${room}${sizeNote(size)}`, `#envelope=${requests.onPath}`],
    ['Cost', usageCostText(cost.usageRecorded, 'not recorded'), costNote(store.data), '#cost'],
    [
      'Requests',
      count(requests.onPath - 1),
      branches === 0 ? plural(entries.ids.length, 'entry', 'entries') : `plus ${count(branches)} on other branches`,
      '#entries',
    ],
    ['Cache hits', hits, requestsRecorded > 0 ? 'of prompt tokens' : 'not recorded', '#cache'],
    ['Cache breaks', count(cache.breaks.length), `${rebilled} tokens re-billed`, '#cache'],
    ['Compactions', count(losses.length), '', '#compactions'],
  ];
}

function sizeNote({ recorded, estimated }: Store['data']['size']): string {
  if (estimated === 0) return 'tokens, recorded';
  return recorded === 0 ? 'tokens, estimated' : 'tokens, partly estimated';
}

function factsOf(store: Store): readonly NamedValue[] {
  const { file, id, cwd, sessionVersion, agent, bytes, first, last, end, textLimit, requests, isPreambleKnown, size } =
    store.data;
  const { model } = store.envelope(requests.onPath - 1);
  const leftOut = `${plural(requests.leftOut, 'request')} of other branches omitted; ctx report --at ID shows one branch`;
  return [
    ['File', file],
    ['Session', id],
    ['Folder', cwd ?? 'not recorded'],
    ['Started', timeText(first)],
    ['Ended', timeText(last)],
    ...(agent ? [['Agent', agentText(agent)] as const] : []),
    ['Size', `${byteSize(bytes)}${agent ? '' : `, version ${sessionVersion ?? 'unknown'}`}`],
    ['Last entry', end === -1 ? 'the session is empty' : <EntryLink entry={end} />],
    ['Context', `${sizeText(size)} tokens: ${sizeSource(size, { model: { modelId: model } })}`],
    [
      'System prompt and tools',
      isPreambleKnown ? 'recorded or supplied' : 'not all recorded: tokens of the rest are not itemised',
    ],
    [
      'Token counts',
      'recorded by the provider for requests, whose parts share that size; 4 characters per token for single messages',
    ],
    ...(textLimit === null ? [] : [['Texts', `truncated at ${byteSize(textLimit)} per entry`] as const]),
    ...(requests.leftOut === 0 ? [] : [['Branches', leftOut] as const]),
  ];
}
