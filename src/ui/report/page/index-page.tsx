import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { IndexedSession, IndexReport } from '#analysis/report/document.js';
import { describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy } from '#base/lists.js';
import { formatBytes, formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { buildSiteCharts } from './chart-data.js';
import { Chart } from './chart.js';
import { type Option, Select, StatusNote, useSearch } from './controls.js';
import { PropertyList, TitledList } from './lists.js';
import { SplitList } from './split-list.js';
import { type Tile, Tiles } from './tiles.js';
import { formatClockMinute } from './words.js';

type Order = 'modified' | 'cost' | 'contextTokens' | 'entries' | 'bytes' | 'problems';

const ORDERS: readonly Option<Order>[] = [
  { value: 'modified', title: 'Newest first' },
  { value: 'cost', title: 'Most expensive first' },
  { value: 'contextTokens', title: 'Largest context first' },
  { value: 'entries', title: 'Most entries first' },
  { value: 'bytes', title: 'Largest file first' },
  { value: 'problems', title: 'Most problems first' },
];

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
  const prices = costListed === null ? 'recorded, all branches' : 'all branches, with listed prices';
  const entries = sumBy(sessions, (session) => session.entries);
  const bytes = sumBy(sessions, (session) => session.bytes);
  return [
    {
      title: 'Sessions',
      value: formatCount(sessions.length),
      note: length > 0 ? pluralize(length, 'unreadable file') : '',
    },
    { title: 'Cost', value: describeUsageCost({ cost, costListed }, 'not recorded'), note: `${prices}${without}` },
    { title: 'Entries', value: formatCount(entries), note: '' },
    { title: 'Size', value: formatBytes(bytes), note: '' },
  ];
}

function Sessions({ sessions }: Pick<IndexReport, 'sessions'>): ReactNode {
  const [order, setOrder] = useState<Order>('modified');
  const [chosen, setChosen] = useState(0);
  const { field, words } = useSearch();
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
  const source = isContextRecorded ? 'recorded' : 'estimated';
  const report = page ? <a href={page}>Open the page of this session</a> : formatReportCommand(file);
  return (
    <>
      <h3>{toVisibleLine(title)}</h3>
      <PropertyList
        properties={[
          { name: 'File', value: file },
          { name: 'Session', value: id },
          { name: 'Folder', value: cwd ?? 'not recorded' },
          { name: 'Last entry', value: formatClockMinute(modified) },
          { name: 'Size', value: `${formatBytes(bytes)}, ${pluralize(entries, 'entry', 'entries')}` },
          { name: 'Model', value: model },
          { name: 'Context', value: `${pluralize(contextTokens, 'token')}, ${source}` },
          { name: 'Cost', value: describeUsageCost(session, 'not recorded') },
          { name: 'Problems', value: formatCount(problems) },
          { name: 'Report', value: report },
        ]}
      />
    </>
  );
}

function formatReportCommand(file: string): string {
  return `ctx report '${file.replaceAll("'", String.raw`'\''`)}'`;
}
