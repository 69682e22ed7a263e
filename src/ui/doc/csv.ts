type Value = string | number | boolean | null | undefined;

/** One line of a table for spreadsheets. */
export function csvRow(cells: readonly Value[]): string {
  return `${cells.map(cellText).join(',')}\n`;
}

/** Nothing that commands a terminal or starts a formula in a spreadsheet leaves here. */
function cellText(value: Value): string {
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

/** The columns of a table by their titles, each with its value of a record. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => Value>>;

/** Yields a table with a row for each record, in pieces. */
export async function* csvTable<Item>(columns: CsvColumns<Item>, items: Iterable<Item>): AsyncGenerator<string> {
  let rows = csvRow(Object.keys(columns));
  for (const item of items) {
    rows += csvRow(Object.values(columns).map((valueOf) => valueOf(item)));
    if (rows.length < CHARACTERS_AT_ONCE) continue;
    yield rows;
    rows = '';
  }
  if (rows !== '') yield rows;
}

const CHARACTERS_AT_ONCE = 1 << 16;
