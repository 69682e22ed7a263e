import { sumBy } from '#base/lists.js';
import { toVisibleLine } from '#base/visible.js';
import type { SqlColumn, SqlResult, SqlValue } from '#platform/sql.js';
import { formatCsvRow } from '#ui/doc/csv.js';
import { type Block, type Cell, cell, type Doc, left, line, right, span, table } from '#ui/doc/doc.js';
import type { Printable, View } from '#ui/doc/renderer.js';
import { loadRuler } from '#ui/doc/ruler.js';
import { COLUMN_GAP } from '#ui/doc/text-line.js';
import type { QueryRowLine } from './document.js';

/** Rows for programs. */
export async function* toRowResults({ columns, batches }: SqlResult): AsyncGenerator<readonly Printable[]> {
  for await (const batch of batches)
    yield batch.map((values) => {
      const row = Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null]));
      const data: QueryRowLine = { schema: 'ctx/query-row', schemaVersion: 1, row };
      return { data, doc: () => [] };
    });
}

export async function* formatCsv({ columns, batches }: SqlResult): AsyncGenerator<string> {
  yield formatCsvRow(columns.map(({ name }) => name));
  for await (const batch of batches)
    yield batch
      .map((values) =>
        formatCsvRow(values.map((value) => (typeof value === 'object' && value ? JSON.stringify(value) : value))),
      )
      .join('');
}

/** Rows for people. Columns are as wide as the first rows need, and long texts share the line of a terminal. */
export async function* renderRows(
  { columns, batches }: SqlResult,
  { format, columns: cells }: Page,
): AsyncGenerator<Doc> {
  let layout: Layout | null = null;
  for await (const batch of joinBatches(batches)) {
    const isFirst = layout === null;
    layout ??= format === 'markdown' ? createTableLayout(columns) : await createColumnLayout(columns, batch, cells);
    yield layout(batch, isFirst);
  }
  if (layout === null) yield [line(span(`no rows of ${columns.map(({ name }) => name).join(', ')}`, 'faint'))];
}

type Page = Pick<View, 'format' | 'columns'>;
type Rows = readonly (readonly SqlValue[])[];

/** A database gives many rows in few batches, or few rows in many. */
async function* joinBatches(batches: AsyncIterable<Rows>): AsyncGenerator<Rows> {
  let rows: (readonly SqlValue[])[] = [];
  for await (const batch of batches) {
    for (const row of batch) rows.push(row);
    if (rows.length < ROWS_TOGETHER) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

const ROWS_TOGETHER = 2048;

type Layout = (rows: Rows, isFirst: boolean) => Doc;

function createTableLayout(columns: readonly SqlColumn[]): Layout {
  const titles = columns.map(({ name, type }) => (NUMBERS.test(type) ? right(name) : left(name)));
  return (rows) => [
    table(
      titles,
      rows.map((row) => row.map((value) => span(formatValue(value)))),
    ),
  ];
}

/** No column is hidden: where they do not fit into `cells`, rows are longer than the line. */
async function createColumnLayout(columns: readonly SqlColumn[], first: Rows, cells: number): Promise<Layout> {
  const widths = fitWidths(cells, columns, await measureWidths(columns, first));
  const titles = columns.map(({ name, type }, at) => padCell(name, widths[at] ?? 0, type, 'faint'));
  const toCell = ({ name, type }: SqlColumn, width: number, value: SqlValue): Cell => {
    const text = padCell(formatValue(value), width, type, value === null ? 'faint' : 'plain');
    return isText(type) && cells !== Infinity
      ? { ...text, most: Math.max(width, LEAST), isPath: PATHS.test(name) }
      : text;
  };
  return (rows, isFirst) => [
    ...(isFirst ? [renderLongRow(titles)] : []),
    ...rows.map((row) => renderLongRow(columns.map((column, at) => toCell(column, widths[at] ?? 0, row[at] ?? null)))),
  ];
}

function renderLongRow(cells: readonly Cell[]): Block {
  return { kind: 'row', cells, isLong: true };
}

async function measureWidths(columns: readonly SqlColumn[], rows: Rows): Promise<readonly number[]> {
  const texts = rows.map((row) => row.map((value) => toVisibleLine(formatValue(value))));
  const { fits, widthOf } = await loadRuler(texts.flat());
  const measureText = (text: string): number => (fits(text, LONGEST) ? widthOf(text) : LONGEST);
  return columns.map(({ name }, at) =>
    texts.reduce((most, row) => Math.max(most, measureText(row[at] ?? '')), name.length),
  );
}

/** Texts share what the other columns leave of a line. */
function fitWidths(cells: number, columns: readonly SqlColumn[], widths: readonly number[]): readonly number[] {
  const areTexts = columns.map(({ type }) => isText(type));
  const texts = widths.filter((_, at) => areTexts[at]);
  const others = widths.filter((_, at) => !areTexts[at]);
  const room = cells - COLUMN_GAP * (columns.length - 1) - sumBy(others, (width) => width);
  const most = cells === Infinity ? WIDEST : findLargestShare(room, texts);
  return widths.map((width, at) =>
    areTexts[at] ? Math.max(columns[at]?.name.length ?? 0, Math.min(width, most)) : width,
  );
}

/** The largest width for which all texts fit into the room, but not less than `LEAST`. */
function findLargestShare(room: number, widths: readonly number[]): number {
  let rest = room;
  for (const [at, width] of widths.toSorted((one, other) => one - other).entries()) {
    const share = Math.floor(rest / (widths.length - at));
    if (width > share) return Math.max(share, LEAST);
    rest -= width;
  }
  return Infinity;
}

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;
const SHORT = /^(?:BOOLEAN|DATE|TIME.*|INTERVAL|UUID)$/;
/** Columns of paths, which differ at their ends. */
const PATHS = /^(?:file|cwd)$/;
/** The width of a text that is always printed. */
const LEAST = 16;
/** The maximum width of a column without a terminal. Longer values are not cut, but shift the rest of their row. */
const WIDEST = 60;
/** Longer texts are not measured. */
const LONGEST = 1000;

/** Whether values of a type may be cut. */
function isText(type: string): boolean {
  return !NUMBERS.test(type) && !SHORT.test(type);
}

/** Pads numbers on the left, because the printer does not pad the last cell of a row. */
function padCell(text: string, width: number, type: string, tone: Cell['tone']): Cell {
  return NUMBERS.test(type) ? cell(text.padStart(width), -width, tone) : cell(text, width, tone);
}

function formatValue(value: SqlValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(roundForPeople(value));
  return value === null ? 'NULL' : JSON.stringify(value);
}

/** Four decimals as in a cost, and at least four digits of a small number. JSON and CSV have all of them. */
function roundForPeople(value: number): number {
  return Number(Math.abs(value) < 1 ? value.toPrecision(4) : value.toFixed(4));
}
