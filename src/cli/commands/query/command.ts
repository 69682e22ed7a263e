import { listAllColumns, type QueriedColumns, type TableName, tables } from '#analysis/tables/index.js';
import { SQL_TYPES } from '#analysis/tables/sql-types.js';
import { CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import type { Period } from '#base/time.js';
import { buildMissingFolderError } from '#cli/sessions/find-sessions.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { isLimitedPeriod, toPeriod } from '#cli/sessions/period.js';
import { findSessionFiles } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';
import type { Sql, SqlView, ViewPart } from '#platform/sql.js';
import { buildNoHomeError, findSessionsFolder } from '#session/agents/pi-folders.js';
import { defineCommand, type OutcomeEnd } from '../define.js';
import { toggleFlag } from '../flags.js';
import { since, until } from '../shared-flags.js';
import { type ExportedTable, findExportedTables } from './exported-tables.js';
import { listTables } from './list-tables.js';
import { formatCsv, renderRows, toRowResults } from './rows.js';

const FLAGS = { tables: { ...toggleFlag('list the tables and their columns'), excludes: ['[sql]'] }, since, until };

export default defineCommand({
  name: 'query',
  summary: 'Query sessions with SQL',
  description:
    'Reads sessions as tables and runs SQL over them in DuckDB, which must be installed next to ctx. The SQL can read ' +
    'only these tables and changes no file.',
  args: [
    {
      name: 'sql',
      help: "the query, such as 'SELECT model, sum(coalesce(cost_recorded, cost_listed)) FROM usage GROUP BY model'",
    },
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest", "all", "all:AGENT", -, or folders of exported tables; default: all sessions of Pi, or of all agents if Pi has none',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'the rows, for spreadsheets' }],
  takesRedact: true,
  examples: [
    'ctx query --tables',
    "ctx query 'SELECT model, sum(coalesce(cost_recorded, cost_listed)) AS dollars FROM usage GROUP BY model' ~/.pi/agent/sessions",
    'ctx query "SELECT file, line FROM messages WHERE text ILIKE \'%deadlock%\'" sessions --json',
    "ctx query 'SELECT * FROM sessions' tables/ --format csv",
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const [sql, ...names] = args.flatMap((arg) => arg ?? []);
    if (flags.tables) return listTables(format);
    if (sql === undefined || isEmptySql(sql))
      throw new CtxError('usage', 'query needs SQL', { hint: 'ctx query --tables lists what can be asked for' });
    if (names[0] !== undefined && isSql(names[0]) && !isSql(sql))
      throw new CtxError('usage', 'the SQL comes first, then the sessions', {
        where: `"${sql}" is no SQL`,
        hint: `write: ctx query ${toShellWord(names[0])} ${toShellWord(sql)}`,
      });
    const database = await io.startSql();
    try {
      const problems = await fillTables(io, database, {
        sql,
        names: names.length === 0 ? await findDefaultSessions(io) : names,
        period: toPeriod(flags, io.now()),
      });
      const result = await database.query(sql);
      // Rows are printed as they come, and the database ends with the last one.
      const rows = { ...result, batches: closeAtEnd(database, result.batches) };
      const end = (): OutcomeEnd => ({ problems });
      if (format === 'json') return { kind: 'stream', batches: toRowResults(rows), end };
      const pieces = format === 'csv' ? formatCsv(rows) : renderRows(rows, { format, columns: io.stdout.columns });
      return { kind: 'pieces', pieces, end };
    } catch (error) {
      database.close();
      throw error;
    }
  },
});

/** The default source: Pi's session folder, or the sessions of all agents if it has none. Prints their number. */
async function findDefaultSessions(io: Io): Promise<readonly string[]> {
  const folder = findSessionsFolder(io);
  if (folder === null) throw buildNoHomeError();
  const ofPi = (await findSessionFiles(io, folder)).files.length;
  const others =
    ofPi > 0 ? [] : (await (await import('#cli/sessions/agent-sessions.js')).findAgentSessions(io, 'all')).sessions;
  const count = ofPi + others.length;
  if (count === 0 && !io.files.exists(folder)) throw buildMissingFolderError(io, folder);
  if (count > 0) await io.stderr.write(`ctx: ${pluralize(count, 'session')} of ${ofPi > 0 ? 'Pi' : 'other agents'}\n`);
  return others.length === 0 ? [folder] : others.map(({ file }) => file);
}

/** Whether a word is a query, and not the name of sessions: a query has several words. */
function isSql(word: string): boolean {
  return /^\s*(?:select|with|from|describe|summarize|pivot|show)\s/i.test(word);
}

function isEmptySql(sql: string): boolean {
  return /^[\s;]*$/.test(sql.replaceAll(/--[^\n]*|\/\*.*?\*\//gs, ''));
}

interface TableRequest {
  readonly sql: string;
  readonly names: readonly string[];
  /** The period of the sessions, by their last entries. */
  readonly period: Period;
}

/** Makes the tables that SQL may ask for. */
async function fillTables(io: Io, database: Sql, { sql, names, period }: TableRequest): Promise<readonly Problem[]> {
  const exported: ExportedTable[] = [];
  const sessions: string[] = [];
  for (const name of names) {
    const found = await findExportedTables(io, name);
    for (const one of found) exported.push(one);
    if (found.length === 0) sessions.push(name);
    else if (isLimitedPeriod(period)) throw buildNoPeriodError(name);
  }
  // Exported tables may have other columns.
  const queried = exported.length === 0 ? await findReadColumns(database, sql) : listAllColumns(findNamedTables(sql));
  const read =
    sessions.length > 0 ? await readSessionTables(io, database, { queried, names: sessions, period }) : NO_TABLES;
  const tableNames = exported.length === 0 ? [...SQL_TABLES.keys()] : [...queried.keys()];
  const parts = new Map(tableNames.map((name): [TableName, ViewPart[]] => [name, [...(read.parts.get(name) ?? [])]]));
  for (const [at, { table: tableName, file, columns }] of exported.entries()) {
    const name = `${at}.parquet`;
    // The SQL works on a copy, so it cannot damage the original.
    if (parts.has(tableName)) await database.copy(name, file);
    parts.get(tableName)?.push({ name, columns });
  }
  if (exported.length > 0) refuseMissing(parts, names);
  const columnsOf = (name: TableName) => (exported.length > 0 ? null : (SQL_TABLES.get(name) ?? null));
  await database.lockTo(
    new Map([...parts].map(([name, all]): [string, SqlView] => [name, { columns: columnsOf(name), parts: all }])),
  );
  return read.problems;
}

function buildNoPeriodError(where: string): CtxError {
  const hint = "select by time in the SQL: WHERE time >= TIMESTAMP '2026-03-02'";
  return new CtxError('usage', '--since and --until select session files, and these are tables', { where, hint });
}

const SQL_TABLES = new Map(
  tables.map(({ name, columns }): [TableName, ReadonlyMap<string, string>] => [
    name,
    new Map(Object.entries(columns).map(([column, { kind }]) => [column, SQL_TYPES[kind]])),
  ]),
);

/** The columns of sessions that SQL reads. Sessions are read even if it reads none, to report their problems. */
async function findReadColumns(database: Sql, sql: string): Promise<QueriedColumns> {
  const read = await database.columnsRead(sql, SQL_TABLES);
  if (read === null) return listAllColumns(findNamedTables(sql));
  // The rows of an index are selected by their file.
  const queried = tables.flatMap(({ name }) => {
    const columns = read.get(name);
    return columns ? [[name, new Set(['file', ...columns])] as const] : [];
  });
  return new Map(queried.length === 0 ? [['sessions', new Set(['file'])]] : queried);
}

interface AskedTables {
  readonly parts: ReadonlyMap<TableName, readonly ViewPart[]>;
  readonly problems: readonly Problem[];
}

const NO_TABLES: AskedTables = { parts: new Map(), problems: [] };

function refuseMissing(views: ReadonlyMap<TableName, readonly ViewPart[]>, names: readonly string[]): void {
  const missing = [...views].find(([, parts]) => parts.length === 0);
  if (!missing) return;
  const where = names.join(' ');
  const folders = names.length === 1 ? 'this folder' : 'these folders';
  const what = `there is no ${missing[0]}.parquet in ${folders} of tables`;
  throw new CtxError('input', what, { where, hint: 'export the tables again' });
}

async function readSessionTables(
  io: Io,
  { append }: Sql,
  { queried, names, period }: Omit<TableRequest, 'sql'> & { readonly queried: QueriedColumns },
): Promise<AskedTables> {
  const files = await findNamedFiles(io, names, period);
  const { provideTables } = await import('#cli/tables/table-index.js');
  const { listReadProblems } = await import('#cli/tables/session-tables.js');
  const { parts, sessions } = await provideTables({ io, files, wanted: queried, append });
  return { parts, problems: listReadProblems(sessions) };
}

/** The tables that the SQL names; all of them if it names none, as SQL that lists tables. */
function findNamedTables(sql: string): readonly TableName[] {
  const tableNames = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  return (tableNames.length === 0 ? tables : tableNames).map(({ name }) => name);
}

async function* closeAtEnd<Item>(database: Sql, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    database.close();
  }
}
