import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type * as DuckDb from '@duckdb/node-api';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import { createTemporaryFolder, type TemporaryFolder } from './files/temporary-folder.js';
import { listReadColumns, readCandidates, readErrorPlace, type SqlTables } from './sql-columns.js';

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
  for (const [name, { columns, parts }] of views)
    try {
      const selects = columns === null ? [] : [selectNoRows(columns)];
      for (const part of parts) selects.push(await selectRows(connection, folder, part));
      await connection.run(`CREATE VIEW "${name}" AS ${selects.join(' UNION ALL BY NAME ')}`);
    } catch {
      throw new CtxError('input', 'not a Parquet table', { where: `${name}.parquet`, hint: 'export the tables again' });
    }
  const files = [...views.values()].flatMap(({ parts }) => parts).map(({ name }) => quoteName(path.join(folder, name)));
  await connection.run(`SET allowed_paths = [${files.join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
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
  return { columns, batches: batches(result) };

  async function* batches(of: DuckDb.DuckDBResult): AsyncGenerator<readonly (readonly SqlValue[])[]> {
    const rows = of.yieldConvertedRows<SqlValue>((value, type, converter) => {
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

/** The error for SQL that fails, which is a mistake of the user. */
async function rethrowSqlError<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const errorText = (error as Error).message.replace('Failed to extract statements: ', '');
    const [what = ''] = errorText.split(/\n\s*\n|\nLINE /);
    throw buildSqlError(what.replaceAll(/\s*\n\s*/g, ' '), describeUnknownName(what), errorText);
  }
}

/** An error with its place, and with the most similar name, or all that DuckDB suggests. */
function buildSqlError(what: string, unknown: string, errorText: string): CtxError {
  const place = readErrorPlace(errorText);
  if (unknown === '') return new CtxError('usage', what, place);
  const candidates = readCandidates(errorText).filter((name) => !INTERNAL.test(name));
  const hint = didYouMean(unknown, candidates, 'ctx query --tables lists tables and columns');
  const isNamed = candidates.some((name) => hint.includes(`"${name}"`));
  const isOwn = candidates.length > 0 && readCandidates(errorText).length === candidates.length;
  const short = isNamed || !isOwn ? what.replace(/ (?:Did you mean|Candidate bindings:).*$/, '') : what;
  return new CtxError('usage', short, { ...place, hint });
}

/** Tables of the database itself, which hold no sessions. */
const INTERNAL = /^(?:pg_|duckdb_|sqlite_|pragma_|information_schema)/;

/** The table, column or function that does not exist; empty for other errors. */
function describeUnknownName(what: string): string {
  return /(?:with name|column|column named) "?(\w+)"?(?: does not exist| not found|$)/m.exec(what)?.[1] ?? '';
}

/** Converts a value of a row to JSON: integers beyond the range of JavaScript and SQL-only types become texts. */
export type SqlValue = string | number | boolean | null | readonly SqlValue[] | { readonly [key: string]: SqlValue };

export interface SqlColumn {
  /** Unique among the columns of the result. */
  readonly name: string;
  /** The SQL type, such as `BIGINT`. */
  readonly type: string;
}

export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** The rows in batches, each with a value for every column. */
  readonly batches: AsyncIterable<readonly (readonly SqlValue[])[]>;
}

/** A Parquet file in the folder. */
export interface ViewPart {
  readonly name: string;
  /** Columns that are constant for its rows. */
  readonly columns?: ReadonlyMap<string, string>;
  /** The values of its column `file` whose rows count; null for all. */
  readonly only?: readonly string[] | null;
}

/** The files with the rows of a table. */
export interface SqlView {
  /** The columns of the table with their SQL types, which are null if a file lacks them; null: those of its files. */
  readonly columns: ReadonlyMap<string, string> | null;
  readonly parts: readonly ViewPart[];
}

/** A database in memory, with a private temporary folder that is removed when this process ends. */
export interface Sql {
  readonly folder: string;
  /** Appends bytes to a file in the folder. Throws a CtxError (refused) with the reason if it cannot. */
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** Copies a file into the folder. Throws a CtxError (input) with the reason if it cannot. */
  copy(name: string, from: string): Promise<void>;
  /**
   * The columns that a statement would read of tables, by table; null if they are unknown. Throws a CtxError (usage) for
   * SQL that would fail, such as one with a misspelt column.
   */
  columnsRead(sql: string, tables: SqlTables): Promise<ReadonlyMap<string, ReadonlySet<string>> | null>;
  /**
   * Creates a view of Parquet files of the folder for each name, and locks the database: from then on it reads and
   * writes only these files, uses no network and loads no extension. Throws a CtxError (input) for a
   * file that is not Parquet.
   */
  lockTo(views: ReadonlyMap<string, SqlView>): Promise<void>;
  /** Runs statements, and returns the result of the last one. Throws a CtxError (usage) for SQL that fails. */
  query(sql: string): Promise<SqlResult>;
  /** Stops the database, and removes the folder. */
  close(): void;
}
