import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tables } from '#analysis/tables/index.js';
import { schemas } from '#cli/schemas.js';
import { startSql } from '#platform/duckdb.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'));
const hostile = new Log('hostile')
  .user('u1', 'red \u001b[31m, \u202e turned, null \u0000, a tab\tand\na line')
  .user('u2', '=1+1')
  .text();
const world: World = { files: { 'weather.jsonl': weather, 'hostile.jsonl': hostile, 'broken.jsonl': 'nothing' } };

function ask(sql: string, ...more: readonly string[]): Promise<Ran> {
  return ctx(['query', sql, ...(more[0]?.startsWith('-') === false ? [] : ['weather.jsonl']), ...more], world);
}

async function rows(sql: string, ...more: readonly string[]): Promise<readonly unknown[]> {
  const { stdout, stderr, exitCode } = await ask(sql, ...more, '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const data = JSON.parse(line) as { row: unknown };
      expect(schemas['query-row'].safeParse(data)).toMatchObject({ success: true });
      return data.row;
    });
}

it.each(['s.jsonl', 'latest', 'all:codex'])('asks for the SQL before the sessions: %s', async (name) => {
  const ran = await ctx(['query', name, 'SELECT 1'], { files: { 's.jsonl': '' } });
  expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(`write: ctx query 'SELECT 1' ${name}`)]);
});

describe('what is printed', () => {
  it('is rows in columns, numbers to the right', async () => {
    const { stdout } = await ask(
      'SELECT role, count(*) AS entries, NULL::VARCHAR AS nothing FROM entries WHERE role IS NOT NULL GROUP BY 1 ORDER BY 2',
    );
    expect(stdout).toBe(
      [
        'role        entries  nothing',
        'system            1  NULL',
        'user              6  NULL',
        'toolResult       11  NULL',
        'assistant        16  NULL',
        '',
      ].join('\n'),
    );
  });

  it('is every column where one is a long text, which is cut', async () => {
    const sql =
      "SELECT repeat('/dir', 30) || '/end' AS file, 7 AS n, repeat('word ', 40) AS text, 'short' AS s, 12345678 AS m";
    expect((await ask(sql)).stdout).toBe(
      [
        'file                           n  text                           s             m',
        '…/dir/dir/dir/dir/dir/dir/end  7  word word word word word wor…  short  12345678',
        '',
      ].join('\n'),
    );
  });

  it('is every column where they do not fit, in longer rows', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `column_${at}`);
    const sql = `SELECT ${names.map((name, at) => `repeat('${at} ', 20) AS ${name}, ${at} AS n${at}`).join(', ')}`;
    const [titles = '', row = ''] = (await ask(sql)).stdout.split('\n');
    expect(titles.split(/ +/)).toEqual(names.flatMap((name, at) => [name, `n${at}`]));
    expect(row).toMatch(/^0 0 0 0 0 0 0 0…   0  1 1 1 1 1 1 1 1…   1 .*10 10 10 10 10 …   10  11 11 11 11 11 …   11$/);
  });

  it('is a line of JSON for each row, with its types', async () => {
    expect(
      await rows(
        "SELECT 1::TINYINT AS i, 9007199254740993 AS big, 1.5::DECIMAL(4, 2) AS d, [1, 2] AS list, {'k': TRUE} AS s, NULL AS n, TIMESTAMP '2026-01-02 03:04:05' AS t",
      ),
    ).toEqual([
      { i: 1, big: '9007199254740993', d: 1.5, list: [1, 2], s: { k: true }, n: null, t: '2026-01-02 03:04:05' },
    ]);
    expect(await rows('SELECT line AS a, line AS a FROM entries LIMIT 1')).toEqual([{ a: 2, 'a:1': 2 }]);
  });

  it('is CSV and Markdown', async () => {
    const sql = "SELECT 'a|b' AS x, [1] AS y UNION ALL SELECT '=1', NULL ORDER BY 1 DESC";
    expect((await ask(sql, '--format', 'csv')).stdout).toBe("x,y\na|b,[1]\n'=1,\n");
    expect((await ask(sql, '--format', 'markdown')).stdout).toBe(
      '| x | y |\n| --- | --- |\n| a\\|b | \\[1\\] |\n| =1 | NULL |\n',
    );
  });

  it('says so where there are no rows', async () => {
    const sql = 'SELECT file, line FROM usage WHERE FALSE';
    expect((await ask(sql)).stdout).toBe('no rows of file, line\n');
    expect((await ask(sql, '--json')).stdout).toBe('');
    expect((await ask(sql, '--format', 'csv')).stdout).toBe('file,line\n');
  });

  it('is in CSV a negative number, however large, and no formula', async () => {
    const sql = "SELECT -170141183460469231731687303715884105727::HUGEINT AS h, '-1+1' AS f";
    expect((await ask(sql, '--format', 'csv')).stdout).toBe("h,f\n-170141183460469231731687303715884105727,'-1+1\n");
  });

  it('is all of many rows', async () => {
    const { stdout } = await ask('SELECT range AS n FROM range(5000)');
    expect(stdout.split('\n').map(Number)).toEqual([Number.NaN, ...Array.from({ length: 5000 }, (_, at) => at), 0]);
  });

  it('holds nothing that a terminal would obey', async () => {
    const { stdout } = await ask('SELECT text, line FROM messages ORDER BY line LIMIT 1', 'hostile.jsonl');
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(await rows('SELECT text FROM messages ORDER BY line LIMIT 1', 'hostile.jsonl')).toEqual([
      { text: 'red \u001b[31m, \u202e turned, null \u0000, a tab\tand\na line' },
    ]);
  });

  it('warns of sessions that cannot be read', async () => {
    const { stderr, exitCode } = await ask('SELECT 1', 'weather.jsonl', 'broken.jsonl');
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^ctx: warning: unreadable-session: broken.jsonl: this looks like plain text/),
    ]);
  });
});

describe('what can be asked', () => {
  it('is every table, whether others are asked for or not', async () => {
    const names = tables.map(({ name }) => name);
    expect(await rows('SHOW TABLES')).toEqual(names.toSorted().map((name) => ({ name })));
    const all = await rows(
      names.map((name) => `SELECT '${name}' AS name, count(*) AS rows FROM ${name}`).join(' UNION ALL '),
    );
    const alone = await Promise.all(
      names.map((name) => rows(`SELECT '${name}' AS name, count(*) AS rows FROM ${name.toUpperCase()}`)),
    );
    expect(alone.flat()).toEqual(all);
    expect(all).toContainEqual({ name: 'sessions', rows: 1 });
  });

  it('is some columns of a table, with the values that all columns have', async () => {
    const asked = [
      'SELECT tool_name, is_error, count(*) AS n, max(line) AS last FROM tool_calls GROUP BY ALL ORDER BY ALL',
      'SELECT result_line, time FROM tool_calls WHERE tool_name = (SELECT min(tool_name) FROM tool_calls) ORDER BY ALL',
      'SELECT role, provider, sum(bytes) AS bytes FROM entries WHERE in_context GROUP BY ALL ORDER BY ALL',
      'SELECT entries.line, stop_reason, usage.turn FROM entries JOIN usage USING (file, line) ORDER BY ALL',
      'SELECT category, sum(images) AS images, sum(length(text)) AS characters FROM messages GROUP BY ALL ORDER BY ALL',
      'SELECT title, context_tokens_estimated > 0 AS some FROM sessions',
      'SELECT COLUMNS(c -> c[1] = chr(99)) FROM tool_calls ORDER BY ALL',
    ];
    for (const sql of asked) {
      // Of several statements all columns are read.
      const all = await rows(`SELECT 1; ${sql}`);
      expect(all.length).toBeGreaterThan(0);
      expect(await rows(sql)).toEqual(all);
    }
  });

  it('is what --tables lists', async () => {
    const { stdout } = await ctx(['query', '--tables', '--json']);
    const data: unknown = JSON.parse(stdout);
    expect(schemas.tables.safeParse(data)).toMatchObject({ success: true });
    const listed = (data as { tables: { name: string; columns: { name: string; type: string }[] }[] }).tables;
    const described = listed.map(
      ({ name }) => `SELECT '${name}' AS table, column_name AS name, column_type AS type FROM (DESCRIBE ${name})`,
    );
    expect(await rows(described.join(' UNION ALL '))).toEqual(
      listed.flatMap(({ name, columns }) =>
        columns.map((column) => ({ table: name, name: column.name, type: column.type })),
      ),
    );
    const csv = (await ctx(['query', '--tables', '--format', 'csv'])).stdout.split('\n');
    expect(csv[0]).toBe('table,column,type,nullable,about');
    expect(csv.filter((row) => row !== '')).toHaveLength(1 + listed.flatMap(({ columns }) => columns).length);
    expect((await ctx(['query', '--tables'])).stdout).toMatch(/^ {2}cost_recorded +DECIMAL\(18,9\) +cost in dollars/m);
  });

  it('is several statements, of which the last one answers', async () => {
    expect(await rows('CREATE TABLE mine AS SELECT line FROM entries; SELECT count(*) AS n FROM mine')).toEqual([
      { n: 44 },
    ]);
  });

  it.each([
    ["SELECT * FROM read_text('package.json')", /Permission Error/],
    ["SELECT * FROM read_csv('/etc/hosts')", /Permission Error/],
    ["COPY usage TO 'usage.csv'", /Permission Error/],
    ["ATTACH 'other.db'", /Permission Error/],
    ['INSTALL httpfs', /Permission Error/],
    ["LOAD 'httpfs'", /Permission Error/],
    ['SET enable_external_access = true', /locked|Cannot/],
    ['SET threads = 1', /locked/],
    ['SELECT nothing FROM usage', /"nothing" not found/],
    ['SELECT * FROM nowhere', /nowhere does not exist/],
    ['SELEC 1', /^ctx: Parser Error: syntax error at or near "SELEC": line 1, column 1$/m],
    ["SELECT 'a'::INTEGER", /Conversion Error/],
    ['', /query needs SQL/],
    [' ; ', /query needs SQL/],
    ['/* nothing\n */; -- at all', /query needs SQL/],
  ])('is not %s', async (sql, message) => {
    const { exitCode, stdout, stderr } = await ask(sql);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it.each([
    ['selec 1', 'line 1, column 1', ['selec 1', '^']],
    ['SELECT\n  line, b(c FROM usage', 'line 2, column 13', ['  line, b(c FROM usage', '            ^']],
    ["SELECT '雪', nme FROM sessions", 'line 1', ["SELECT '雪', nme FROM sessions", '             ^']],
  ])('marks the place in %j', async (sql, where, excerpt) => {
    expect((await ask(sql)).stderr).toContain(`: ${where}`);
    const { stderr } = await ctx(['query', sql, 'weather.jsonl'], {
      ...world,
      isTerminal: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(stderr).toContain(`\n  ${where}\n${excerpt.map((text) => `  ${text}\n`).join('')}`);
  });

  it('gives a syntax error and a refusal no hint about tables', async () => {
    for (const sql of ['selec 1', "SELECT * FROM read_csv('/etc/hosts')"])
      expect((await ask(sql)).stderr).not.toContain('--tables');
    expect((await ask('SELECT * FROM session')).stderr.match(/did you mean/gi)).toHaveLength(1);
  });

  it('is not SQL with a misspelt name, before a session is read', async () => {
    const { exitCode, stderr } = await ctx(['query', 'SELECT modle FROM usage', 'gone.jsonl'], world);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/"modle" not found.*: did you mean "model"\?$/m)]);
  });

  it('is nothing of files that are not there', async () => {
    expect(await ctx(['query', 'SELECT 1', 'gone.jsonl'], world)).toMatchObject({ exitCode: 3 });
    expect(await ctx(['query', 'SELECT 1', 'broken.jsonl'], world)).toMatchObject({ exitCode: 3 });
    expect(await ctx(['query', '--tables', 'SELECT 1'], world)).toMatchObject({ exitCode: 2 });
  });
});

describe('a folder of tables', () => {
  const few = { files: { '/t/usage.parquet': '', '/t/entries.parquet': '' } };

  it('that lacks a table that is asked for is named with it', async () => {
    const { exitCode, stderr } = await ctx(['query', 'SELECT * FROM messages', '/t'], few);
    expect([exitCode, stderr]).toEqual([
      3,
      'ctx: there is no messages.parquet in this folder of tables: /t: export the tables again\n',
    ]);
  });

  it('is one of sessions where it holds some, unless all tables are there', async () => {
    const both = { files: { ...few.files, '/t/weather.jsonl': weather } };
    const { exitCode, stdout } = await ctx(['query', 'SELECT count(*) AS n FROM sessions', '/t', '--json'], both);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { row: { n: 1 } }]);
  });
});

describe('DuckDB', () => {
  it('leaves no folder behind', async () => {
    const sql = await startSql();
    expect([existsSync(sql.folder), statSync(sql.folder).mode % 0o1000]).toEqual([true, 0o700]);
    await sql.append('some.parquet', new Uint8Array(5));
    sql.close();
    expect(existsSync(sql.folder)).toBe(false);
  });

  it('says which table cannot be read', async () => {
    const sql = await startSql();
    try {
      await sql.append('usage.parquet', new Uint8Array(50));
      const locked = sql.lockTo(
        new Map([['usage', { columns: null, parts: [{ name: 'usage.parquet', columns: new Map() }] }]]),
      );
      await expect(locked).rejects.toMatchObject({ kind: 'input', where: 'usage.parquet' });
    } finally {
      sql.close();
    }
  });

  it('says why a table cannot be written', async () => {
    const sql = await startSql();
    try {
      rmSync(sql.folder, { recursive: true });
      await expect(sql.append('usage.parquet', new Uint8Array(5))).rejects.toMatchObject({ kind: 'refused' });
    } finally {
      sql.close();
    }
  });

  it('says why a table cannot be copied', async () => {
    const sql = await startSql();
    try {
      await expect(sql.copy('usage.parquet', sql.folder)).rejects.toMatchObject({ kind: 'input', where: sql.folder });
    } finally {
      sql.close();
    }
  });

  it('is asked for where it is not installed', async () => {
    const absent = (): never => {
      throw new Error("Cannot find module '@duckdb/node-api'\nRequire stack:");
    };
    await expect(startSql(absent)).rejects.toMatchObject({
      kind: 'usage',
      where: "Cannot find module '@duckdb/node-api'",
      hint: expect.stringContaining('npm install @duckdb/node-api') as string,
    });
  });
});

describe('tables of many machines', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-hosts-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const SQL = 'SELECT count(*) AS rows, count(DISTINCT file) AS files FROM entries';

  async function hosts(): Promise<Readonly<Record<string, string | Uint8Array>>> {
    const ran = await ctx(['export', 'weather.jsonl', '--format', 'parquet', '-o', '/t'], world);
    const other = await ctx(['export', 'hostile.jsonl', '--format', 'parquet', '-o', '/u'], world);
    const entries = { a: ran.files['/t/entries.parquet'] ?? '', b: other.files['/u/entries.parquet'] ?? '' };
    const hive = { '/h/entries/host=a/part.parquet': entries.a, '/h/entries/host=b%20c/part.parquet': entries.b };
    const byHost = { '/i/host=a/entries.parquet': entries.a, '/i/host=b/entries.parquet': entries.b };
    const all = { ...world.files, ...ran.files, ...other.files, ...hive, ...byHost };
    // The database reads tables from the disk.
    for (const [name, content] of Object.entries(all)) {
      if (!name.endsWith('.parquet')) continue;
      mkdirSync(path.dirname(folder + name), { recursive: true });
      writeFileSync(folder + name, content);
    }
    return Object.fromEntries(
      Object.entries(all).map(([name, content]) => [name.endsWith('.parquet') ? folder + name : name, content]),
    );
  }

  it.each<readonly [what: string, names: readonly string[]]>([
    ['several folders', ['/t', '/u']],
    ['tables beside a session', ['/t', 'hostile.jsonl']],
    ['a session beside tables', ['hostile.jsonl', '/t']],
    ['a folder for each table', ['/h']],
    ['a folder for each host', ['/i']],
  ])('are asked together: %s', async (_what, names) => {
    const { stdout, stderr } = await ctx(
      ['query', SQL, ...names.map((name) => (name.startsWith('/') ? folder + name : name)), '--json'],
      { files: await hosts() },
    );
    expect([stderr, JSON.parse(stdout || 'null')]).toMatchObject(['', { row: { rows: 46, files: 2 } }]);
  });

  it('have the names of their folders as columns, and SQL reaches no other file', async () => {
    const files = await hosts();
    const byHost = await ctx(
      ['query', 'SELECT DISTINCT host FROM entries ORDER BY 1', `${folder}/h`, '--format', 'csv'],
      {
        files,
      },
    );
    expect(byHost.stdout).toBe('host\na\nb c\n');
    const out = await ctx(['query', "SELECT * FROM read_text('package.json'), entries", `${folder}/h`], { files });
    expect([out.exitCode, out.stderr]).toEqual([2, expect.stringContaining('Permission Error')]);
  });
});

it('asks all sessions of Pi where none is named, and says how many there are', async () => {
  const at = (id: string): string => `/agent/sessions/--home-ada--/2026-01-01T00-00-00-000Z_${id}.jsonl`;
  const files = { [at('one')]: weather, [at('two')]: hostile };
  const all = { files, env: { PI_CODING_AGENT_DIR: '/agent' } };
  const { stdout, stderr } = await ctx(['query', 'SELECT count(*) AS n FROM sessions', '--format', 'csv'], all);
  expect([stdout, stderr]).toEqual(['n\n2\n', 'ctx: 2 sessions of Pi\n']);
});

it('asks the sessions of all agents if Pi has none', async () => {
  const session = readFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'));
  const file = '/home/ada/.claude/projects/-home-ada/0b1c2d3e-0000-4000-8000-000000000000.jsonl';
  const { stdout, stderr } = await ctx(['query', 'SELECT file FROM sessions', '--format', 'csv'], {
    files: { [file]: session },
    env: { HOME: '/home/ada' },
  });
  expect([stdout, stderr]).toEqual([`file\n${file}\n`, 'ctx: 1 session of other agents\n']);
});

it('asks for another folder if no agent has sessions', async () => {
  const { exitCode, stderr } = await ctx(['query', 'SELECT 1'], { files: {}, env: { HOME: '/home/ada' } });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('name another folder')]);
});
