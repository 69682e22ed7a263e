import type * as DuckDb from '@duckdb/node-api';
import { asString, isObject, listObjects } from '#base/json.js';
import type { SqlTables } from './sql.js';

/** The names of columns, by their tables. */
type ColumnsByTable = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The columns that a statement reads, by the tables that it reads; null if DuckDB cannot tell, as for several
 * statements. DuckDB plans the statement over empty tables without access to files, and only drops the columns that
 * nothing uses. Throws DuckDB's error if the first statement cannot be prepared.
 */
export async function listReadColumns(
  { DuckDBInstance }: typeof DuckDb,
  sql: string,
  tables: SqlTables,
): Promise<ColumnsByTable | null> {
  const instance = await DuckDBInstance.create(':memory:', { enable_external_access: 'false', threads: '1' });
  try {
    const connection = await instance.connect();
    for (const [name, columns] of tables) {
      const all = [...columns].map(([column, type]) => `"${column}" ${type}`);
      await connection.run(`CREATE TABLE "${name}" (${all.join(', ')})`);
    }
    const statements = await connection.extractStatements(sql);
    await statements.prepare(0);
    return statements.count === 1 ? await listPlanColumns(connection, sql) : null;
  } finally {
    instance.closeSync();
  }
}

async function listPlanColumns(connection: DuckDb.DuckDBConnection, sql: string): Promise<ColumnsByTable | null> {
  try {
    const optimizers = await connection.runAndReadAll('SELECT name FROM duckdb_optimizers()');
    const others = optimizers.getRows().flatMap(([name]) => (name === OPTIMIZER ? [] : [String(name)]));
    await connection.run(`SET disabled_optimizers = '${others.join(',')}'`);
    const plan = await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`);
    return readPlanColumns(JSON.parse(String(plan.getRows()[0]?.[1])));
  } catch {
    // Some statements have no plan, such as EXPLAIN itself.
    return null;
  }
}

/** Others would look at the rows: no filter finds one in an empty table. */
const OPTIMIZER = 'unused_columns';

function readPlanColumns(plan: unknown): ReadonlyMap<string, ReadonlySet<string>> | null {
  const found = new Map<string, Set<string>>();
  const nodes = [...listObjects(plan)];
  for (const { extra_info: info, children } of nodes) {
    nodes.push(...listObjects(children));
    if (!isObject(info) || typeof info.Table !== 'string') continue;
    const { Table: table, Projections: projections } = info;
    const read = (Array.isArray(projections) ? projections : [projections]).map(asString);
    if (read.includes(null)) return null;
    const name = table.slice(table.lastIndexOf('.') + 1);
    const columns = found.get(name) ?? new Set();
    for (const column of read) {
      if (column) columns.add(column);
    }
    found.set(name, columns);
  }
  return found;
}
