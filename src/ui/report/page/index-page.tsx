import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { IndexedSession, IndexReport } from '#analysis/report/document.js';
import { costKnown, usageCostText } from '#analysis/stats/usage-sums.js';
import { sumOf } from '#base/lists.js';
import { visibleLine } from '#base/visible.js';
import { byteSize, count, plural, shortCount } from '#base/words.js';
import { siteCharts } from './chart-data.js';
import { Chart } from './chart.js';
import { Choice, Status, useSearch } from './controls.js';
import { Split } from './list.js';
import { Facts, Lines, type Tile, Tiles } from './parts.js';
import { timeText } from './words.js';

const ORDERS = [
  ['modified', 'Newest first'],
  ['cost', 'Most expensive first'],
  ['contextTokens', 'Largest context first'],
  ['entries', 'Most entries first'],
  ['bytes', 'Largest file first'],
  ['problems', 'Most problems first'],
] as const;
type Order = (typeof ORDERS)[number][0];

/** The page of a folder: its sessions, with sizes and costs. */
export function IndexPage({ data }: { data: IndexReport }): ReactNode {
  const { folder, version, unreadable, sessions } = data;
  const charts = siteCharts(sessions);
  const title = `Sessions in ${visibleLine(folder)}`;
  return (
    <>
      <header className="top">
        <h1>{title}</h1>
        <p className="quiet">{`ctx ${version}`}</p>
      </header>
      <main id="main">
        <Tiles all={tilesOf(data)} />
        <h2 className="sr">List of sessions</h2>
        <Sessions sessions={sessions} />
        {charts.length > 0 && <h2>All sessions, the oldest first</h2>}
        {charts.map((chart) => (
          <Chart key={chart.title} data={chart} />
        ))}
        <Lines title="Unreadable files" all={unreadable.map((each) => each.join(': '))} />
      </main>
    </>
  );
}

function tilesOf({ cost, costListed, sessions, unreadable }: IndexReport): readonly Tile[] {
  const { length } = unreadable;
  const unpriced = sessions.filter(({ figures }) => (figures?.unpricedCalls ?? 0) > 0).length;
  const without = unpriced === 0 ? '' : `; without calls of unknown price in ${plural(unpriced, 'session')}`;
  return [
    ['Sessions', count(sessions.length), length > 0 ? plural(length, 'unreadable file') : ''],
    [
      'Cost',
      usageCostText({ cost, costListed }, 'not recorded'),
      `${costListed === null ? 'recorded, all branches' : 'all branches, with listed prices'}${without}`,
    ],
    ['Entries', count(sumOf(sessions, ({ entries }) => entries))],
    ['Size', byteSize(sumOf(sessions, ({ bytes }) => bytes))],
  ];
}

function Sessions({ sessions }: Pick<IndexReport, 'sessions'>): ReactNode {
  const [order, setOrder] = useState<Order>('modified');
  const [chosen, setChosen] = useState(0);
  const [field, words] = useSearch();
  const shown = useMemo(() => {
    const matching = sessions.filter((session) => haystack(session).includes(words));
    return matching.toSorted((a, b) => valueIn(b, order) - valueIn(a, order));
  }, [sessions, words, order]);
  useEffect(() => setChosen(0), [shown]);
  return (
    <>
      <div className="controls">
        {field}
        <Choice label="Order" options={ORDERS} value={order} onChange={setOrder} />
        <Status text={`${count(shown.length)} of ${plural(sessions.length, 'session')}`} />
      </div>
      <Split
        label="Sessions"
        items={shown}
        chosen={Math.min(chosen, shown.length - 1)}
        onChoose={setChosen}
        onOpen={(at) => {
          const page = shown[at]?.page;
          if (page !== undefined) location.href = page;
        }}
        row={rowOf}
        detail={detailOf}
      />
    </>
  );
}

/** The value that an order compares; -1: none. */
function valueIn(session: IndexedSession, order: Order): number {
  if (order !== 'cost') return session[order];
  return session.cost === null && session.costListed === null ? -1 : costKnown(session);
}

function haystack({ title, file, id, cwd, model }: IndexedSession): string {
  return [title, file, id, cwd, model].join('\n').toLowerCase();
}

function rowOf(session: IndexedSession): ReactNode {
  const { title, modified, contextTokens, isContextRecorded, problems } = session;
  return (
    <>
      <span className="time">{timeText(modified).slice(0, 10)}</span>
      <span className="preview">{visibleLine(title)}</span>
      {problems > 0 && <span className="label">{plural(problems, 'problem')}</span>}
      <span className="tokens">{`${isContextRecorded ? '' : '~'}${shortCount(contextTokens)}`}</span>
      <span className="tokens cost">{usageCostText(session, '')}</span>
    </>
  );
}

function detailOf(session: IndexedSession): ReactNode {
  const { title, file, id, cwd, modified, bytes, entries, model, contextTokens, isContextRecorded } = session;
  const { problems, page } = session;
  return (
    <>
      <h3>{visibleLine(title)}</h3>
      <Facts
        rows={[
          ['File', file],
          ['Session', id],
          ['Folder', cwd ?? 'not recorded'],
          ['Last entry', timeText(modified)],
          ['Size', `${byteSize(bytes)}, ${plural(entries, 'entry', 'entries')}`],
          ['Model', model],
          ['Context', `${plural(contextTokens, 'token')}, ${isContextRecorded ? 'recorded' : 'estimated'}`],
          ['Cost', usageCostText(session, 'not recorded')],
          ['Problems', count(problems)],
          ['Report', page ? <a href={page}>Open the page of this session</a> : commandFor(file)],
        ]}
      />
    </>
  );
}

function commandFor(file: string): string {
  return `ctx report '${file.replaceAll("'", String.raw`'\''`)}'`;
}
