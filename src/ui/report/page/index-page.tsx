import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { IndexedSession, IndexReport } from '#analysis/report/document.js';
import { describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy } from '#base/lists.js';
import { formatBytes, formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { buildSiteCharts } from './chart-data.js';
import { Chart } from './chart.js';
import { Select, StatusNote, useSearch } from './controls.js';
import { PropertyList, TitledList } from './lists.js';
import { SplitList } from './split-list.js';
import { type Tile, Tiles } from './tiles.js';
import { formatClockMinute } from './words.js';

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
  const charts = buildSiteCharts(sessions);
  const title = `Sessions in ${toVisibleLine(folder)}`;
  return (
    <>
      <header className="top">
        <h1>{title}</h1>
        <p className="quiet">{`ctx ${version}`}</p>
      </header>
      <main id="main">
        <Tiles all={buildTiles(data)} />
        <h2 className="sr">List of sessions</h2>
        <Sessions sessions={sessions} />
        {charts.length > 0 && <h2>All sessions, the oldest first</h2>}
        {charts.map((chart) => (
          <Chart key={chart.title} data={chart} />
        ))}
        <TitledList title="Unreadable files" all={unreadable.map((each) => each.join(': '))} />
      </main>
    </>
  );
}

function buildTiles({ cost, costListed, sessions, unreadable }: IndexReport): readonly Tile[] {
  const { length } = unreadable;
  const unpriced = sessions.filter(({ figures }) => (figures?.unpricedCalls ?? 0) > 0).length;
  const without = unpriced === 0 ? '' : `; without calls of unknown price in ${pluralize(unpriced, 'session')}`;
  return [
    ['Sessions', formatCount(sessions.length), length > 0 ? pluralize(length, 'unreadable file') : ''],
    [
      'Cost',
      describeUsageCost({ cost, costListed }, 'not recorded'),
      `${costListed === null ? 'recorded, all branches' : 'all branches, with listed prices'}${without}`,
    ],
    ['Entries', formatCount(sumBy(sessions, ({ entries }) => entries))],
    ['Size', formatBytes(sumBy(sessions, ({ bytes }) => bytes))],
  ];
}

function Sessions({ sessions }: Pick<IndexReport, 'sessions'>): ReactNode {
  const [order, setOrder] = useState<Order>('modified');
  const [chosen, setChosen] = useState(0);
  const [field, words] = useSearch();
  const shown = useMemo(() => {
    const matching = sessions.filter((session) => joinSearchedText(session).includes(words));
    return matching.toSorted((a, b) => findOrderValue(b, order) - findOrderValue(a, order));
  }, [sessions, words, order]);
  useEffect(() => setChosen(0), [shown]);
  return (
    <>
      <div className="controls">
        {field}
        <Select label="Order" options={ORDERS} value={order} onChange={setOrder} />
        <StatusNote text={`${formatCount(shown.length)} of ${pluralize(sessions.length, 'session')}`} />
      </div>
      <SplitList
        label="Sessions"
        items={shown}
        chosen={Math.min(chosen, shown.length - 1)}
        onChoose={setChosen}
        onOpen={(at) => {
          const page = shown[at]?.page;
          if (page !== undefined) location.href = page;
        }}
        row={renderRow}
        detail={renderDetail}
      />
    </>
  );
}

/** The value that an order compares; -1: none. */
function findOrderValue(session: IndexedSession, order: Order): number {
  if (order !== 'cost') return session[order];
  return session.cost === null && session.costListed === null ? -1 : sumKnownCost(session);
}

function joinSearchedText({ title, file, id, cwd, model }: IndexedSession): string {
  return [title, file, id, cwd, model].join('\n').toLowerCase();
}

function renderRow(session: IndexedSession): ReactNode {
  const { title, modified, contextTokens, isContextRecorded, problems } = session;
  return (
    <>
      <span className="time">{formatClockMinute(modified).slice(0, 10)}</span>
      <span className="preview">{toVisibleLine(title)}</span>
      {problems > 0 && <span className="label">{pluralize(problems, 'problem')}</span>}
      <span className="tokens">{`${isContextRecorded ? '' : '~'}${formatShortCount(contextTokens)}`}</span>
      <span className="tokens cost">{describeUsageCost(session, '')}</span>
    </>
  );
}

function renderDetail(session: IndexedSession): ReactNode {
  const { title, file, id, cwd, modified, bytes, entries, model, contextTokens, isContextRecorded } = session;
  const { problems, page } = session;
  return (
    <>
      <h3>{toVisibleLine(title)}</h3>
      <PropertyList
        rows={[
          ['File', file],
          ['Session', id],
          ['Folder', cwd ?? 'not recorded'],
          ['Last entry', formatClockMinute(modified)],
          ['Size', `${formatBytes(bytes)}, ${pluralize(entries, 'entry', 'entries')}`],
          ['Model', model],
          ['Context', `${pluralize(contextTokens, 'token')}, ${isContextRecorded ? 'recorded' : 'estimated'}`],
          ['Cost', describeUsageCost(session, 'not recorded')],
          ['Problems', formatCount(problems)],
          ['Report', page ? <a href={page}>Open the page of this session</a> : formatReportCommand(file)],
        ]}
      />
    </>
  );
}

function formatReportCommand(file: string): string {
  return `ctx report '${file.replaceAll("'", String.raw`'\''`)}'`;
}
