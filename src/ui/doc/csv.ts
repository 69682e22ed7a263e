import { batchItems } from '#base/batches.js';

type Value = string | number | boolean | null | undefined;

/** The columns of a table for spreadsheets, each by its name. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => Value>>;

/** Columns with members of a row, under their names. */
export function fieldColumns<Row>(...names: readonly (keyof Row & string)[]): CsvColumns<Row> {
  return Object.fromEntries(names.map((name) => [name, (row: Row) => row[name] as Value]));
}

/** A table with its head, in pieces. */
export async function* renderCsv<Row>(columns: CsvColumns<Row>, rows: Iterable<Row>): AsyncGenerator<string> {
  yield formatCsvRow(Object.keys(columns));
  const cells = Object.values(columns);
  for (const batch of batchItems(rows))
    yield batch.map((row) => formatCsvRow(cells.map((cellOf) => cellOf(row)))).join('');
}

export function formatCsvRow(cells: readonly Value[]): string {
  return `${cells.map(formatCell).join(',')}\n`;
}

/** Nothing that commands a terminal or starts a formula in a spreadsheet leaves here. */
function formatCell(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = value.replaceAll(UNSAFE, '\u{fffd}');
  const harmless = /^[=+\-@]/.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  return /[",]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Control characters, also those that only turn the direction of a text, and what shows nothing. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{e0000}-\u{e0fff}]/gu;

/** A whole number that only a text can hold. */
const NEGATIVE = /^-\d+$/;
