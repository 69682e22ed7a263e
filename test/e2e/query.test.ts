import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandNames } from '#cli/commands/index.js';
import { ctxInFolder, type DiskRun } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const weather = 'fixtures/weather.jsonl';
let folder = '';
let temporary = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-e2e-query-'));
  temporary = path.join(folder, 'temporary');
  mkdirSync(temporary);
});
afterAll(() => rmSync(folder, { recursive: true }));

function ctx(argv: readonly string[], env: Record<string, string> = {}) {
  // Node.js would keep compiled modules in the folder for temporary files.
  const own = { TMPDIR: temporary, ...env };
  const options = { reject: false, cwd: projectFolder, env: own } as const;
  return execa(process.execPath, [binary, ...argv], options);
}

/** Runs a command line in this process. */
const ctxHere = (argv: readonly string[]): Promise<DiskRun> => ctxInFolder(projectFolder, argv, temporary);

/** A query that is ended once its table is there. */
async function interrupted(env: Record<string, string> = {}) {
  const running = ctx(
    ['query', 'SELECT count(*) FROM entries, range(1000000000000) AS a, range(1000) AS b', weather],
    env,
  );
  try {
    await expect.poll(() => readdirSync(temporary).length).toBe(1);
    await expect.poll(() => readdirSync(path.join(temporary, readdirSync(temporary)[0]!))).toEqual(['entries.parquet']);
    running.kill('SIGTERM');
    return await running;
  } finally {
    // It would never end by itself.
    running.kill('SIGKILL');
  }
}

describe('ctx query as a process', () => {
  it('asks sessions and tables that were exported alike, and leaves nothing behind', async () => {
    const out = path.join(folder, 'tables');
    const sql = 'SELECT source, count(*) AS calls, sum(total_recorded) AS tokens FROM usage GROUP BY 1 ORDER BY 1';
    const asked = await ctx(['query', sql, weather, 'fixtures/branches.jsonl']);
    expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await ctx(['export', weather, 'fixtures/branches.jsonl', '--format', 'parquet', '-o', out])).toMatchObject({
      exitCode: 0,
    });
    expect(await ctx(['query', sql, out])).toMatchObject({ exitCode: 0, stderr: '', stdout: asked.stdout });
    expect(asked.stdout).toMatch(/^requests +\d+ +\d+$/m);
    const refused = await ctx(['query', `SELECT * FROM read_text('${path.join(out, '../temporary')}/*')`, out]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Permission Error') as string });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('replaces tables only when told to, and then all of them', async () => {
    const out = path.join(folder, 'again');
    const argv = ['export', weather, '--format', 'parquet', '-o', out];
    await ctxHere(argv);
    rmSync(path.join(out, 'entries.parquet'));
    const before = readdirSync(out);
    expect(await ctxHere(argv)).toMatchObject({ exitCode: 4 });
    expect(readdirSync(out)).toEqual(before);
    expect(await ctxHere([...argv, '--force'])).toMatchObject({ exitCode: 0 });
    expect(readdirSync(out)).toHaveLength(6);
  });

  it('leaves no folder behind where nothing can be exported', async () => {
    const broken = path.join(folder, 'broken.jsonl');
    writeFileSync(broken, 'nothing');
    const out = path.join(folder, 'new/tables');
    expect(await ctxHere(['export', broken, '--format', 'parquet', '-o', out])).toMatchObject({ exitCode: 3 });
    expect(existsSync(path.dirname(out))).toBe(false);
  });

  it('leaves nothing behind when it is interrupted', async () => {
    expect(await interrupted()).toMatchObject({ signal: 'SIGTERM' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('leaves nothing behind where a table came back while its folder was being removed', async () => {
    const script = path.join(folder, 'busy.cjs');
    writeFileSync(
      script,
      `const fs = require('node:fs');
      const { rmSync } = fs;
      fs.rmSync = () => {
        fs.rmSync = rmSync;
        throw Object.assign(new Error('directory not empty'), { code: 'ENOTEMPTY' });
      };`,
    );
    expect(await interrupted({ NODE_OPTIONS: `--import=${script}` })).toMatchObject({ signal: 'SIGTERM' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('says where it cannot write', async () => {
    const nowhere = path.join(folder, 'nowhere');
    const { exitCode, stderr } = await ctx(['query', 'SELECT 1', weather], { TMPDIR: nowhere });
    expect([exitCode, stderr]).toEqual([
      4,
      expect.stringContaining(`ctx: cannot write the tables (ENOENT): ${nowhere}: `),
    ]);
  });

  it('says what to install where DuckDB is not', async () => {
    const script = path.join(folder, 'absent.cjs');
    writeFileSync(
      script,
      `const Module = require('node:module');
      const { _load: load } = Module;
      Module._load = (name, ...others) => load(name.startsWith('@duckdb/') ? 'not-there' : name, ...others);`,
    );
    const { exitCode, stderr } = await ctx(['query', 'SELECT 1', weather], { NODE_OPTIONS: `--import=${script}` });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/npm install @duckdb\/node-api/)]);
    expect(await ctx(['query', '--tables'], { NODE_OPTIONS: `--import=${script}` })).toMatchObject({ exitCode: 0 });
  });
});

const PARQUET = /PAR1|TIMESTAMP_MILLIS|duckdb_databases/;

/** The text of the built files among the URLs of loaded modules. */
function readOf(urls: string): string {
  const built = urls.split('\n').filter((url) => url.includes('/dist/cli/'));
  return built.map((url) => readFileSync(new URL(url), 'utf8')).join('\n');
}

describe('other commands', () => {
  it('load neither DuckDB nor what writes Parquet', async () => {
    const support = (name: string): string => path.join(projectFolder, 'test', name);
    /** The modules that command lines load, in one process. */
    const loadedBy = async (lines: readonly (readonly string[])[]): Promise<string> => {
      const [LOADED, answer] = ['loaded.txt', 'answer.json'].map((name) => path.join(folder, name)) as [string, string];
      rmSync(LOADED, { force: true });
      const program = ['--import', support('support/loaded.mjs'), support('security/run-all.cjs')];
      const env = { LOADED, TMPDIR: temporary };
      await execa(process.execPath, [...program, binary, JSON.stringify(lines), answer], { cwd: projectFolder, env });
      const runs = JSON.parse(readFileSync(answer, 'utf8')) as readonly { readonly exitCode: number }[];
      expect(runs.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 0));
      return readFileSync(LOADED, 'utf8');
    };
    const names = ['show', 'log', 'stats', 'check', 'report', 'export'];
    expect(commandNames).toEqual(expect.arrayContaining(names));
    const output = ['-o', path.join(folder, 'report.html')];
    const others = await loadedBy(names.map((name) => [name, weather, ...(name === 'report' ? output : [])]));
    expect(others).toContain('dist/cli/main.js');
    expect(others).not.toMatch(/duckdb|table-index|\/query-/);
    expect(readOf(others)).not.toMatch(PARQUET);
    const loaded = await loadedBy([['query', 'SELECT 1 FROM usage', weather]]);
    for (const part of ['table-index', '@duckdb/node-api']) expect(loaded).toContain(part);
    expect(readOf(loaded)).toMatch(PARQUET);
  });
});
