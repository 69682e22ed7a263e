import { SharedEntries } from '#analysis/stats/count-session.js';
import type { Value } from '#analysis/tables/define.js';
import { allColumns, type QueriedColumns, type TableName } from '#analysis/tables/index.js';
import { addRowsOf, type SessionToTable } from '#analysis/tables/of-session.js';
import { type RowGroup, TableRows } from '#analysis/tables/row-groups.js';

/** The rows of a session as lists of values; those of messages are split when their texts have `most` characters. */
export function rowsOfSession(
  session: SessionToTable['session'],
  wanted: QueriedColumns = allColumns(),
  most = Infinity,
): readonly RowGroup[] {
  const rows = new TableRows(wanted, (): Value[] => []);
  const groups: RowGroup[] = [];
  const take = (names?: readonly TableName[]): void => {
    for (const { columns, ...group } of rows.take(names))
      groups.push({ ...group, columns: new Map([...columns].map(([name, values]) => [name, values.slice()])) });
  };
  for (const _ of addRowsOf({ session, shared: new SharedEntries(), wanted }, rows, most)) take(['messages']);
  take();
  return groups;
}
