import { rebilledBy } from '#analysis/cache/breaks.js';
import { shortSizeText, sizeSource, sizeText } from '#ui/parts/size-words.js';
import { contextChart } from './charts.js';
import { composition } from './colors.js';
import {
  assumedNote,
  byteSize,
  type Child,
  count,
  dollars,
  el,
  type PageView,
  percent,
  plural,
  shortCount,
  tiles,
  timeText,
  visibleLine,
} from './dom.js';
import { entryLink } from './entry-detail.js';
import type { Store } from './store.js';

const MOST_LISTED = 5;

/** The overview: key figures, context size, cache breaks and problems. */
export function overview(store: Store): PageView {
  const { requests, cache } = store.data;
  const last = requests.onPath - 1;
  const chart = contextChart(store);
  const breaks = cache.breaks.toSorted(([, a], [, b]) => rebilledBy(b) - rebilledBy(a)).slice(0, MOST_LISTED);
  return {
    element: el(
      'div',
      {},
      numbers(store),
      chart.element,
      el('h2', {}, 'Current context'),
      composition(store, last),
      breaks.length > 0 && el('h2', {}, 'Largest cache breaks'),
      breaks.length > 0 &&
        el(
          'ul',
          { class: 'plain' },
          ...breaks.map(([at, broken]) =>
            el(
              'li',
              {},
              el('a', { href: `#diff=${at}..${at + 1}` }, `Request ${at + 1}`),
              ` ${broken.class}: ${plural(rebilledBy(broken), 'token')} re-billed${broken.rebilledTokens === null ? ', estimated' : ''} · `,
              el('span', { class: 'quiet' }, visibleLine(broken.what)),
            ),
          ),
        ),
      ...problemList(store),
      facts(store),
    ),
    redraw: () => chart.draw(),
  };
}

function numbers(store: Store): HTMLElement {
  const { requests, cache, cost, losses, entries, size, window } = store.data;
  const { requestsRecorded, cacheRead, promptTokens, rebilledTokens, rebilledTokensEstimated } = cache.summary;
  const branches = requests.entries.length - requests.onPath + requests.leftOut;
  const room = window.tokens === null ? '' : `of ${shortCount(window.tokens)}${assumedNote(window)}, `;
  return tiles([
    {
      title: 'Context',
      value: shortSizeText(size),
      note: `${room}${sizeNote(size)}`,
      link: `#request=${requests.onPath}`,
    },
    {
      title: 'Cost',
      value: dollars(cost.usageRecorded.cost),
      note: cost.usageRecorded.cost === null ? '' : 'all branches',
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
  ]);
}

function sizeNote({ recorded, estimated }: Store['data']['size']): string {
  if (estimated === 0) return 'tokens, recorded';
  return recorded === 0 ? 'tokens, estimated' : 'tokens, partly estimated';
}

function problemList({ data: { problems } }: Store): readonly Child[] {
  if (problems.length === 0) return [];
  return [
    el('h2', {}, 'Problems in the file'),
    el('ul', { class: 'plain' }, ...problems.map((problem) => el('li', {}, visibleLine(problem)))),
  ];
}

function facts(store: Store): HTMLElement {
  const { file, id, cwd, sessionVersion, bytes, first, last, end, textLimit, requests, isPreambleKnown, size } =
    store.data;
  const rows: readonly (readonly [string, Child])[] = [
    ['File', visibleLine(file)],
    ['Session', visibleLine(id)],
    ['Folder', visibleLine(cwd ?? 'not recorded')],
    ['Started', timeText(first)],
    ['Ended', timeText(last)],
    ['Size', `${byteSize(bytes)}, version ${sessionVersion ?? 'unknown'}`],
    ['Last entry', end === -1 ? 'the session is empty' : entryLink(store, end)],
    [
      'Context',
      `${sizeText(size)} tokens: ${sizeSource(size, { model: { modelId: store.envelope(requests.onPath - 1).model } })}`,
    ],
    [
      'System prompt and tools',
      isPreambleKnown ? 'recorded or supplied' : 'not recorded: their tokens are not itemised',
    ],
    ['Token counts', 'recorded by the provider for requests, estimated for single messages (4 characters per token)'],
    ...(textLimit === null ? [] : [['Texts', `truncated at ${byteSize(textLimit)} per entry`] as const]),
    ...(requests.leftOut === 0
      ? []
      : [
          [
            'Branches',
            `${plural(requests.leftOut, 'request')} of other branches omitted; ctx report --at ID shows one branch`,
          ] as const,
        ]),
  ];
  return el('dl', { class: 'facts' }, ...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}
