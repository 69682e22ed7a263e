/** The columns of tables without a terminal. */
export const DEFAULT_COLUMNS = 80;

/** The blanks between two columns. */
export const COLUMN_GAP = 2;

export type CellTexts = readonly (readonly string[])[];

/** The approximate width of the numbers. */
export function measureWidth(titles: readonly string[], texts: CellTexts): number {
  return titles.reduce(
    (sum, title, at) => sum + COLUMN_GAP + measureWidest([title, ...texts.map((row) => row[at] ?? '')]),
    0,
  );
}

export function measureWidest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
