import { SQL_TYPES } from '#analysis/tables/define.js';
import { tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { visibleLine } from '#base/visible.js';
import type { JsonOf } from '#cli/schemas.js';
import type { SqlColumn, SqlResult, SqlValue } from '#platform/duckdb.js';
import { csvRow } from '#ui/doc/csv.js';
import {
  type Cell,
  cell,
  type Doc,
  gap,
  left,
  line,
  listingRow,
  type Report,
  right,
  span,
  table,
} from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';

/** Rows for programs. */
export async function* reportsOf({ columns, batches }: SqlResult): AsyncGenerator<readonly Report[]> {
  for await (const batch of batches)
    yield batch.map((values) => {
      const row = Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null]));
      const data: JsonOf<'query-row'> = { schema: 'ctx/query-row', schemaVersion: 1, row };
      return { data, doc: () => [] };
    });
}

export async function* csvOf({ columns, batches }: SqlResult): AsyncGenerator<string> {
  yield csvRow(columns.map(({ name }) => name));
  for await (const batch of batches)
    yield batch
      .map((values) => csvRow(values.map((value) => (isPlain(value) ? value : JSON.stringify(value)))))
      .join('');
}

function isPlain(value: SqlValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}

/** Rows for people. Columns are as wide as the first rows need. */
export async function* docsOf({ columns, batches }: SqlResult, format: string): AsyncGenerator<Doc> {
  let layout: Layout | null = null;
  for await (const batch of together(batches)) {
    const isFirst = layout === null;
    layout ??= layoutFor(columns, batch, format);
    yield layout(batch, isFirst);
  }
  if (layout === null) yield [line(span(`no rows of ${columns.map(({ name }) => name).join(', ')}`, 'faint'))];
}

type Rows = readonly (readonly SqlValue[])[];

/** A database gives many rows in few batches, or few rows in many. */
async function* together(batches: AsyncIterable<Rows>): AsyncGenerator<Rows> {
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

function layoutFor(columns: readonly SqlColumn[], first: Rows, format: string): Layout {
  const areNumbers = columns.map(({ type }) => NUMBERS.test(type));
  if (format === 'markdown')
    return (rows) => [
      table(
        columns.map(({ name }, at) => (areNumbers[at] ? right(name) : left(name))),
        rows.map((row) => row.map((value) => span(textOf(value)))),
      ),
    ];
  const widths = columns.map(({ name }, at) => {
    const widest = first.reduce(
      (most, row) => Math.max(most, visibleLine(textOf(row[at] ?? null)).length),
      name.length,
    );
    return areNumbers[at] ? -widest : Math.min(widest, WIDEST);
  });
  const titles = listingRow(columns.map(({ name }, at) => padded(name, widths[at] ?? 0, 'faint')));
  return (rows, isFirst) => [
    ...(isFirst ? [titles] : []),
    ...rows.map((row) =>
      listingRow(row.map((value, at) => padded(textOf(value), widths[at] ?? 0, value === null ? 'faint' : 'plain'))),
    ),
  ];
}

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;
/** The maximum width of a column. Longer values are not cut, but shift the rest of their row. */
const WIDEST = 60;

/** Pads numbers on the left, because the printer does not pad the last cell of a row. */
function padded(text: string, width: number, tone: Cell['tone']): Cell {
  return width < 0 ? cell(text.padStart(-width), width, tone) : cell(text, width, tone);
}

function textOf(value: SqlValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(rounded(value));
  return value === null ? 'NULL' : JSON.stringify(value);
}

/** Four decimals as in a cost, and at least four digits of a small number. JSON and CSV have all of them. */
function rounded(value: number): number {
  return Number(Math.abs(value) < 1 ? value.toPrecision(4) : value.toFixed(4));
}

/** The available tables with their columns. */
export function tablesListed(): Outcome {
  const all = tables.map(({ name, about, columns }) => ({
    name,
    about,
    columns: Object.entries(columns).map(([column, of]) => ({
      name: column,
      type: SQL_TYPES[of.kind],
      nullable: of.canBeNull,
      about: of.about,
    })),
  }));
  const data: JsonOf<'tables'> = { schema: 'ctx/tables', schemaVersion: 1, tablesVersion: TABLES_VERSION, tables: all };
  return { kind: 'report', report: { data, doc: () => all.flatMap(docOf) }, problems: [] };
}

function docOf({ name, about, columns }: JsonOf<'tables'>['tables'][number], at: number): Doc {
  return [
    ...(at === 0 ? [] : [gap]),
    line(span(name, 'strong'), `: ${about}`),
    table(
      [left('column'), left('type'), { ...left('about'), isFlexible: true, isProse: true }],
      columns.map((column) => [span(column.name), span(column.type, 'faint'), span(column.about)]),
      { hasTitles: false },
    ),
  ];
}
