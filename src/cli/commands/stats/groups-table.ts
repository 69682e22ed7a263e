import type { StatsDocument, StatsGroup, UsageDocument } from '#analysis/stats/document.js';
import type { UsageGroups } from '#analysis/stats/usage-groups.js';
import { describeUsageCost, sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy } from '#base/lists.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { type Column, type Doc, flexible, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import {
  COLUMN_GAP,
  cutDistinctly,
  DEFAULT_COLUMNS,
  dropProviders,
  measureTable,
  measureWidest,
  shortenModels,
} from './table-width.js';
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
  const shown = cutKeys(by, keys, room);
  const buildRow = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const drawn = isTotal || cells === 0 ? '' : renderBar(numbers.value(group), longest, cells);
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const row = values.toSpliced(numbers.drawn, 0, span(drawn, 'messages'));
    const name = isTotal ? span('total', 'strong') : renderKey(shown[at] ?? '');
    return isLong ? [...row, name] : [name, ...row];
  };
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    table(buildColumns(by, numbers), all.map(buildRow)),
    ...(numbers.titles[0] === 'sessions' ? renderSessionsNote(document) : []),
    ...(by === 'tool' ? [] : renderCostNotes(document.usageRecorded, models)),
  ];
}

/** The difference between the sessions of the rows and those of the total. */
function renderSessionsNote({ sessions, groups: { by, rows, sessionsOutside } }: GroupsReport): Doc {
  const inRows = sumBy(rows, (row) => row.sessions);
  const rowless = by === 'tool' ? 'without calls of tools' : 'without own calls';
  const notes = [
    ...(inRows + sessionsOutside > sessions.length ? ['the total counts a session of several rows once'] : []),
    ...(sessionsOutside > 0 ? [`the total includes ${pluralize(sessionsOutside, 'session')} ${rowless}`] : []),
  ];
  return notes.map((note) => line(span(`  ${note}`, 'faint')));
}

/** The groups of several `--by`, with a column for each. */
function renderJoinedGroups(document: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
  const { groupings, rows } = document.groups;
  const all = [...rows, sumGroups(document, rows)];
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const numbers = PROVIDERS;
  const texts = all.map((group) => numbers.texts(group, formatShortCount));
  const keys = rows.map((row) => row.keys);
  const room = wide - measureTable(numbers.titles, texts) - groupings.length * COLUMN_GAP;
  const { names, width } = fitKeys(groupings, keys, columns === Infinity ? Infinity : room);
  // Names matter more than bars.
  const rest = room - width - COLUMN_GAP;
  const cells = rest < CELLS.least ? 0 : Math.min(CELLS.most, rest);
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const buildRow = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const titles = groupings.map((_, place) => {
      if (isTotal) return span(place === 0 ? 'total' : '', 'strong');
      return renderJoinedKey(names[place]?.get(group.keys[place] ?? '') ?? '', isRepeated(keys, at, place));
    });
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const drawn = isTotal || cells === 0 ? '' : renderBar(numbers.value(group), longest, cells);
    return [...titles, ...values, span(drawn, 'messages')];
  };
  return [
    heading(2, `Recorded by providers, by ${groupings.join(', ')}`),
    table([...groupings.map(left), ...numbers.titles.map(right), left('')], all.map(buildRow)),
    ...renderCostNotes(document.usageRecorded, models),
  ];
}

/** The names of keys as they are shown, by the keys of each grouping, and the width of all columns of names. */
interface FittedKeys {
  readonly names: readonly ReadonlyMap<string, string>[];
  readonly width: number;
}

/** Fits the keys of several groupings into a room: first projects and the like are cut, then names of models are shortened. */
function fitKeys(groupings: Groups['groupings'], keys: readonly (readonly string[])[], room: number): FittedKeys {
  const distinct = groupings.map((_, place) => [...new Set(keys.map((key) => key[place] ?? ''))]);
  let fitted: FittedKeys = { names: [], width: 0 };
  for (const shorten of [(names: readonly string[]) => names, dropProviders, shortenModels]) {
    const shown = groupings.map((name, at) => (name === 'model' ? shorten(distinct[at] ?? []) : (distinct[at] ?? [])));
    const natural = shown.map((names, at) => measureWidest([groupings[at] ?? '', 'total', ...names]));
    const widths = fitWidths(natural, groupings, room);
    const cut = shown.map((names, at) => cutKeys(groupings[at], names, widths[at] ?? 0));
    fitted = {
      names: cut.map((names, at) => new Map(names.map((name, index) => [distinct[at]?.[index] ?? '', name]))),
      width: widths.reduce((sum, width) => sum + width, 0),
    };
    if (groupings.every((name, at) => name !== 'model' || widths[at] === natural[at])) break;
  }
  return fitted;
}

function cutKeys(by: Groups['by'] | undefined, names: readonly string[], cells: number): readonly string[] {
  return by === 'model' ? cutDistinctly(names, cells) : names.map((name) => cutStart(name, cells));
}

/** Widths that add up to a room: the widest give way, names of models last. */
function fitWidths(natural: readonly number[], groupings: Groups['groupings'], room: number): readonly number[] {
  if (room === Infinity) return natural.map((width) => Math.min(width, MOST_KEY));
  const widths = [...natural];
  const narrow = (least: number, places: readonly number[]): void => {
    for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
      const widest = Math.max(...places.map((at) => widths[at] ?? 0));
      if (widest <= least) return;
      widths[places.find((at) => widths[at] === widest) ?? 0] = widest - 1;
    }
  };
  const all = [...groupings.keys()];
  narrow(
    ENOUGH_KEY,
    all.filter((at) => groupings[at] !== 'model'),
  );
  narrow(LEAST_KEY, all);
  return widths;
}

const LEAST_KEY = 6;
/** The width of a project's or session's name before names of models are shortened. */
const ENOUGH_KEY = 11;
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

/** The names and numbers of the rows. Of models, the providers give way to a narrow width, then the bars, then the number of sessions, then `claude-` and dates. */
function chooseNumbers(
  document: GroupsReport,
  all: readonly StatsGroup[],
  columns: number,
): { readonly keys: readonly string[]; readonly numbers: Numbers } {
  const { by, rows } = document.groups;
  const keys = rows.map(({ key }) => key);
  const numbers = listNumbers(by, document);
  if (by !== 'model') return { keys, numbers };
  const shortest = all.map((group) => numbers.texts(group, formatShortCount));
  const room = columns - 2 * COLUMN_GAP - measureTable(numbers.titles, shortest);
  if (measureWidest(keys) + CELLS.least <= room) return { keys, numbers };
  const short = dropProviders(keys);
  if (measureWidest(short) <= room) return { keys: short, numbers };
  const without =
    columns -
    2 * COLUMN_GAP -
    measureTable(
      PROVIDERS.titles,
      shortest.map((texts) => texts.slice(-PROVIDERS.titles.length)),
    );
  return { keys: measureWidest(short) <= without ? short : shortenModels(short), numbers: PROVIDERS };
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
function listNumbers(by: Groups['by'], { sessions }: GroupsReport): Numbers {
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

/** The end of a name, which distinguishes files of one folder. */
function cutStart(key: string, cells: number): string {
  return key.length <= cells ? key : `…${key.slice(1 - cells).replace(/^[\udc00-\udfff]/, '')}`;
}

function renderKey(key: string): Span {
  return key === '' ? span('unknown', 'faint') : span(key, 'strong');
}
