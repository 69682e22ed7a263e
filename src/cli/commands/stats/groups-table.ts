import type { StatsDocument, StatsGroup, UsageDocument } from '#analysis/stats/document.js';
import type { UsageGroups } from '#analysis/stats/usage-groups.js';
import { describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { formatCount, formatShortCount } from '#base/numbers.js';
import { type Column, type Doc, flexible, heading, left, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import { COLUMN_GAP, DEFAULT_COLUMNS, dropProviders, measureTable, measureWidest } from './table-width.js';
import { renderCostNotes } from './tables.js';

const CELLS = { least: 4, enough: 8, most: 24 };
/** The minimum width of a session's or project's name. */
const KEY_CELLS = 26;

type Groups = NonNullable<StatsDocument['groups']>;
type GroupsReport = Pick<UsageGroups, 'usageRecorded' | 'tools' | 'groups'> & { readonly sessions: readonly unknown[] };

/** The groups of `--by` with their total. A bar follows the number that it draws. `models`: the usage by model. */
export function renderGroups(document: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
  const { by, groupings, rows } = document.groups;
  if (groupings.length > 1) return renderJoinedGroups(document, models, columns);
  const all = [...rows, sumGroups(document, rows)];
  const isLong = isPath(by);
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const { keys, numbers } = chooseNumbers(document, all, columns);
  const formatNumbers = (say: Say): Texts => all.map((group) => numbers.texts(group, say));
  const exact = formatNumbers(formatCount);
  const names = isLong ? KEY_CELLS : measureWidest(['total', by, ...keys]);
  const measureRoom = (texts: Texts): number => wide - names - 2 * COLUMN_GAP - measureTable(numbers.titles, texts);
  const texts = measureRoom(exact) >= CELLS.enough ? exact : formatNumbers(formatShortCount);
  // Names of models matter more than bars.
  const least = by === 'model' ? 0 : CELLS.least;
  const cells = measureRoom(texts) < CELLS.least ? least : Math.min(CELLS.most, measureRoom(texts));
  const room = columns === Infinity ? Infinity : names + measureRoom(texts) - cells;
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const buildRow = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const drawn = isTotal || cells === 0 ? '' : renderBar(numbers.value(group), longest, cells);
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const row = values.toSpliced(numbers.drawn, 0, span(drawn, 'messages'));
    const name = isTotal ? span('total', 'strong') : renderKey(cutStart(keys[at] ?? '', room));
    return isLong ? [...row, name] : [name, ...row];
  };
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    table(buildColumns(by, numbers), all.map(buildRow)),
    ...(by === 'tool' ? [] : renderCostNotes(document.usageRecorded, models)),
  ];
}

/** The groups of several `--by`, with a column for each. */
function renderJoinedGroups(document: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
  const { groupings, rows } = document.groups;
  const all = [...rows, sumGroups(document, rows)];
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const numbers = PROVIDERS;
  const texts = all.map((group) => numbers.texts(group, formatShortCount));
  const keys = rows.map((row) => row.keys);
  const natural = groupings.map((name, at) => measureWidest([name, 'total', ...keys.map((key) => key[at] ?? '')]));
  const room = wide - measureTable(numbers.titles, texts) - groupings.length * COLUMN_GAP - CELLS.least - COLUMN_GAP;
  // Tables cut longer cells at their end.
  const widths = columns === Infinity ? natural.map((width) => Math.min(width, MOST_KEY)) : fitWidths(natural, room);
  const rest = room - widths.reduce((sum, width) => sum + width, 0);
  const cells = Math.max(CELLS.least, Math.min(CELLS.most, CELLS.least + rest));
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const buildRow = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const names = groupings.map((_, place) => {
      if (isTotal) return span(place === 0 ? 'total' : '', 'strong');
      return renderJoinedKey(cutStart(group.keys[place] ?? '', widths[place] ?? 0), isRepeated(keys, at, place));
    });
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    return [...names, ...values, span(isTotal ? '' : renderBar(numbers.value(group), longest, cells), 'messages')];
  };
  return [
    heading(2, `Recorded by providers, by ${groupings.join(', ')}`),
    table([...groupings.map(left), ...numbers.titles.map(right), left('')], all.map(buildRow)),
    ...renderCostNotes(document.usageRecorded, models),
  ];
}

/** Widths that add up to a room: the widest give way. */
function fitWidths(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_KEY) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

const LEAST_KEY = 6;
const MOST_KEY = 40;

/** Whether a key and those before it are those of the row above. */
function isRepeated(keys: readonly (readonly string[])[], at: number, place: number): boolean {
  const above = keys[at - 1];
  return above !== undefined && keys[at]?.slice(0, place + 1).every((key, index) => key === above[index]) === true;
}

function renderJoinedKey(key: string, isFaint: boolean): Span {
  if (key === '') return span('unknown', 'faint');
  return span(key, isFaint ? 'faint' : 'strong');
}

/** The names and numbers of the rows. Of models, the providers give way to a narrow width, then the bars, then the number of sessions. */
function chooseNumbers(
  document: GroupsReport,
  all: readonly StatsGroup[],
  columns: number,
): { readonly keys: readonly string[]; readonly numbers: Numbers } {
  const { by, rows } = document.groups;
  const keys = rows.map(({ key }) => key);
  const numbers = numbersOf(by, document);
  if (by !== 'model') return { keys, numbers };
  const shortest = all.map((group) => numbers.texts(group, formatShortCount));
  const room = columns - 2 * COLUMN_GAP - measureTable(numbers.titles, shortest);
  if (measureWidest(keys) + CELLS.least <= room) return { keys, numbers };
  const short = dropProviders(keys);
  return { keys: short, numbers: measureWidest(short) <= room ? numbers : PROVIDERS };
}

/** Names of files and folders are long, and differ at their ends, so they come last. */
function isPath(by: Groups['by']): boolean {
  return by === 'session' || by === 'project';
}

function buildColumns(by: Groups['by'], { titles, drawn }: Numbers): readonly Column[] {
  const numbers = titles.map(right).toSpliced(drawn, 0, left(''));
  if (isPath(by)) return [...numbers, flexible(by)];
  return [flexible(by), ...numbers];
}

/** The sums of all rows. A session may be in several rows and is counted once. */
function sumGroups({ sessions, usageRecorded, tools = [] }: GroupsReport, rows: readonly StatsGroup[]): StatsGroup {
  const sumTools = (of: (tool: StatsDocument['tools'][number]) => number): number =>
    tools.reduce((all, tool) => all + of(tool), 0);
  return {
    key: '',
    keys: [],
    sessions: sessions.length,
    usageRecorded,
    toolCalls: sumTools(({ calls }) => calls),
    toolErrors: sumTools(({ errors }) => errors),
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
function numbersOf(by: Groups['by'], { sessions }: GroupsReport): Numbers {
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
  titles: ['calls', 'input', 'reads', 'writes', 'output', 'cost'],
  value: ({ usageRecorded }) => sumKnownCost(usageRecorded) + usageRecorded.total * FAR_BELOW,
  drawn: 6,
  texts({ usageRecorded }, say) {
    const { calls, input, cacheRead, cacheWrite, output } = usageRecorded;
    const tokens = [input, cacheRead, cacheWrite, output];
    return [formatCount(calls), ...tokens.map(say), describeUsageCost(usageRecorded, '?')];
  },
};

/** Dollars for a token where no cost is known, so that bars follow the tokens. */
const FAR_BELOW = 1e-12;

const TOOLS: Numbers = {
  titles: ['calls', 'errors', 'est. result tokens'],
  value: ({ tokensEstimated }) => tokensEstimated ?? 0,
  drawn: 3,
  texts: ({ toolCalls, toolErrors, tokensEstimated }) =>
    [toolCalls, toolErrors, tokensEstimated].map((of) => formatCount(of ?? 0)),
};

/** The end of a name, which distinguishes files of one folder and models of one provider. */
function cutStart(key: string, cells: number): string {
  return key.length <= cells ? key : `…${key.slice(1 - cells).replace(/^[\udc00-\udfff]/, '')}`;
}

function renderKey(key: string): Span {
  return key === '' ? span('unknown', 'faint') : span(key, 'strong');
}
