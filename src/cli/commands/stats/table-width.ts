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

/** Names of models without their providers, if they stay distinct. A provider without a model keeps its name. */
export function dropProviders(names: readonly string[]): readonly string[] {
  const short = names.map((name) => (name === NO_MODEL ? name : name.replace(/^(?:[^\s/]+\/)+(?=.)/, '')));
  return new Set(short).size < names.length ? names : short;
}
