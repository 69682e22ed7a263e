import fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { tables } from '#analysis/tables/index.js';
import { Log } from '../fixtures/log.js';
import { ctxInFolder, type DiskRun } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';
import { Random } from '../support/random.js';
import { runs } from '../support/runs.js';

const root = fs.mkdtempSync(path.join(tmpdir(), 'ctx-dataset-'));
afterAll(() => fs.rmSync(root, { recursive: true }));
let worlds = 0;

const OLD = new Date('2026-05-01T00:00:00Z');

class World {
  readonly folder = path.join(root, String((worlds += 1)));
  readonly sessions = path.join(this.folder, 'sessions');
  readonly dataset = path.join(this.folder, 'dataset');

  constructor() {
    fs.mkdirSync(this.sessions, { recursive: true });
  }

  /** A session that was written long ago. */
  write(id: string, day: number, turns: number, header: Readonly<Record<string, unknown>> = {}): void {
    const log = new Log(id, { timestamp: `2026-03-0${day}T10:00:00.000Z`, ...header });
    for (let turn = 1; turn <= turns; turn += 1) {
      const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0.01 } };
      log.user(`${day}u${turn}`, `What is ${turn}?`).assistant(`${day}a${turn}`, 'An answer.', { usage });
    }
    const file = path.join(this.sessions, `${id}.jsonl`);
    fs.writeFileSync(file, log.text());
    fs.utimesSync(file, OLD, OLD);
  }

  /** Runs a command line in this process. What is killed, and the tasks of a job array, are processes of the program. */
  async ctx(...argv: readonly string[]): Promise<DiskRun> {
    const { stdout, stderr, ...rest } = await ctxInFolder(this.folder, argv);
    return { ...rest, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  }

  argv(host: string): readonly string[] {
    return ['export', 'sessions', '--format', 'parquet', '-o', 'dataset', '--partition', 'day', '--host', host];
  }

  /** Returns the written files. */
  async export(host = 'alpha'): Promise<readonly string[]> {
    const before = this.inodes();
    const { exitCode, stderr } = await this.ctx(...this.argv(host));
    if (exitCode !== 0 || stderr !== '') throw new Error(stderr);
    return [...this.inodes()].flatMap(([file, inode]) => (before.get(file) === inode ? [] : [file]));
  }

  /** The inodes of all files of tables; a file that is replaced has another one. */
  inodes(): ReadonlyMap<string, number> {
    if (!fs.existsSync(this.dataset)) return new Map();
    const names = fs.readdirSync(this.dataset, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.parquet'));
    return new Map(files.map((name) => [path.join('dataset', name), fs.statSync(path.join(this.dataset, name)).ino]));
  }

  /** Starts an export that may be killed. */
  startExport() {
    const argv = [path.join(projectFolder, 'bin/ctx.js'), ...this.argv('alpha')];
    return execa(process.execPath, argv, { cwd: this.folder, env: { CTX_INDEX_DIR: '' }, reject: false });
  }

  /** The content of all files of the dataset. */
  bytes(): ReadonlyMap<string, string> {
    const names = fs.readdirSync(this.dataset, { recursive: true, encoding: 'utf8' }).toSorted();
    const files = names.filter((name) => name.endsWith('.parquet'));
    return new Map(files.map((name) => [name, fs.readFileSync(path.join(this.dataset, name)).toString('latin1')]));
  }
}

/** Calls and dollars of each session, as DuckDB reads the dataset without ctx. */
async function totals({ dataset }: World): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const usage = `read_parquet('${dataset}/usage/*/*/*.parquet', hive_partitioning = true)`;
  const sql = `SELECT session_id, host, day::VARCHAR AS day, count(*) AS calls, sum(cost_recorded)::VARCHAR AS dollars FROM ${usage} WHERE NOT shared GROUP BY ALL ORDER BY ALL`;
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

it('is not mixed with tables of other exports, whose rows would count twice', async () => {
  const world = new World();
  world.write('one', 1, 2);
  await world.export();
  const into = await world.ctx('export', 'sessions', '--format', 'parquet', '-o', 'dataset');
  expect([into.exitCode, into.stderr]).toEqual([
    4,
    expect.stringMatching(/this folder is a dataset.*_ctx\.host=alpha\.json: .*--partition day$/),
  ]);
  expect(fs.existsSync(path.join(world.dataset, 'usage.parquet'))).toBe(false);
  expect((await world.ctx('export', 'sessions', '--format', 'parquet', '-o', 'plain')).exitCode).toBe(0);
  const beside = await world.ctx(...world.argv('alpha').map((word) => (word === 'dataset' ? 'plain' : word)));
  expect([beside.exitCode, beside.stderr]).toEqual([4, expect.stringContaining('tables without partitions')]);
  const since = await world.ctx('query', 'SELECT 1', 'dataset', '--since', '7d');
  expect([since.exitCode, since.stderr]).toEqual([
    2,
    expect.stringContaining('--since and --until select session files'),
  ]);
});

describe('a dataset', () => {
  it('has a file of each table for each day, and the second run changes nothing', async () => {
    const world = new World();
    world.write('s1', 1, 2);
    world.write('s2', 1, 1);
    world.write('s3', 2, 3);
    const files = await world.export();
    expect(files).toHaveLength(2 * tables.length);
    expect(files).toContain('dataset/usage/host=alpha/day=2026-03-01/usage.parquet');
    expect(await totals(world)).toEqual([
      ['s1', 'alpha', '2026-03-01', '2', '0.020000000'],
      ['s2', 'alpha', '2026-03-01', '1', '0.010000000'],
      ['s3', 'alpha', '2026-03-02', '3', '0.030000000'],
    ]);
    const { stdout } = await world.ctx(
      'query',
      'SELECT day, count(*) AS calls FROM usage GROUP BY 1 ORDER BY 1',
      'dataset',
      '--json',
    );
    expect(stdout.split('\n').map((line) => (JSON.parse(line) as { row: unknown }).row)).toEqual([
      { day: '2026-03-01', calls: 3 },
      { day: '2026-03-02', calls: 3 },
    ]);
    const before = world.bytes();
    expect(await world.export()).toEqual([]);
    const again = await world.ctx(...world.argv('alpha'));
    expect(again.stdout).toBe('nothing written: the dataset has all sessions');
    expect(world.bytes()).toEqual(before);
  });

  it('writes all days again if a version of ctx adds a column, also those of sessions that are not passed', async () => {
    const world = new World();
    for (const day of [1, 2]) world.write(`s${day}`, day, day);
    const files = await world.export();
    const list = path.join(world.dataset, '_ctx.host=alpha.json');
    fs.writeFileSync(list, fs.readFileSync(list, 'utf8').replace(/"columns":\d+/, '"columns":1'));
    const [command, , ...flags] = world.argv('alpha');
    const before = world.inodes();
    await world.ctx(command!, 'sessions/s1.jsonl', ...flags);
    const kept = [...world.inodes()].filter(([file, inode]) => before.get(file) === inode);
    expect([before.size, kept]).toEqual([files.length, []]);
  });

  it('writes only the days of sessions that are new, have changed or are gone', async () => {
    const world = new World();
    for (const day of [1, 2, 3]) world.write(`s${day}`, day, day);
    await world.export();
    world.write('s2', 2, 5);
    world.write('s4', 4, 1);
    const files = await world.export();
    expect(new Set(files.map((file) => /day=([-\d]+)/.exec(file)?.[1]))).toEqual(new Set(['2026-03-02', '2026-03-04']));
    fs.rmSync(path.join(world.sessions, 's1.jsonl'));
    expect(await world.export()).toHaveLength(tables.length);
    expect((await totals(world)).map((row) => (row as string[]).slice(0, 4).join(' '))).toEqual([
      's2 alpha 2026-03-02 5',
      's3 alpha 2026-03-03 3',
      's4 alpha 2026-03-04 1',
    ]);
  });

  it('counts the entries of a fork once, on the day of its original', async () => {
    const world = new World();
    world.write('s1', 1, 2);
    world.write('s2', 1, 3, { parentSession: 's1.jsonl', timestamp: '2026-03-05T10:00:00.000Z' });
    await world.export();
    expect((await totals(world)).map((row) => (row as string[]).slice(0, 4).join(' '))).toEqual([
      's1 alpha 2026-03-01 2',
      's2 alpha 2026-03-01 1',
    ]);
  });

  it('puts a session of each agent on the day on which it began', async () => {
    const world = new World();
    const fixtures = path.join(projectFolder, 'fixtures/agents');
    fs.cpSync(fixtures, world.sessions, { recursive: true });
    const days = (await world.export()).filter((file) => file.endsWith('sessions.parquet'));
    expect(days.map((file) => /day=([^/]+)/.exec(file)?.[1] ?? '').toSorted()).toEqual([
      '2025-01-01',
      '2025-08-04',
      '2025-11-02',
      '2026-03-02',
      '2026-04-02',
      '2026-07-02',
      '2026-07-15',
      '2026-09-01',
      '2026-09-14',
      '2026-09-20',
      '2026-11-24',
      '2026-11-29',
      // A transcript of Cursor, which has no times.
      '__HIVE_DEFAULT_PARTITION__',
    ]);
  });

  it('holds the partitions of two machines side by side', async () => {
    const world = new World();
    world.write('s1', 1, 1);
    await world.export();
    const before = world.bytes();
    await world.export('beta');
    for (const [name, bytes] of before) expect(world.bytes().get(name)).toBe(bytes);
    expect(await totals(world)).toHaveLength(2);
  });

  it('is shared among the tasks of a job array', async () => {
    const world = new World();
    const projects = ['one', 'two', 'three', 'four'];
    for (const [at, project] of projects.entries()) {
      world.write(`s${at}`, 1, 1 + at);
      fs.mkdirSync(path.join(world.sessions, project));
      fs.renameSync(path.join(world.sessions, `s${at}.jsonl`), path.join(world.sessions, project, `s${at}.jsonl`));
    }
    const bin = path.join(world.folder, 'bin');
    fs.mkdirSync(bin);
    const call = `#!/bin/sh\nexec "${process.execPath}" "${path.join(projectFolder, 'bin/ctx.js')}" "$@"\n`;
    fs.writeFileSync(path.join(bin, 'ctx'), call, { mode: 0o755 });
    const run = (task: string, sessions = 'sessions') => {
      const slurm = { SLURM_ARRAY_TASK_COUNT: '2', SLURM_ARRAY_TASK_ID: task, CTX_INDEX_DIR: '' };
      const env = { ...slurm, PATH: `${bin}${path.delimiter}${process.env['PATH']}` };
      const script = path.join(projectFolder, 'docs/ci/dataset.slurm');
      return execa('sh', [script, sessions, 'dataset'], { cwd: world.folder, env, reject: false });
    };
    for (const task of ['0', '1', '1']) expect((await run(task)).exitCode).toBe(0);
    expect(await run('0', 'sesions')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('sesions') as string,
    });
    const rows = (await totals(world)) as string[][];
    expect(rows.map(([id, , , calls]) => `${id} ${calls}`)).toEqual(['s0 1', 's1 2', 's2 3', 's3 4']);
    expect(new Set(rows.map(([, host]) => host))).toEqual(new Set(['task-0', 'task-1']));
  });

  it('is whole after an export that was killed at any moment, and one more', async () => {
    const kills = Number(process.env['CTX_KILLS'] ?? Math.max(4, runs(40)));
    const [world, whole] = [new World(), new World()];
    const random = new Random(11);
    let duration = 800;
    for (let kill = 0; kill < kills; kill += 1) {
      const change = [`s${random.int(0, 5)}`, 1 + random.int(0, 2), 1 + random.int(0, 4)] as const;
      for (const one of [world, whole]) one.write(...change);
      const start = Date.now();
      const running = world.startExport();
      const timer = setTimeout(() => running.kill('SIGKILL'), random.int(0, duration - 1));
      await running;
      clearTimeout(timer);
      duration = Math.max(200, Math.min(duration, 2 * (Date.now() - start)));
      if (kill % 4 === 3 || kill === kills - 1) {
        await world.export();
        await whole.export();
        expect(await totals(world)).toEqual(await totals(whole));
      }
    }
  });
});

/** What the test asks of a second engine, which is installed apart: `(cd test/polars && npm install)`. */
interface Polars {
  readonly Float64: unknown;
  readParquet(file: string): {
    readonly height: number;
    getColumn(name: string): { readonly dtype: unknown; cast(type: unknown): { sum(): number } };
  };
}

const installed = createRequire(path.join(projectFolder, 'test/polars/package.json'));
const isInstalled = fs.existsSync(path.join(projectFolder, 'test/polars/node_modules/nodejs-polars'));

it.runIf(isInstalled)('is read alike by Polars', async () => {
  const polars = installed('nodejs-polars') as Polars;
  const world = new World();
  world.write('s1', 1, 4);
  await world.export();
  const usage = polars.readParquet(path.join(world.dataset, 'usage/host=alpha/day=2026-03-01/usage.parquet'));
  expect(usage.getColumn('cost_recorded').cast(polars.Float64).sum()).toBeCloseTo(0.04, 9);
  expect(String(usage.getColumn('cost_recorded').dtype)).toContain('Decimal(18,9)');
  expect(String(usage.getColumn('time').dtype)).toContain('Datetime(ms,UTC)');
  expect(usage.height).toBe(4);
});
