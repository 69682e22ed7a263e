import { type Cell, cell } from './doc.js';
import { COLUMN_GAP } from './text-line.js';
import type { Tone } from './tone.js';

/** A column of a listing whose rows are printed one by one, so that its width does not depend on them. */
export interface ListingColumn<Row> {
  readonly title: string;
  /** Cells of the terminal; negative aligns to the right. */
  readonly width: number;
  /** The higher, the sooner it gives way on a narrow line; without a rank it never does. */
  readonly rank?: number;
  readonly tone: Tone | ((row: Row) => Tone);
  text(row: Row): string;
}

/**
 * The columns that a line has room for: those of the highest ranks give way until `least` cells are left for the text
 * behind the columns. `least` may depend on the highest rank that is shown.
 */
export function fitColumns<Column extends Pick<ListingColumn<never>, 'width' | 'rank'>>(
  columns: readonly Column[],
  cells: number,
  least: (rank: number) => number,
): readonly Column[] {
  const highest = columns.reduce((most, { rank = 0 }) => Math.max(most, rank), 0);
  if (highest === 0 || measureColumns(columns) + least(highest) <= cells) return columns;
  const fewer = columns.filter(({ rank = 0 }) => rank < highest);
  return fitColumns(fewer, cells, least);
}

/** The cells that columns need, with the gap after each. */
export function measureColumns(columns: readonly Pick<ListingColumn<never>, 'width'>[]): number {
  return columns.reduce((sum, { width }) => sum + (width === 0 ? 0 : Math.abs(width) + COLUMN_GAP), 0);
}

export function buildTitleCells(columns: readonly Pick<ListingColumn<never>, 'title' | 'width'>[]): readonly Cell[] {
  return columns.map(({ title, width }) => cell(title, width, 'faint'));
}

export function buildRowCells<Row>(columns: readonly ListingColumn<Row>[], row: Row): readonly Cell[] {
  return columns.map(({ width, tone, text }) => cell(text(row), width, typeof tone === 'string' ? tone : tone(row)));
}
