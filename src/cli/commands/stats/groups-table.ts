import type { Grouping, StatsGroup, UsageDocument } from '#analysis/stats/document.js';
import { sumBy } from '#base/lists.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { type Column, type Doc, flexible, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import {
  CELLS,
  cutKeys,
  type FormatTokens,
  type GroupsReport,
  listNumbers,
  type Numbers,
  PROVIDERS,
  sumGroups,
} from './group-numbers.js';
import { renderJoinedGroups } from './joined-groups.js';
import {
  COLUMN_GAP,
  DEFAULT_COLUMNS,
  dropProviders,
  measureTable,
  measureWidest,
  shortenModels,
} from './table-width.js';
import { renderCostNotes } from './tables.js';

/** The minimum width of a session's or project's name. */
const KEY_CELLS = 26;

/** The groups of `--by` with their total. A bar follows the number that it draws. `models`: the usage by model. */
export function renderGroups(document: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
  const { by, groupings, rows } = document.groups;
  if (groupings.length > 1) return renderJoinedGroups(document, models, columns);
  const all = [...rows, sumGroups(document, rows)];
  const { keys, numbers } = chooseNumbers(document, all, columns);
  const { texts, barCells, nameCells } = fitGroups(by, all, { keys, numbers, columns });
  const longest = rows.reduce((most, group) => Math.max(most, numbers.value(group)), 0);
  const names = cutKeys(by, keys, nameCells);
  const buildRow = (group: StatsGroup, at: number): readonly Span[] => {
    const isTotal = at === rows.length;
    const name = isTotal ? span('total', 'strong') : renderKey(names[at] ?? '');
    const bar = isTotal || barCells === 0 ? '' : renderBar(numbers.value(group), longest, barCells);
    const values = (texts[at] ?? []).map((text) => span(text, isTotal ? 'strong' : 'plain'));
    const cells = values.toSpliced(numbers.drawn, 0, span(bar, 'messages'));
    return isPath(by) ? [...cells, name] : [name, ...cells];
  };
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    table(buildColumns(by, numbers), all.map(buildRow)),
    ...(numbers.titles[0] === 'sessions' ? renderSessionsNote(document) : []),
    ...(by === 'tool' ? [] : renderCostNotes(document.usageRecorded, models)),
  ];
}

/** The names and numbers of a table, and its width. */
interface GroupsTable {
  readonly keys: readonly string[];
  readonly numbers: Numbers;
  readonly columns: number;
}

/** The numbers of a table as they fit, and the cells that are left for a bar and for a name. */
interface FittedGroups {
  readonly texts: readonly (readonly string[])[];
  readonly barCells: number;
  readonly nameCells: number;
}

/** Fits a table into its width: numbers are written short before bars get too small. */
function fitGroups(by: Grouping, all: readonly StatsGroup[], { keys, numbers, columns }: GroupsTable): FittedGroups {
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const names = isPath(by) ? KEY_CELLS : measureWidest(['total', by, ...keys]);
  const formatAll = (format: FormatTokens) => all.map((group) => numbers.texts(group, format));
  const measureRoom = (texts: FittedGroups['texts']): number =>
    wide - names - 2 * COLUMN_GAP - measureTable(numbers.titles, texts);
  const exact = formatAll(formatCount);
  const texts = measureRoom(exact) >= CELLS.enough ? exact : formatAll(formatShortCount);

  const room = measureRoom(texts);
  // Names of models matter more than bars.
  const least = by === 'model' ? 0 : CELLS.least;
  const barCells = room < CELLS.least ? least : Math.min(CELLS.most, room);
  return { texts, barCells, nameCells: columns === Infinity ? Infinity : names + room - barCells };
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

/**
 * The names and numbers of the rows. Of models, the providers give way to a narrow width, then the bars, then the number
 * of sessions, then `claude-` and dates.
 */
function chooseNumbers(
  document: GroupsReport,
  all: readonly StatsGroup[],
  columns: number,
): Pick<GroupsTable, 'keys' | 'numbers'> {
  const { by, rows } = document.groups;
  const keys = rows.map(({ key }) => key);
  const numbers = listNumbers(by, document);
  if (by !== 'model') return { keys, numbers };
  const shortest = all.map((group) => numbers.texts(group, formatShortCount));
  const room = columns - 2 * COLUMN_GAP - measureTable(numbers.titles, shortest);
  if (measureWidest(keys) + CELLS.least <= room) return { keys, numbers };
  const short = dropProviders(keys);
  if (measureWidest(short) <= room) return { keys: short, numbers };

  const withoutSessions = shortest.map((texts) => texts.slice(-PROVIDERS.titles.length));
  const moreRoom = columns - 2 * COLUMN_GAP - measureTable(PROVIDERS.titles, withoutSessions);
  return { keys: measureWidest(short) <= moreRoom ? short : shortenModels(short), numbers: PROVIDERS };
}

/** Names of files and folders are long, and differ at their ends, so they come last. */
function isPath(by: Grouping): boolean {
  return by === 'session' || by === 'project';
}

function buildColumns(by: Grouping, { titles, drawn }: Numbers): readonly Column[] {
  const numbers = titles.map(right).toSpliced(drawn, 0, left(''));
  if (isPath(by)) return [...numbers, flexible(by)];
  return [flexible(by), ...numbers];
}

function renderKey(key: string): Span {
  return key === '' ? span('unknown', 'faint') : span(key, 'strong');
}
