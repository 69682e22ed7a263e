import type { ReportData } from '../data.js';
import type { IndexedSession, IndexReport } from '../data.js';
import {
  byteSize,
  choice,
  count,
  dollars,
  el,
  fill,
  fillingView,
  plural,
  shortCount,
  tiles,
  timeText,
  visibleLine,
} from './dom.js';
import { searchField } from './entries-view.js';
import { showSession } from './session-page.js';
import { Split } from './split.js';
import type { Row } from './virtual-list.js';

const ORDERS = [
  ['modified', 'Newest first'],
  ['cost', 'Most expensive first'],
  ['contextTokens', 'Largest context first'],
  ['entries', 'Most entries first'],
  ['bytes', 'Largest file first'],
  ['problems', 'Most problems first'],
] as const;
type Order = (typeof ORDERS)[number][0];

/** Shows the sessions of a folder, with sizes and costs. */
function showIndex(data: IndexReport): void {
  const { sessions, folder } = data;
  let shown: readonly IndexedSession[] = sessions;
  let order: Order = 'modified';
  let words = '';
  const found = el('p', { class: 'quiet', role: 'status' });
  const split = new Split({
    label: 'Sessions',
    name: 'session',
    row: (at) => rowOf(shown[at]),
    detail: (at) => detailOf(shown[at]),
  });
  const show = (): void => {
    const text = words.toLowerCase().trim();
    const matching = sessions.filter((session) => haystack(session).includes(text));
    shown = matching.toSorted((a, b) => (b[order] ?? -1) - (a[order] ?? -1));
    found.textContent = `${count(shown.length)} of ${plural(sessions.length, 'session')}`;
    split.show(shown.length);
    split.choose(0);
  };
  const search = searchField((value) => {
    words = value;
    show();
  });
  const orders = choice('Order', ORDERS, (value) => {
    order = value;
    show();
  });
  fill(document.body, ...indexPage(data, fillingView([search.label, orders, found], split.element)));
  document.title = `Sessions in ${visibleLine(folder)}`;
  show();
}

function indexPage(data: IndexReport, list: HTMLElement): readonly HTMLElement[] {
  const { folder, version, unreadable } = data;
  const title = el('h1', {}, `Sessions in ${visibleLine(folder)}`);
  const failures = unreadable.map(([file, why]) => el('li', {}, visibleLine(`${file}: ${why}`)));
  return [
    el('header', { class: 'top' }, el('div', { class: 'title' }, title, el('p', { class: 'quiet' }, `ctx ${version}`))),
    el(
      'main',
      { id: 'main' },
      numbers(data),
      el('h2', { class: 'sr' }, 'All sessions'),
      list,
      failures.length > 0 && el('h2', {}, 'Unreadable files'),
      failures.length > 0 && el('ul', { class: 'plain' }, ...failures),
    ),
  ];
}

function numbers({ sessions, unreadable }: IndexReport): HTMLElement {
  const costs = sessions.flatMap(({ cost }) => cost ?? []);
  return tiles([
    {
      title: 'Sessions',
      value: count(sessions.length),
      note: unreadable.length > 0 ? plural(unreadable.length, 'unreadable file') : '',
    },
    {
      title: 'Cost',
      value: dollars(costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)),
      note: 'recorded, all branches',
    },
    { title: 'Entries', value: count(sessions.reduce((sum, { entries }) => sum + entries, 0)), note: '' },
    { title: 'Size', value: byteSize(sessions.reduce((sum, { bytes }) => sum + bytes, 0)), note: '' },
  ]);
}

function haystack({ title, file, id, cwd, model }: IndexedSession): string {
  return [title, file, id, cwd, model].join('\n').toLowerCase();
}

function rowOf(session: IndexedSession | undefined): Row {
  if (!session) return { className: '', children: [] };
  const { title, modified, contextTokens, cost, problems } = session;
  return {
    className: '',
    children: [
      el('span', { class: 'time' }, timeText(modified).slice(0, 10)),
      el('span', { class: 'preview' }, visibleLine(title)),
      problems > 0 && el('span', { class: 'label' }, plural(problems, 'problem')),
      el('span', { class: 'tokens' }, shortCount(contextTokens)),
      el('span', { class: 'tokens cost' }, cost === null ? '' : dollars(cost)),
    ],
  };
}

function detailOf(session: IndexedSession | undefined): readonly HTMLElement[] {
  if (!session) return [];
  const { title, file, id, cwd, modified, bytes, entries, model, contextTokens, isContextRecorded, cost, problems } =
    session;
  const facts: readonly (readonly [string, string])[] = [
    ['File', file],
    ['Session', id],
    ['Folder', cwd ?? 'not recorded'],
    ['Modified', timeText(modified)],
    ['Size', `${byteSize(bytes)}, ${plural(entries, 'entry', 'entries')}`],
    ['Model', model],
    ['Context', `${plural(contextTokens, 'token')}, ${isContextRecorded ? 'recorded' : 'estimated'}`],
    ['Cost', dollars(cost)],
    ['Problems', count(problems)],
    ['Report', `ctx report '${file.replaceAll("'", String.raw`'\''`)}' -o report.html`],
  ];
  return [
    el('h3', {}, visibleLine(title)),
    el(
      'dl',
      { class: 'facts' },
      ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, visibleLine(value))]),
    ),
  ];
}

const element = document.getElementById('data');
// ctx writes the data into the page.
const data = JSON.parse(element?.textContent ?? '') as ReportData;
if (data.kind === 'session') showSession(data);
else showIndex(data);
