import { afterAll, describe, expect, it } from 'vitest';
import { startSql } from '#platform/duckdb.js';

const sql = await startSql();
afterAll(() => sql.close());

const columns = { a: 'VARCHAR', b: 'BIGINT', c: 'DECIMAL(18,9)', d: 'BOOLEAN' };
const TABLES = new Map(['one', 'two'].map((name) => [name, new Map(Object.entries(columns))]));

async function read(statement: string): Promise<unknown> {
  const found = await sql.columnsRead(statement, TABLES);
  return found && Object.fromEntries([...found].map(([name, all]) => [name, [...all].toSorted().join(' ')]));
}

describe('the columns that SQL reads', () => {
  it.each<readonly [statement: string, found: unknown]>([
    ['SELECT a, sum(c) FROM one GROUP BY 1', { one: 'a c' }],
    ['SELECT count(*) FROM one', { one: '' }],
    ['SELECT "A" FROM ONE WHERE d', { one: 'a d' }],
    ['SELECT a FROM one WHERE FALSE', { one: 'a' }],
    ['SELECT a FROM one WHERE d LIMIT 0', { one: 'a d' }],
    ['SELECT * FROM one WHERE d', { one: 'a b c d' }],
    ['FROM one', { one: 'a b c d' }],
    ['SELECT one FROM one', { one: 'a b c d' }],
    ["SELECT COLUMNS('[ab]') FROM one", { one: 'a b' }],
    ['SELECT * EXCLUDE (a, b) FROM one', { one: 'c d' }],
    ['SUMMARIZE one', { one: 'a b c d' }],
    ['SELECT one.a FROM one JOIN two USING (b)', { one: 'a b', two: 'b' }],
    ['SELECT one.a FROM one NATURAL JOIN two', { one: 'a b c d', two: 'a b c d' }],
    ['SELECT a FROM one WHERE b = (SELECT max(b) FROM two WHERE two.a = one.a)', { one: 'a b', two: 'a b' }],
    ['SELECT a FROM one WHERE EXISTS (FROM two WHERE two.b = one.b)', { one: 'a b', two: 'b' }],
    ['WITH x AS (FROM one) SELECT a FROM x UNION ALL SELECT b::VARCHAR FROM two', { one: 'a', two: 'b' }],
    ['WITH x AS MATERIALIZED (FROM one) SELECT x.a, y.b FROM x, x AS y', { one: 'a b' }],
    ['SELECT first_value(a) OVER (PARTITION BY b ORDER BY c) FROM one', { one: 'a b c' }],
    ['SELECT DISTINCT ON (a) b FROM one ORDER BY c', { one: 'a b c' }],
    ["SELECT a FROM query_table(['one'])", { one: 'a' }],
    ["SELECT a FROM query('FROM ' || 'two')", { two: 'a' }],
    ['SELECT 1', {}],
    ['SHOW TABLES', {}],
    ['DESCRIBE one', {}],
  ])('%s', async (statement, found) => {
    expect(await read(statement)).toEqual(found);
  });

  it.each([
    'SELECT a FROM one; SELECT b FROM two',
    'PIVOT one ON a USING sum(c)',
    'EXPLAIN SELECT a FROM one',
    'EXPLAIN ANALYZE SELECT a FROM one',
    'CREATE TABLE three AS FROM one; SELECT z FROM three',
  ])('are unknown: %s', async (statement) => {
    expect(await read(statement)).toBeNull();
  });

  it.each([
    ['SELECT nothing FROM one', 'ctx query --tables lists tables and columns'],
    ['SELECT nothing FROM one; SELECT a FROM one', 'ctx query --tables lists tables and columns'],
    ['SELECT one.aa FROM one', 'did you mean "a"?'],
    ['SELECT aa FROM one', 'did you mean "a"?'],
    ['FROM twoo', 'did you mean "two"?'],
    ['SELECT summ(c) FROM one', 'did you mean "sum"?'],
    ['SELEC 1', null],
    ["SELECT * FROM read_text('package.json')", null],
  ])('are refused with a hint: %s', async (statement, hint) => {
    await expect(read(statement)).rejects.toMatchObject({ kind: 'usage', hint });
  });

  it.each([
    ['FROM twoo', 'Catalog Error: Table with name twoo does not exist!'],
    ['SELECT aa FROM one', 'Binder Error: Referenced column "aa" not found in FROM clause!'],
    ['FROM nowhere', expect.stringContaining('Did you mean')],
  ])('are refused with similar names once: %s', async (statement, message) => {
    await expect(read(statement)).rejects.toMatchObject({ message });
  });
});
