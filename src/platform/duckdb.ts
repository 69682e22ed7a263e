import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type * as DuckDb from '@duckdb/node-api';
import { CtxError } from '#base/errors.js';
import { createTemporaryFolder, type TemporaryFolder } from './files/temporary-folder.js';
import { listReadColumns } from './sql-columns.js';
import { rethrowSqlError } from './sql-errors.js';
import type { Sql, SqlResult, SqlValue, SqlView, ViewPart } from './sql.js';

type Library = typeof DuckDb;

/** Starts DuckDB, an optional dependency. Throws a CtxError (usage) if it is not installed. */
export async function startSql(load = loadLibrary): Promise<Sql> {
  const duckDb = openDatabase(load);
  const { folder, removeFolder } = createTableFolder();
  try {
    const instance = await duckDb.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      temp_directory: path.join(folder, 'spilled'),
    });
    const connection = await instance.connect();
    return {
      folder,
      append: (name, bytes) => append(path.join(folder, name), bytes),
      copy: (name, from) => copyRows(from, path.join(folder, name)),
      columnsRead: (sql, tables) => rethrowSqlError(() => listReadColumns(duckDb, sql, tables)),
      lockTo: (views) => lockTo(connection, folder, views),
      query: (sql) => query(duckDb, connection, sql),
      close() {
        connection.closeSync();
        instance.closeSync();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** An import would search all of its files for the names that they export, which takes longer than loading it. */
function loadLibrary(): Library {
  return createRequire(import.meta.url)('@duckdb/node-api') as Library;
}

function openDatabase(load: () => Library): Library {
  try {
    return load();
  } catch (error) {
    throw new CtxError('usage', 'DuckDB cannot be loaded', {
      where: (error as Error).message.split('\n', 1)[0] ?? '',
      hint: 'run npm install @duckdb/node-api next to pi-ctx (with --global for a global installation)',
    });
  }
}

/** Creates the folder of a database. Throws a CtxError (refused) if it cannot. */
function createTableFolder(): TemporaryFolder {
  try {
    return createTemporaryFolder('ctx-query-');
  } catch (error) {
    throw buildNotWrittenError(error, os.tmpdir());
  }
}

async function append(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await fs.promises.appendFile(file, bytes);
  } catch (error) {
    throw buildNotWrittenError(error, path.dirname(file));
  }
}

function buildNotWrittenError(error: unknown, where: string): CtxError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new CtxError('refused', `cannot write the tables (${code})`, {
    where,
    hint: 'free some disk space, or set TMPDIR to another folder',
  });
}

async function copyRows(from: string, to: string): Promise<void> {
  try {
    await fs.promises.copyFile(from, to, fs.constants.COPYFILE_FICLONE);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new CtxError('input', `cannot read this table (${code})`, {
      where: from,
      hint: 'export the tables again',
    });
  }
}

async function lockTo(
  connection: DuckDb.DuckDBConnection,
  folder: string,
  views: ReadonlyMap<string, SqlView>,
): Promise<void> {
  await connection.run("SET TimeZone = 'UTC'");
  for (const [name, view] of views) await createView(connection, folder, name, view);
  const files = [...views.values()].flatMap(({ parts }) => parts).map(({ name }) => quoteName(path.join(folder, name)));
  await connection.run(`SET allowed_paths = [${files.join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

async function createView(
  connection: DuckDb.DuckDBConnection,
  folder: string,
  name: string,
  { columns, parts }: SqlView,
): Promise<void> {
  try {
    const selects = columns === null ? [] : [selectNoRows(columns)];
    for (const part of parts) selects.push(await selectRows(connection, folder, part));
    await connection.run(`CREATE VIEW "${name}" AS ${selects.join(' UNION ALL BY NAME ')}`);
  } catch {
    throw new CtxError('input', 'not a Parquet table', { where: `${name}.parquet`, hint: 'export the tables again' });
  }
}

/** Columns without rows, which add their names, order and types to a union. */
function selectNoRows(columns: ReadonlyMap<string, string>): string {
  return `SELECT ${[...columns].map(([name, type]) => `NULL::${type} AS "${name}"`).join(', ')} WHERE FALSE`;
}

/** Times are UTC, and those without a time zone are easier to group and to print. */
async function selectRows(
  connection: DuckDb.DuckDBConnection,
  folder: string,
  { name, columns = new Map(), only = null }: ViewPart,
): Promise<string> {
  const rows = `read_parquet(${quoteName(path.join(folder, name))}, hive_partitioning = false)`;
  const described = await connection.runAndReadAll(`DESCRIBE FROM ${rows}`);
  const times = described.getRows().filter(([, type]) => type === 'TIMESTAMP WITH TIME ZONE');
  const casts = times.map(([column]) => `"${String(column)}"::TIMESTAMP AS "${String(column)}"`);
  const replaced = casts.length === 0 ? '' : ` REPLACE (${casts.join(', ')})`;
  const more = [...columns].map(([column, value]) => `, ${quoteName(value)} AS "${column}"`);
  const where = only === null ? '' : ` WHERE file IN (${only.map(quoteName).join(', ')})`;
  return `SELECT *${replaced}${more.join('')} FROM ${rows}${where}`;
}

function quoteName(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function query(
  { JsonDuckDBValueConverter, DuckDBDecimalValue }: Library,
  connection: DuckDb.DuckDBConnection,
  sql: string,
): Promise<SqlResult> {
  const result = await rethrowSqlError(() => connection.stream(sql));
  const types = result.columnTypes().map(String);
  const columns = result.deduplicatedColumnNames().map((name, at) => ({ name, type: types[at] ?? '' }));
  return { columns, batches: convertBatches(result) };

  async function* convertBatches(found: DuckDb.DuckDBResult): AsyncGenerator<readonly (readonly SqlValue[])[]> {
    const rows = found.yieldConvertedRows<SqlValue>((value, type, converter) => {
      if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
      if (value instanceof DuckDBDecimalValue) return value.toDouble();
      // DuckDB produces the JSON.
      return JsonDuckDBValueConverter(value, type, converter as never);
    });
    for (;;) {
      const { value, done } = await rethrowSqlError(() => rows.next());
      if (done) return;
      yield value;
    }
  }
}
