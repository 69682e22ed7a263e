import { tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { SQL_TYPES } from '#analysis/tables/sql-types.js';
import { fieldColumns, renderCsv } from '#ui/doc/csv.js';
import { type Doc, gap, left, line, span, table } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import type { TableList } from './document.js';

/** The available tables with their columns. */
export function listTables(format: string): Outcome {
  const all = tables.map(({ name, about, columns }) => ({
    name,
    about,
    columns: Object.entries(columns).map(([column, { kind, canBeNull, about: aboutColumn }]) => ({
      name: column,
      type: SQL_TYPES[kind],
      nullable: canBeNull,
      about: aboutColumn,
    })),
  }));
  const data: TableList = { schema: 'ctx/tables', schemaVersion: 1, tablesVersion: TABLES_VERSION, tables: all };
  if (format === 'csv')
    return { kind: 'pieces', pieces: renderCsv(TABLE_COLUMNS, listColumnRows(all)), end: () => ({ problems: [] }) };
  return { kind: 'single', item: { data, doc: () => all.flatMap(renderTable) }, problems: [] };
}

type ListedTable = TableList['tables'][number];

interface ColumnRow extends Omit<ListedTable['columns'][number], 'name'> {
  readonly table: string;
  readonly column: string;
}

const TABLE_COLUMNS = fieldColumns<ColumnRow>('table', 'column', 'type', 'nullable', 'about');

function listColumnRows(all: readonly ListedTable[]): readonly ColumnRow[] {
  return all.flatMap(({ name, columns }) =>
    columns.map(({ name: column, ...details }) => ({ table: name, column, ...details })),
  );
}

function renderTable({ name, about, columns }: ListedTable, at: number): Doc {
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
