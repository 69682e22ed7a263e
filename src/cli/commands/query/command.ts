import { SQL_TYPES } from '#analysis/tables/define.js';
import { allColumns, type QueriedColumns, type TableName, tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { CtxError, type Problem } from '#base/errors.js';
import { plural } from '#base/words.js';
import type { JsonOf } from '#cli/schemas.js';
import { namedFiles } from '#cli/sessions/named-files.js';
import type { Sql, SqlView, ViewPart } from '#platform/duckdb.js';
import { type Io, noHome, sessionsFolder } from '#platform/io.js';
import { type Doc, gap, left, line, span, table } from '#ui/doc/doc.js';
import { defineCommand, type End, type Outcome } from '../define.js';
import { toggle } from '../flags.js';
import { since } from '../shared-flags.js';
import { type TableInFolder, tablesInFolder } from './exported-tables.js';
import { csvOf, docsOf, reportsOf } from './rows.js';

const FLAGS = {
  tables: { ...toggle('list the tables and their columns'), excludes: ['[sql]'] },
  since,
};

export default defineCommand({
  name: 'query',
  summary: 'Query sessions with SQL',
  description:
    'Reads sessions as tables and runs SQL over them in DuckDB, which must be installed next to ctx. The SQL can read ' +
    'only these tables and changes no file.',
  args: [
    { name: 'sql', help: "the query, such as 'SELECT model, sum(cost_recorded) FROM usage GROUP BY model'" },
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest", -, or folders of exported tables; default: all sessions of Pi',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: [{ name: 'csv', summary: 'the rows, for spreadsheets' }],
  takesRedact: true,
  examples: [
    'ctx query --tables',
    "ctx query 'SELECT model, sum(cost_recorded) AS dollars FROM usage GROUP BY model' ~/.pi/agent/sessions",
    'ctx query "SELECT file, line FROM messages WHERE text ILIKE \'%deadlock%\'" sessions --json',
    "ctx query 'SELECT * FROM sessions' tables/ --format csv",
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const [sql, ...names] = args.flatMap((arg) => arg ?? []);
    if (flags.tables) return tablesListed();
    if (sql === undefined || isEmpty(sql))
      throw new CtxError('usage', 'query needs SQL', { hint: 'ctx query --tables lists what can be asked for' });
    const database = await io.startSql();
    try {
      const problems = await filled(io, database, {
        sql,
        names: names.length === 0 ? [await allSessions(io)] : names,
        since: flags.since?.(io.now()),
      });
      const result = await database.query(sql);
      // Rows are printed as they come, and the database ends with the last one.
      const rows = { ...result, batches: closing(database, result.batches) };
      const end = (): End => ({ problems });
      if (format === 'json') return { kind: 'stream', items: reportsOf(rows), end };
      return { kind: 'pieces', pieces: format === 'csv' ? csvOf(rows) : docsOf(rows, format), end };
    } catch (error) {
      database.close();
      throw error;
    }
  },
});

/** Pi's session folder, the default source. Prints the number of its sessions. */
async function allSessions(io: Io): Promise<string> {
  const folder = sessionsFolder(io);
  if (folder === null) throw noHome();
  const { length } = io.files.walk(folder).files;
  if (length > 0) await io.stderr.write(`ctx: ${plural(length, 'session')}\n`);
  return folder;
}

function isEmpty(sql: string): boolean {
  return /^[\s;]*$/.test(sql.replaceAll(/--[^\n]*|\/\*.*?\*\//gs, ''));
}

/** A query, and the sessions or tables that it is about. */
interface Asked {
  readonly sql: string;
  readonly names: readonly string[];
  /** Only sessions that were written since this time. */
  readonly since: number | undefined;
}

/** Makes the tables that SQL may ask for. */
async function filled(io: Io, database: Sql, { sql, names, since: first }: Asked): Promise<readonly Problem[]> {
  const exported: TableInFolder[] = [];
  const sessions: string[] = [];
  for (const name of names) {
    const found = await tablesInFolder(io, name);
    for (const one of found) exported.push(one);
    if (found.length === 0) sessions.push(name);
  }
  // Exported tables may have other columns.
  const wanted = exported.length === 0 ? await columnsIn(database, sql) : allColumns(tablesIn(sql));
  const asked =
    sessions.length > 0 ? await tablesOf(io, database, { wanted, names: sessions, since: first }) : NO_TABLES;
  const named = exported.length === 0 ? [...SQL_TABLES.keys()] : [...wanted.keys()];
  const parts = new Map(named.map((name): [TableName, ViewPart[]] => [name, [...(asked.parts.get(name) ?? [])]]));
  for (const [at, { table: of, file, columns }] of exported.entries()) {
    const name = `${at}.parquet`;
    // The SQL works on a copy, so it cannot damage the original.
    if (parts.has(of)) await database.copy(name, file);
    parts.get(of)?.push({ name, columns });
  }
  if (exported.length > 0) refuseMissing(parts, names);
  const columnsOf = (name: TableName) => (exported.length > 0 ? null : (SQL_TABLES.get(name) ?? null));
  await database.lockTo(
    new Map([...parts].map(([name, all]): [string, SqlView] => [name, { columns: columnsOf(name), parts: all }])),
  );
  return asked.problems;
}

const SQL_TABLES = new Map(
  tables.map(({ name, columns }): [TableName, ReadonlyMap<string, string>] => [
    name,
    new Map(Object.entries(columns).map(([column, { kind }]) => [column, SQL_TYPES[kind]])),
  ]),
);

/** The columns of sessions that SQL reads. Sessions are read even if it reads none, to report their problems. */
async function columnsIn(database: Sql, sql: string): Promise<QueriedColumns> {
  const read = await database.columnsRead(sql, SQL_TABLES);
  if (read === null) return allColumns(tablesIn(sql));
  // The rows of an index are selected by their file.
  const wanted = tables.flatMap(({ name }) => {
    const columns = read.get(name);
    return columns ? [[name, new Set(['file', ...columns])] as const] : [];
  });
  return new Map(wanted.length === 0 ? [['sessions', new Set(['file'])]] : wanted);
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

async function tablesOf(
  io: Io,
  { append }: Sql,
  { wanted, names, since: first }: Omit<Asked, 'sql'> & { readonly wanted: QueriedColumns },
): Promise<AskedTables> {
  const files = await namedFiles(io, names, first);
  const { tablesToAsk } = await import('#cli/tables/remembered-tables.js');
  const { problemsOf } = await import('#cli/tables/write-tables.js');
  const { parts, sessions } = await tablesToAsk({ io, files, wanted, append });
  return { parts, problems: problemsOf(sessions) };
}

/** The tables that the SQL names; all of them if it names none, as SQL that lists tables. */
function tablesIn(sql: string): readonly TableName[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  return (named.length === 0 ? tables : named).map(({ name }) => name);
}

async function* closing<Item>(database: Sql, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    database.close();
  }
}

/** The available tables with their columns. */
function tablesListed(): Outcome {
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
  const data: JsonOf<'tables'> = { schema: 'ctx/tables', schemaVersion: 1, tablesVersion: TABLES_VERSION, tables: all };
  return { kind: 'report', report: { data, doc: () => all.flatMap(docOf) }, problems: [] };
}

function docOf({ name, about, columns }: JsonOf<'tables'>['tables'][number], at: number): Doc {
  return [
    ...(at === 0 ? [] : [gap]),
    line(span(name, 'strong'), `: ${about}`),
    table(
      [left('column'), left('type'), { ...left('about'), isFlexible: true, isProse: true }],
      columns.map((column) => [span(column.name), span(column.type, 'faint'), span(column.about)]),
      { hasTitles: false },
    ),
  ];
}
