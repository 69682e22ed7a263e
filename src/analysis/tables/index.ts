import type { ColumnNeed, Table } from './define.js';
import { entriesTable } from './entries-table.js';
import { envelopesTable } from './envelopes-table.js';
import { messagesTable } from './messages-table.js';
import { sessionsTable } from './sessions-table.js';
import { toolCallsTable } from './tool-calls-table.js';
import { usageTable } from './usage-table.js';

/** All tables, in the order of the documentation. */
export const tables = [
  sessionsTable,
  entriesTable,
  messagesTable,
  toolCallsTable,
  usageTable,
  envelopesTable,
] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

/** The columns of each table that are asked for, at least one each; a table that is missing needs no rows. */
export type QueriedColumns = ReadonlyMap<TableName, ReadonlySet<string>>;

/** All columns of all tables, or of some. */
export function listAllColumns(names: readonly TableName[] = tables.map(({ name }) => name)): QueriedColumns {
  return new Map(names.map((name) => [name, new Set(Object.keys(findTable(name).columns))]));
}

export function findTable(name: TableName): Table {
  return tables.find((one) => one.name === name) as Table;
}

export function hasNeed(wanted: QueriedColumns, name: TableName, need: ColumnNeed): boolean {
  const { columns } = findTable(name);
  return Array.from(wanted.get(name) ?? []).some((column) => columns[column]?.needs === need);
}

/** Incremented when a column changes its meaning or type, or is removed. */
export const TABLES_VERSION = 2;
