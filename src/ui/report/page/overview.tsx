import { memo, type ReactNode, useMemo } from 'react';
import { rebilledBy } from '#analysis/cache/breaks.js';
import { usageCostText } from '#analysis/stats/usage-sums.js';
import { visibleLine } from '#base/visible.js';
import { byteSize, count, percent, plural, shortCount } from '#base/words.js';
import { assumedNote } from '#context/size/window.js';
import { shortSizeText, sizeSource, sizeText } from '#ui/parts/size-words.js';
import { contextChart } from './chart-data.js';
import { Chart } from './chart.js';
import { Composition } from './details.js';
import { ChangeLink, EntryLink, Facts, Tiles, useStore } from './parts.js';
import type { Store } from './store.js';
import { timeText } from './words.js';

const MOST_LISTED = 5;

/** The overview: key figures, context size, cache breaks and problems. */
export const Overview = memo(function Overview(): ReactNode {
  const store = useStore();
  const { requests, cache, problems } = store.data;
  const chart = useMemo(() => contextChart(store), [store]);
  const breaks = cache.breaks.toSorted(([, a], [, b]) => rebilledBy(b) - rebilledBy(a)).slice(0, MOST_LISTED);
  return (
    <>
      <Tiles all={tilesOf(store)} />
      <Chart data={chart} />
      <h2>Current context</h2>
      <Composition number={requests.onPath - 1} />
      {breaks.length > 0 && <h2>Largest cache breaks</h2>}
      <ul className="plain">
        {breaks.map(([at, broken]) => (
          <li key={at}>
            <ChangeLink request={at}>{`Request ${at + 1}`}</ChangeLink>
            {` ${broken.class}: ${plural(rebilledBy(broken), 'token')} re-billed`}
            {broken.rebilledTokens === null ? ', estimated' : ''} ·{' '}
            <span className="quiet">{visibleLine(broken.what)}</span>
          </li>
        ))}
      </ul>
      {problems.length > 0 && <h2>Problems in the file</h2>}
      <ul className="plain">
        {problems.map((problem, at) => (
          <li key={at}>{visibleLine(problem)}</li>
        ))}
      </ul>
      <Facts rows={factsOf(store)} />
    </>
  );
});

type Tile = Parameters<typeof Tiles>[0]['all'][number];

function costNote({ cost, costListed }: Store['data']['cost']['usageRecorded']): string {
  if (costListed !== null) return 'all branches, with listed prices';
  return cost === null ? '' : 'all branches';
}

function tilesOf(store: Store): readonly Tile[] {
  const { requests, cache, cost, losses, entries, size, window } = store.data;
  const { requestsRecorded, cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = cache.summary;
  const branches = requests.entries.length - requests.onPath + requests.leftOut;
  const room = window.tokens === null ? '' : `of ${shortCount(window.tokens)}${assumedNote(window)}, `;
  return [
    {
      title: 'Context',
      value: shortSizeText(size),
      note: `${room}${sizeNote(size)}`,
      link: `#envelope=${requests.onPath}`,
    },
    {
      title: 'Cost',
      value: usageCostText(cost.usageRecorded, 'not recorded'),
      note: costNote(cost.usageRecorded),
      link: '#cost',
    },
    {
      title: 'Requests',
      value: count(requests.onPath - 1),
      note:
        branches === 0 ? plural(entries.ids.length, 'entry', 'entries') : `plus ${count(branches)} on other branches`,
      link: '#entries',
    },
    {
      title: 'Cache hits',
      value: requestsRecorded > 0 ? percent(cacheRead, promptTokens) : '–',
      note: requestsRecorded > 0 ? 'of prompt tokens' : 'not recorded',
      link: '#cache',
    },
    {
      title: 'Cache breaks',
      value: count(cache.breaks.length),
      note: `${shortCount(rebilledTokens + rebilledTokensEstimated)} tokens re-billed`,
      link: '#cache',
    },
    { title: 'Compactions', value: count(losses.length), note: '', link: '#compactions' },
  ];
}

function sizeNote({ recorded, estimated }: Store['data']['size']): string {
  if (estimated === 0) return 'tokens, recorded';
  return recorded === 0 ? 'tokens, estimated' : 'tokens, partly estimated';
}

function factsOf(store: Store): Parameters<typeof Facts>[0]['rows'] {
  const { file, id, cwd, sessionVersion, bytes, first, last, end, textLimit, requests, isPreambleKnown, size } =
    store.data;
  const { model } = store.envelope(requests.onPath - 1);
  return [
    ['File', file],
    ['Session', id],
    ['Folder', cwd ?? 'not recorded'],
    ['Started', timeText(first)],
    ['Ended', timeText(last)],
    ['Size', `${byteSize(bytes)}, version ${sessionVersion ?? 'unknown'}`],
    ['Last entry', end === -1 ? 'the session is empty' : <EntryLink entry={end} />],
    ['Context', `${sizeText(size)} tokens: ${sizeSource(size, { model: { modelId: model } })}`],
    [
      'System prompt and tools',
      isPreambleKnown ? 'recorded or supplied' : 'not recorded: their tokens are not itemised',
    ],
    ['Token counts', 'recorded by the provider for requests, estimated for single messages (4 characters per token)'],
    ...(textLimit === null ? [] : [['Texts', `truncated at ${byteSize(textLimit)} per entry`] as const]),
    ...(requests.leftOut === 0 ? [] : [['Branches', leftOutText(requests.leftOut)] as const]),
  ];
}

function leftOutText(leftOut: number): string {
  return `${plural(leftOut, 'request')} of other branches omitted; ctx report --at ID shows one branch`;
}
