import type { Grouping, StatsGroup, UsageDocument } from '#analysis/stats/document.js';
import { sumNumbers } from '#base/lists.js';
import { formatShortCount } from '#base/numbers.js';
import { type Doc, heading, left, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import { CELLS, cutKeys, type GroupsReport, PROVIDERS, sumGroups } from './group-numbers.js';
import {
  COLUMN_GAP,
  DEFAULT_COLUMNS,
  dropProviders,
  measureTable,
  measureWidest,
  shortenModels,
} from './table-width.js';
import { renderCostNotes } from './tables.js';

/** The groups of several `--by`, with a column for each. */
export function renderJoinedGroups(document: GroupsReport, models: readonly UsageDocument[], columns: number): Doc {
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

/** Keys in a room. */
interface FittedKeys {
  /** The names of the keys of each grouping, by the keys. */
  readonly names: readonly ReadonlyMap<string, string>[];
  /** The width of all columns of names. */
  readonly width: number;
}

/**
 * Fits the keys of several groupings into a room: first projects and the like are cut, then names of models are
 * shortened.
 */
function fitKeys(groupings: readonly Grouping[], keys: readonly (readonly string[])[], room: number): FittedKeys {
  const distinct = groupings.map((_, place) => [...new Set(keys.map((key) => key[place] ?? ''))]);
  let fitted: FittedKeys = { names: [], width: 0 };
  for (const shorten of WAYS_TO_SHORTEN) {
    const titles = groupings.map((name, at) => {
      const all = distinct[at] ?? [];
      return name === 'model' ? shorten(all) : all;
    });
    const natural = titles.map((names, at) => measureWidest([groupings[at] ?? '', 'total', ...names]));
    const widths = fitWidths(natural, groupings, room);
    const cut = titles.map((names, at) => cutKeys(groupings[at], names, widths[at] ?? 0));
    const names = cut.map((shown, at) => new Map(shown.map((name, index) => [distinct[at]?.[index] ?? '', name])));
    fitted = { names, width: sumNumbers(widths) };
    const areModelsWhole = groupings.every((name, at) => name !== 'model' || widths[at] === natural[at]);
    if (areModelsWhole) break;
  }
  return fitted;
}

/** The forms of the names of models, the longest first. */
const WAYS_TO_SHORTEN: readonly ((names: readonly string[]) => readonly string[])[] = [
  (names) => names,
  dropProviders,
  shortenModels,
];

/** The least width of any name. */
const LEAST_KEY = 6;
/** The width of a project's or session's name before names of models are shortened. */
const ENOUGH_KEY = 11;
const MOST_KEY = 40;

/** Widths that add up to a room: the widest give way, names of models last. */
function fitWidths(natural: readonly number[], groupings: readonly Grouping[], room: number): readonly number[] {
  if (room === Infinity) return natural.map((width) => Math.min(width, MOST_KEY));
  const all = [...groupings.keys()];
  const others = all.filter((at) => groupings[at] !== 'model');
  const narrower = narrowWidest(natural, others, { room, least: ENOUGH_KEY });
  return narrowWidest(narrower, all, { room, least: LEAST_KEY });
}

/** Narrows the widest of some columns, cell by cell, until all fit or none of them is wider than the least. */
function narrowWidest(
  natural: readonly number[],
  places: readonly number[],
  { room, least }: { readonly room: number; readonly least: number },
): readonly number[] {
  const widths = [...natural];
  for (let over = sumNumbers(widths) - room; over > 0; over -= 1) {
    const widest = Math.max(...places.map((at) => widths[at] ?? 0));
    if (widest <= least) break;
    widths[places.find((at) => widths[at] === widest) ?? 0] = widest - 1;
  }
  return widths;
}

/** Whether a key and those before it are those of the row above. */
function isRepeated(keys: readonly (readonly string[])[], at: number, place: number): boolean {
  const above = keys[at - 1];
  return above !== undefined && keys[at]?.slice(0, place + 1).every((key, index) => key === above[index]) === true;
}

function renderJoinedKey(key: string, isFaint: boolean): Span {
  if (key === '') return span('unknown', 'faint');
  return span(key, isFaint ? 'faint' : 'strong');
}
