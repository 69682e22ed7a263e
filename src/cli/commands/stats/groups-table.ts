import type { StatsDocument, StatsGroup, UsageDocument } from '#analysis/stats/document.js';
import type { UsageGroups } from '#analysis/stats/stats-report.js';
import { describeUsageCost, NO_MODEL } from '#analysis/stats/usage-sums.js';
import { formatCount, formatShortCount, pluralize } from '#base/words.js';
import {
  type Column,
  type Doc,
  flexible,
  gap,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import { renderCostNotes, renderUnusedNote } from './tables.js';

const CELLS = { least: 4, enough: 8, most: 24 };
/** The minimum width of a session's or project's name. */
const KEY_CELLS = 26;
const COLUMN_GAP = 2;

type Groups = NonNullable<StatsDocument['groups']>;
type GroupsReport = Pick<UsageGroups, 'usageRecorded' | 'tools' | 'groups'> & { readonly sessions: readonly unknown[] };

/** The groups of `--by` with their total. A bar follows the number that it draws. `models`: the usage by model. */
export function renderGroups(report: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
  const { by, rows } = report.groups;
  const all = [...rows, totalOf(report, rows)];
  const isLong = isPath(by);
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const { keys, numbers } = columnsFor(report, all, columns);
  const textsOf = (say: Say): Texts => all.map((group) => numbers.texts(group, say));
  const exact = textsOf(formatCount);
  const names = isLong ? KEY_CELLS : widest(['total', by, ...keys]);
  const roomFor = (texts: Texts): number => wide - names - 2 * COLUMN_GAP - widthOf(numbers.titles, texts);
  const texts = roomFor(exact) >= CELLS.enough ? exact : textsOf(formatShortCount);
  // Names of models matter more than bars.
  const least = by === 'model' ? 0 : CELLS.least;
  const cells = roomFor(texts) < CELLS.least ? least : Math.min(CELLS.most, roomFor(texts));
  const room = columns === Infinity ? Infinity : names + roomFor(texts) - cells;
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const rowOf = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const drawn = isTotal || cells === 0 ? '' : renderBar(numbers.value(group), longest, cells);
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const row = values.toSpliced(numbers.drawn, 0, span(drawn, 'messages'));
    const name = isTotal ? span('total', 'strong') : keySpan(endOf(keys[at] ?? '', room));
    return isLong ? [...row, name] : [name, ...row];
  };
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    table(columnsOf(by, numbers), all.map(rowOf)),
    ...(by === 'tool' ? [] : renderCostNotes(report.usageRecorded, models)),
  ];
}

/** The names and numbers of the rows. Of models, the providers give way to a narrow width, then the bars, then the number of sessions. */
function columnsFor(
  report: GroupsReport,
  all: readonly StatsGroup[],
  columns: number,
): { readonly keys: readonly string[]; readonly numbers: Numbers } {
  const { by, rows } = report.groups;
  const keys = rows.map(({ key }) => key);
  const numbers = numbersFor(by, report);
  if (by !== 'model') return { keys, numbers };
  const shortest = all.map((group) => numbers.texts(group, formatShortCount));
  const room = columns - 2 * COLUMN_GAP - widthOf(numbers.titles, shortest);
  if (widest(keys) + CELLS.least <= room) return { keys, numbers };
  const short = withoutProviders(keys);
  return { keys: short, numbers: widest(short) <= room ? numbers : PROVIDERS };
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
    texts: (group, say) => [formatCount(group.sessions), ...numbers.texts(group, say)],
  };
}

const PROVIDERS: Numbers = {
  titles: ['calls', 'input', 'cache', 'output', 'total', 'cost'],
  value: ({ usageRecorded }) => usageRecorded.total,
  drawn: 5,
  texts({ usageRecorded }, say) {
    const { calls, input, cacheRead, cacheWrite, output, total } = usageRecorded;
    const tokens = [input, cacheRead + cacheWrite, output, total];
    return [formatCount(calls), ...tokens.map(say), describeUsageCost(usageRecorded, '?')];
  },
};

const TOOLS: Numbers = {
  titles: ['calls', 'errors', 'est. result tokens'],
  value: ({ tokensEstimated }) => tokensEstimated ?? 0,
  drawn: 3,
  texts: ({ toolCalls, toolErrors, tokensEstimated }) =>
    [toolCalls, toolErrors, tokensEstimated].map((of) => formatCount(of ?? 0)),
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

/** The width of tables without a terminal. */
export const DEFAULT_COLUMNS = 80;

/** The usage that providers recorded, by model and by source. */
export function renderUsage(report: StatsDocument, isFull: boolean, columns: number): Doc {
  const { usageRecorded: all, usageRecordedByModel: models, usageRecordedBySource: bySource } = report;
  if (models.length === 0) return [gap, heading(2, 'Recorded by providers'), line(span('  nothing', 'faint'))];
  const shown = isFull ? models : models.slice(0, MOST_MODELS);
  const rest = models.length - shown.length;
  const sources = bySource.filter(({ source }) => source !== 'requests' || bySource.length > 1);
  const lines: readonly UsageLine[] = [
    ...shown.map((of): UsageLine => [span(of.model, 'strong'), of]),
    ...(models.length > 1 || sources.length > 0 ? [[span('all'), all] as const] : []),
    ...sources.map((of): UsageLine => [span(`  ${of.source}`, 'faint'), of]),
  ];
  const { titles, rows } = usageTable(lines, columns);
  const more: Row[] = rest > 0 ? [[span(`… ${pluralize(rest, 'more model')}: --full shows all`, 'faint')]] : [];
  return [
    gap,
    heading(2, 'Recorded by providers'),
    table(
      [flexible('model'), ...titles.map(right)],
      [...rows.slice(0, shown.length), ...more, ...rows.slice(shown.length)],
    ),
    ...renderUnusedNote(all, models),
    ...renderCostNotes(all, models),
  ];
}

const MOST_MODELS = 5;
const USAGE_TITLES = ['calls', 'input', 'output', 'cache read', 'cache write', 'total', 'cost'];

type Row = readonly Span[];
type UsageLine = readonly [name: Span, usage: UsageDocument];

interface UsageTable {
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
}

/** The usage with as much detail as fits: exact numbers, short ones, short ones without their total, then without providers. */
function usageTable(all: readonly UsageLine[], columns: number): UsageTable {
  const room = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const tableOf = (text: (value: number) => string): UsageTable => ({
    titles: USAGE_TITLES,
    rows: all.map((each) => usageRow(each, text)),
  });
  const short = tableOf(formatShortCount);
  const candidates = [tableOf(formatCount), short, without(short, 'total')];
  const fitting = candidates.find((each) => usageWidth(each) <= room);
  if (fitting || columns === Infinity) return fitting ?? short;
  const narrow = withShortNames(without(short, 'total'));
  return columns < NARROW ? without(narrow, 'cache write') : narrow;
}

function usageRow([name, usage]: UsageLine, text: (value: number) => string): Row {
  const { calls, input, output, cacheRead, cacheWrite, total } = usage;
  const numbers = [input, output, cacheRead, cacheWrite, total].map(text);
  return [name, ...[formatCount(calls), ...numbers, describeUsageCost(usage, '?')].map((cell) => span(cell))];
}

const NARROW = 70;

function without({ titles, rows }: UsageTable, title: string): UsageTable {
  const at = titles.indexOf(title);
  return { titles: titles.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at + 1, 1)) };
}

function withShortNames({ titles, rows }: UsageTable): UsageTable {
  const names = withoutProviders(rows.map(([name]) => name?.text ?? ''));
  return {
    titles,
    rows: rows.map(([name, ...cells], at) => [{ ...span(''), ...name, text: names[at] ?? '' }, ...cells]),
  };
}

/** Names of models without their providers, if they stay distinct. A provider without a model keeps its name. */
function withoutProviders(names: readonly string[]): readonly string[] {
  const short = names.map((name) => (name === NO_MODEL ? name : name.replace(/^(?:[^\s/]+\/)+(?=.)/, '')));
  return new Set(short).size < names.length ? names : short;
}

/** The width of a table, including its margin. */
function usageWidth({ titles, rows }: UsageTable): number {
  return widthOf(
    ['model', ...titles],
    rows.map((row) => row.map(({ text }) => text)),
  );
}
