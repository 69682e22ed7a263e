import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { addSessionRows, type SessionForTables } from '#analysis/tables/add-session-rows.js';
import type { TableValue } from '#analysis/tables/define.js';
import { listAllColumns, type QueriedColumns } from '#analysis/tables/index.js';
import { type RowGroup, TableRows } from '#analysis/tables/row-groups.js';

export type ListedGroup = RowGroup<readonly TableValue[]>;

/** The rows of a session as lists of values, in a new group as soon as they take `most` bytes. */
export function rowsOfSession(
  session: SessionForTables['session'],
  wanted: QueriedColumns = listAllColumns(),
  most = Infinity,
): readonly ListedGroup[] {
  const rows = new TableRows(wanted, { begin: (): TableValue[] => [], pack: (values) => values.slice() });
  const groups: ListedGroup[] = [];
  for (const _ of addSessionRows({ session, shared: new SharedEntries(), wanted }, rows, most))
    groups.push(...rows.take(true));
  return [...groups, ...rows.take()];
}
