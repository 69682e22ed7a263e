import { SharedEntries } from '#analysis/stats/count-session.js';
import type { Value } from '#analysis/tables/define.js';
import { allColumns, type QueriedColumns } from '#analysis/tables/index.js';
import { addRowsOf, type SessionToTable } from '#analysis/tables/of-session.js';
import { type RowGroup, TableRows } from '#analysis/tables/row-groups.js';

export type ListedGroup = RowGroup<readonly Value[]>;

/** The rows of a session as lists of values, in a new group as soon as they take `most` bytes. */
export function rowsOfSession(
  session: SessionToTable['session'],
  wanted: QueriedColumns = allColumns(),
  most = Infinity,
): readonly ListedGroup[] {
  const rows = new TableRows(wanted, { begin: (): Value[] => [], pack: (values) => values.slice() });
  const groups: ListedGroup[] = [];
  for (const _ of addRowsOf({ session, shared: new SharedEntries(), wanted }, rows, most))
    groups.push(...rows.take(true));
  return [...groups, ...rows.take()];
}
