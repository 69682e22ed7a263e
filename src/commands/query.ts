import path from 'node:path';
import { CtxError, type Problem } from '../errors.js';
import { namedFiles } from '../folder/named-files.js';
import type { Io } from '../io.js';
import type { Sql, SqlResult } from '../sql/define.js';
import { type TableName, tables } from '../tables/index.js';
import { type CommandInput, defineCommand, type Outcome } from './define.js';
import { toggle } from './flags.js';
import { csvOf, docsOf, reportsOf } from './query-rows.js';
import { tablesListed } from './query-tables.js';

const FLAGS = {
  tables: toggle('list the tables and their columns'),
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'query',
  summary: 'Ask sessions with SQL',
  description:
    'Reads sessions as tables and runs SQL over them in DuckDB, which has to be installed beside ctx. The SQL reads these ' +
    'tables and nothing else, and changes no file.',
  args: [
    { name: 'sql', help: "what to ask, such as 'SELECT model, sum(cost_recorded) FROM usage GROUP BY model'" },
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest" (the default), -, or a folder of exported tables',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'the rows, for spreadsheets' }],
  examples: [
    'ctx query --tables',
    "ctx query 'SELECT model, sum(cost_recorded) AS dollars FROM usage GROUP BY model' ~/.pi/agent/sessions",
    'ctx query "SELECT file, line FROM messages WHERE text ILIKE \'%deadlock%\'" sessions --json',
    "ctx query 'SELECT * FROM sessions' tables/ --format csv",
  ],
  async run(input) {
    const { io, args, flags } = input;
    const [sql, ...names] = args.flatMap((arg) => arg ?? []);
    if (flags.tables) return listed(sql);
    if (sql === undefined || isEmpty(sql))
      throw new CtxError('usage', 'query needs SQL', { hint: 'ctx query --tables lists what can be asked for' });
    const database = await io.startSql();
    try {
      const problems = await filled(io, database, { sql, names: names.length === 0 ? ['latest'] : names });
      return outcomeOf(input, { database, result: await database.query(sql), problems });
    } catch (error) {
      database.close();
      throw error;
    }
  },
});

function isEmpty(sql: string): boolean {
  return /^[\s;]*$/.test(sql.replaceAll(/--[^\n]*|\/\*.*?\*\//gs, ''));
}

function listed(sql: string | undefined): Outcome {
  if (sql === undefined) return tablesListed();
  throw new CtxError('usage', '--tables runs no SQL', { where: sql, hint: 'leave one of them out' });
}

/** Makes the tables that SQL may ask for. */
async function filled(
  io: Io,
  database: Sql,
  { sql, names }: { readonly sql: string; readonly names: readonly string[] },
): Promise<readonly Problem[]> {
  const wanted = tablesIn(sql);
  const exported = exportedFolder(io, wanted, names);
  const problems = exported === null ? await written(io, database, { wanted, names }) : [];
  // What the SQL does to a copy harms nobody.
  if (exported !== null)
    for (const name of wanted) await database.copy(fileOf(name), path.join(exported, fileOf(name)));
  await database.lockTo(new Map(wanted.map((name) => [name, fileOf(name)])));
  return problems;
}

/**
 * A folder of tables that `ctx export` has written; null for names that mean sessions. Throws a CtxError (input) for a
 * table that is not in it.
 */
function exportedFolder(
  { cwd, files }: Io,
  wanted: readonly TableName[],
  [name, ...others]: readonly string[],
): string | null {
  if (name === undefined || others.length > 0) return null;
  const folder = path.resolve(cwd || '/', name);
  const isThere = (table: TableName): boolean => files.exists(path.join(folder, fileOf(table)));
  const there = tables.filter((table) => isThere(table.name));
  if (there.length === 0 || (there.length < tables.length && files.walk(folder).files.length > 0)) return null;
  const missing = wanted.find((table) => !isThere(table));
  if (missing === undefined) return folder;
  throw new CtxError('input', `there is no ${fileOf(missing)} in this folder of tables`, {
    where: name,
    hint: 'export the tables again',
  });
}

async function written(
  io: Io,
  database: Sql,
  { wanted, names }: { readonly wanted: readonly TableName[]; readonly names: readonly string[] },
): Promise<readonly Problem[]> {
  const files = await namedFiles(io, names);
  const { writeTables } = await import('../parquet/write-tables.js');
  const takers = new Map(
    wanted.map((name) => [name, (bytes: Uint8Array) => database.append(fileOf(name), bytes)] as const),
  );
  return (await writeTables({ io, files, takers })).problems;
}

function fileOf(name: TableName): string {
  return `${name}.parquet`;
}

/** The tables whose names are in SQL; all of them for SQL that names none, such as one that lists them. */
function tablesIn(sql: string): readonly TableName[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  return (named.length === 0 ? tables : named).map(({ name }) => name);
}

interface Answer {
  readonly database: Sql;
  readonly result: SqlResult;
  readonly problems: readonly Problem[];
}

/** Rows are printed as they come, and the database ends with the last one. */
function outcomeOf({ format }: Input, { database, result, problems }: Answer): Outcome {
  const end = (): { readonly problems: readonly Problem[] } => ({ problems });
  const rows = { ...result, batches: closing(database, result.batches) };
  if (format === 'json') return { kind: 'stream', items: reportsOf(rows), end };
  return { kind: 'pieces', pieces: format === 'csv' ? csvOf(rows) : docsOf(rows, format), end };
}

async function* closing<Item>(database: Sql, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    database.close();
  }
}
