import { NO_MODEL } from '#analysis/stats/usage-records.js';

/** The width of tables without a terminal. */
export const DEFAULT_COLUMNS = 80;

export const COLUMN_GAP = 2;

/** The approximate width of a table's columns with their gaps. */
export function measureTable(titles: readonly string[], texts: readonly (readonly string[])[]): number {
  return titles.reduce(
    (sum, title, at) => sum + COLUMN_GAP + measureWidest([title, ...texts.map((row) => row[at] ?? '')]),
    0,
  );
}

export function measureWidest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

/** Names of models without their providers, where they stay distinct. A provider without a model keeps its name. */
export function dropProviders(names: readonly string[]): readonly string[] {
  return shortenDistinctly(names, (name) => (name === NO_MODEL ? name : name.replace(/^(?:[^\s/]+\/)+(?=.)/, '')));
}

/**
 * Names of models that need few cells: without providers, without `claude-` and without a date at the end, where they
 * stay distinct.
 */
export function shortenModels(names: readonly string[]): readonly string[] {
  const parts: readonly RegExp[] = [/^claude-(?=.)/, /-(?:20\d{6}|20\d\d-\d\d-\d\d)$/];
  return parts.reduce(
    (short, part) => shortenDistinctly(short, (name) => name.replace(part, '')),
    dropProviders(names),
  );
}

/** Cuts names at their ends to a number of cells, or in the middle where the ends tell them apart. */
export function cutDistinctly(names: readonly string[], cells: number): readonly string[] {
  const ends = names.map((name) => cutEnd(name, cells));
  return new Set(ends).size < new Set(names).size ? names.map((name) => cutMiddle(name, cells)) : ends;
}

/** Shortens names; one whose short form equals that of another name stays as it is. */
function shortenDistinctly(names: readonly string[], shorten: (name: string) => string): readonly string[] {
  /** The names by their short form. */
  const owners = new Map<string, Set<string>>();
  for (const name of names) {
    const own = owners.get(shorten(name)) ?? new Set();
    owners.set(shorten(name), own.add(name));
  }
  const short = names.map((name) => (owners.get(shorten(name))?.size === 1 ? shorten(name) : name));
  return new Set(short).size < new Set(names).size ? names : short;
}

function cutEnd(text: string, cells: number): string {
  return text.length <= cells ? text : `${text.slice(0, Math.max(0, cells - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}

function cutMiddle(text: string, cells: number): string {
  if (text.length <= cells) return text;
  const after = Math.floor((cells - 1) / 2);
  return `${cutEnd(text, cells - after)}${text.slice(text.length - after).replace(/^[\udc00-\udfff]/, '')}`;
}
