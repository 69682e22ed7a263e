import type { StatsDocument, StatsGroup } from '#analysis/stats/document.js';
import type { UsageReport } from '#analysis/stats/report.js';
import { count, shortCount } from '#base/words.js';
import { type Column, type Doc, flexible, heading, left, right, type Span, span } from '#ui/doc/doc.js';
import { bar } from '#ui/parts/sparkline.js';
import { listedNote, usageCost } from './tables.js';
import { USUAL_COLUMNS } from './usage-table.js';

const CELLS = { least: 4, enough: 8, most: 24 };
/** The minimum width of a session's or project's name. */
const KEY_CELLS = 26;
const COLUMN_GAP = 2;

type Groups = NonNullable<StatsDocument['groups']>;
type GroupsReport = Pick<UsageReport, 'usageRecorded' | 'tools' | 'groups'> & { readonly sessions: readonly unknown[] };

/** The groups of `--by` with their total. A bar follows the number that it draws. */
export function groupsTable(report: GroupsReport, columns: number): Doc {
  const { by, rows } = report.groups;
  const numbers = numbersFor(by, report);
  const all = [...rows, totalOf(report, rows)];
  const isLong = isPath(by);
  const names = isLong ? KEY_CELLS : widest(['total', by, ...rows.map(({ key }) => key)]);
  const wide = columns === Infinity ? USUAL_COLUMNS : columns;
  const roomFor = (texts: Texts): number => wide - names - 2 * COLUMN_GAP - widthOf(numbers.titles, texts);
  const textsOf = (say: Say): Texts => all.map((group) => numbers.texts(group, say));
  const exact = textsOf(count);
  const texts = roomFor(exact) >= CELLS.enough ? exact : textsOf(shortCount);
  const cells = Math.max(CELLS.least, Math.min(CELLS.most, roomFor(texts)));
  const room = columns === Infinity ? Infinity : names + roomFor(texts) - cells;
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const rowOf = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const drawn = isTotal ? '' : bar(numbers.value(group), longest, cells);
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const row = values.toSpliced(numbers.drawn, 0, span(drawn, 'messages'));
    const name = isTotal ? span('total', 'strong') : keySpan(endOf(group.key, room));
    return isLong ? [...row, name] : [name, ...row];
  };
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    { kind: 'table', hasTitles: true, columns: columnsOf(by, numbers), rows: all.map(rowOf) },
    ...(by === 'tool' ? [] : listedNote(report.usageRecorded)),
  ];
}

/** Names of files and folders are long, and differ at their ends, so they come last. */
function isPath(by: Groups['by']): boolean {
  return by === 'session' || by === 'project';
}

function columnsOf(by: Groups['by'], { titles, drawn }: Numbers): readonly Column[] {
  const numbers = titles.map(right).toSpliced(drawn, 0, left(''));
  if (isPath(by)) return [...numbers, flexible(by)];
  return [flexible(by), ...numbers];
}

/** The sums of all rows. A session may be in several rows and is counted once. */
function totalOf({ sessions, usageRecorded, tools = [] }: GroupsReport, rows: readonly StatsGroup[]): StatsGroup {
  const sum = (of: (tool: StatsDocument['tools'][number]) => number): number =>
    tools.reduce((all, tool) => all + of(tool), 0);
  return {
    key: '',
    sessions: sessions.length,
    usageRecorded,
    toolCalls: sum(({ calls }) => calls),
    toolErrors: sum(({ errors }) => errors),
    tokensEstimated: rows.reduce((all, row) => all + (row.tokensEstimated ?? 0), 0),
  };
}

type Say = (value: number) => string;
type Texts = readonly (readonly string[])[];

interface Numbers {
  readonly titles: readonly string[];
  /** The number that is drawn, and the place of its bar. */
  value(group: StatsGroup): number;
  readonly drawn: number;
  texts(group: StatsGroup, say: Say): readonly string[];
}

/** The numbers of a row, led by its sessions where rows can differ in them. */
function numbersFor(by: Groups['by'], { sessions }: GroupsReport): Numbers {
  const numbers = by === 'tool' ? TOOLS : PROVIDERS;
  if (by === 'session' || sessions.length < 2) return numbers;
  return {
    titles: ['sessions', ...numbers.titles],
    value: (group) => numbers.value(group),
    drawn: numbers.drawn + 1,
    texts: (group, say) => [count(group.sessions), ...numbers.texts(group, say)],
  };
}

const PROVIDERS: Numbers = {
  titles: ['calls', 'input', 'cache', 'output', 'total', 'cost'],
  value: ({ usageRecorded }) => usageRecorded.total,
  drawn: 5,
  texts({ usageRecorded }, say) {
    const { calls, input, cacheRead, cacheWrite, output, total } = usageRecorded;
    const tokens = [input, cacheRead + cacheWrite, output, total];
    return [count(calls), ...tokens.map(say), usageCost(usageRecorded)];
  },
};

const TOOLS: Numbers = {
  titles: ['calls', 'errors', 'est. result tokens'],
  value: ({ tokensEstimated }) => tokensEstimated ?? 0,
  drawn: 3,
  texts: ({ toolCalls, toolErrors, tokensEstimated }) =>
    [toolCalls, toolErrors, tokensEstimated].map((of) => count(of ?? 0)),
};

/** The approximate width of the numbers. */
function widthOf(titles: readonly string[], texts: Texts): number {
  return titles.reduce((sum, title, at) => sum + COLUMN_GAP + widest([title, ...texts.map((row) => row[at] ?? '')]), 0);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The end of a name, which distinguishes files of one folder and models of one provider. */
function endOf(key: string, cells: number): string {
  return key.length <= cells ? key : `…${key.slice(1 - cells).replace(/^[\udc00-\udfff]/, '')}`;
}

function keySpan(key: string): Span {
  return key === '' ? span('unknown', 'faint') : span(key, 'strong');
}
