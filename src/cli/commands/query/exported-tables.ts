import path from 'node:path';
import { type TableName, tables } from '#analysis/tables/index.js';
import { findSessionFiles } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';

/** A file of a table, and what the names of its folders say: `host=alpha` is a column `host`. */
export interface ExportedTable {
  readonly table: TableName;
  readonly file: string;
  readonly columns: ReadonlyMap<string, string>;
}

/**
 * The tables that `ctx export` has written to a folder and its subfolders. Empty for any other folder: one that holds
 * sessions and not all tables is a folder of sessions.
 */
export async function findExportedTables({ cwd, files }: Io, name: string): Promise<readonly ExportedTable[]> {
  const folder = path.resolve(cwd || '/', name);
  if (!files.exists(folder) && !tables.some((one) => files.exists(path.join(folder, `${one.name}.parquet`)))) return [];
  const found = await files.glob('**/*.parquet', folder);
  const all = found.toSorted().flatMap((match) => {
    const file = path.resolve(folder, match);
    const below = path.relative(folder, file);
    const table = findTableName(below);
    return table && !below.startsWith('..') && files.exists(file)
      ? [{ table, file, columns: readPathColumns(below) }]
      : [];
  });
  const isWhole = tables.every(({ name: table }) => all.some((one) => one.table === table));
  return isWhole || (all.length > 0 && (await findSessionFiles({ files }, folder)).files.length === 0) ? all : [];
}

/** Finds the table by the name of the file, else by that of a folder: `usage/host=alpha/part.parquet`. */
function findTableName(below: string): TableName | undefined {
  const parts = below.replace(/\.parquet$/, '').split(/[/\\]/);
  return (
    tables.findLast(({ name }) => parts.at(-1) === name)?.name ?? tables.find(({ name }) => parts.includes(name))?.name
  );
}

function readPathColumns(below: string): ReadonlyMap<string, string> {
  const folders = below.split(/[/\\]/).slice(0, -1);
  return new Map(
    folders.flatMap((one) => {
      const [, key, value] = /^([a-z_]\w*)=(.*)$/i.exec(one) ?? [];
      return key === undefined || value === undefined ? [] : [[key, decodeValue(value)] as const];
    }),
  );
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
