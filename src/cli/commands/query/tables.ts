import { SQL_TYPES } from '#analysis/tables/define.js';
import { TABLES_VERSION, tables } from '#analysis/tables/index.js';
import type { TableList } from '#cli/schemas.js';
import { type Doc, gap, left, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';

/** The tables that can be asked for, with their columns. */
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
  const data: TableList = { schema: 'ctx/tables', schemaVersion: 1, tablesVersion: TABLES_VERSION, tables: all };
  return { kind: 'report', report: { data, doc: () => all.flatMap(docOf) }, problems: [] };
}

function docOf({ name, about, columns }: TableList['tables'][number], at: number): Doc {
  return [
    ...(at === 0 ? [] : [gap]),
    line(span(name, 'strong'), `: ${about}`),
    {
      kind: 'table',
      hasTitles: false,
      columns: [left('column'), left('type'), { ...left('about'), isFlexible: true, isProse: true }],
      rows: columns.map((column) => [span(column.name), span(column.type, 'faint'), span(column.about)]),
    },
  ];
}
