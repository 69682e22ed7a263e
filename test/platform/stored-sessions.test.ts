import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readDatabase } from '#platform/sqlite/read-database.js';
import { loadOwn, loadSqlite, type Sqlite } from '#platform/sqlite/sqlite.js';
import { ctxOnDisk, type DiskRun } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';

const SQL = readFileSync(path.join(projectFolder, 'fixtures/agents/opencode/database.sql'), 'utf8');
const WALK = 'ses_dda954039ffeHKZeNYDvdqo92V';
const ASKED = 'ses_dda94e847ffefI9P1oEoxwJfcK';

let home: string;
let folder: string;
let file: string;
let writer: Sqlite | null = null;

beforeEach(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'ctx-test-'));
  folder = path.join(home, '.local/share/opencode');
  const { mkdir } = await import('node:fs/promises');
  await mkdir(folder, { recursive: true });
  // Tests beside this one copy databases too.
  await mkdir(path.join(home, 'temporary'));
  vi.stubEnv('TMPDIR', path.join(home, 'temporary'));
  file = path.join(folder, 'opencode.db');
});

afterEach(() => {
  writer?.close();
  writer = null;
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** A database that opencode has closed. */
function writeClosed(...changes: readonly string[]): void {
  const database = loadSqlite()(file);
  for (const sql of [SQL, ...changes]) database.exec(sql);
  database.close();
}

/** A database that another program has open, with its last changes in the log only. */
function keepOpen(): Sqlite {
  writeClosed();
  writer = loadSqlite()(file);
  writer.exec('PRAGMA locking_mode = EXCLUSIVE');
  writer.prepare('PRAGMA journal_mode = WAL').all();
  writer.exec("UPDATE session SET title = 'Renamed while open'");
  return writer;
}

const run = (...argv: readonly string[]): Promise<DiskRun> => ctxOnDisk(argv, { home });

function stateOfFolder(): readonly unknown[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const stat = statSync(path.join(folder, name), { bigint: true });
      const { size, mtimeNs, ctimeNs } = stat;
      const isFile = stat.isFile();
      return [name, size, mtimeNs, ctimeNs, isFile ? readFileSync(path.join(folder, name), 'hex') : 'folder'];
    });
}

/** Without the time of the last change of owner: SQLite gives a log to its owner again where root reads it. */
function contentsOfFolder(): readonly unknown[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const { size, mtimeNs } = statSync(path.join(folder, name), { bigint: true });
      return [name, size, mtimeNs, readFileSync(path.join(folder, name), 'hex')];
    });
}

const temporary = (): readonly string[] => readdirSync(os.tmpdir()).filter((name) => name.startsWith('ctx-database-'));

describe('a database of opencode', () => {
  it('is read while another program has it open, without a write beside it', async () => {
    keepOpen();
    const before = stateOfFolder();
    expect((await run('ls', '--agent', 'opencode')).stdout).toContain('Renamed while open');
    expect((await run('show', WALK)).stdout).toContain('Renamed while open');
    expect(stateOfFolder()).toEqual(before);
    expect(temporary().length).toBeLessThanOrEqual(1);
  });

  it('is read after a crash left its log behind, without a write beside it', async () => {
    keepOpen();
    const open = file;
    folder = path.join(home, 'crashed');
    file = path.join(folder, 'opencode.db');
    mkdirSync(folder);
    for (const ending of ['', '-wal']) copyFileSync(`${open}${ending}`, `${file}${ending}`);
    const before = contentsOfFolder();
    expect((await run('ls', file)).stdout).toContain('Renamed while open');
    // It is closed when another one is read.
    await run('ls', open);
    expect(contentsOfFolder()).toEqual(before);
  });

  it.skipIf(loadOwn() === null)(
    'is read beside a program that shares its memory, without a write to that',
    async () => {
      writeClosed();
      writer = loadSqlite()(file);
      writer.prepare('PRAGMA journal_mode = WAL').all();
      writer.exec("UPDATE session SET title = 'Renamed while open'");
      const before = contentsOfFolder();
      expect(before).toHaveLength(3);
      // In one process, SQLite would share the memory of the writer.
      const argv = [path.join(projectFolder, 'bin/ctx.js'), 'ls', file];
      const { stdout } = await execa(process.execPath, argv, { env: { HOME: home, CTX_INDEX_DIR: '' } });
      expect(stdout).toContain('Renamed while open');
      expect(contentsOfFolder()).toEqual(before);
    },
  );

  it('grows between two commands', async () => {
    const database = keepOpen();
    expect((await run('show', ASKED)).stdout).not.toContain('One more');
    database.exec(
      `INSERT INTO message SELECT 'msg_z', session_id, time_created + 9e6, time_updated, '{"role":"user","time":{"created":1795934108397}}' FROM message WHERE session_id = '${ASKED}' LIMIT 1`,
    );
    database.exec(`INSERT INTO part SELECT 'prt_z', 'msg_z', '${ASKED}', 0, 0, '{"type":"text","text":"One more"}'`);
    expect((await run('show', ASKED)).stdout).toContain('One more');
  });

  it('has its sessions nested: a subagent is below the session that asked it', async () => {
    writeClosed();
    const { stdout } = await run('ls', '--agent', 'opencode');
    expect(stdout).toContain('(1 subagent) A helper');
    expect(stdout).toContain('└─ (subagent) look');
  });

  it('is a folder for the commands that take one', async () => {
    writeClosed();
    const { stdout } = await run('stats', file);
    expect(stdout).toContain('4 sessions');
    expect((await run('ls', folder)).stdout).toContain('The harbour');
  });

  it('is no session itself, and has none of another id', async () => {
    writeClosed();
    expect(await run('show', file)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('ctx ls ~/.local/share/opencode/opencode.db'),
    });
    const { exitCode, stderr } = await run('show', path.join(file, 'ses_none.json'));
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('no session of this id')]);
  });

  it('is told to be damaged, and keeps the others readable', async () => {
    writeClosed();
    truncateSync(file, 20_000);
    const { stderr, exitCode } = await run('show', path.join(file, `${WALK}.json`));
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('cannot be read')]);
    writeFileSync(file, 'no database');
    const listed = await run('ls', '--agent', 'opencode');
    expect([listed.exitCode, listed.stderr]).toEqual([1, expect.stringContaining('opencode.db')]);
  });

  it('is never written to: the writing commands name ctx convert', async () => {
    writeClosed();
    const before = stateOfFolder();
    for (const argv of [
      ['compact', WALK],
      ['prune', WALK, '--limit', '200k'],
      ['revert', WALK],
      ['repair', WALK, '--install'],
    ]) {
      const { exitCode, stdout, stderr } = await run(...argv);
      expect([argv[0], exitCode, `${stdout}${stderr}`]).toEqual([argv[0], 4, expect.stringContaining('ctx convert')]);
    }
    expect(stateOfFolder()).toEqual(before);
  });

  it('is read once while the other program writes, since a reading is of one moment', () => {
    const database = keepOpen();
    let calls = 0;
    const count = readDatabase(file, (read) => {
      calls += 1;
      database.exec(`UPDATE session SET title = 'Renamed ${calls} times'`);
      return read('SELECT count(*) AS sessions FROM session')[0]?.['sessions'];
    });
    expect([calls, count]).toEqual([1, 4]);
  });

  it('is refused where it would have to be copied and is too large', () => {
    writeClosed();
    truncateSync(file, 2 ** 30 + 1);
    expect(() => readDatabase(file, () => null, null)).toThrow('too large for a temporary copy');
  });

  it('has no session whose id leads to another place', async () => {
    const planted = path.join(home, 'planted.json');
    writeFileSync(planted, '{"info":{"id":"ses_planted"},"messages":[]}');
    writeClosed(`UPDATE session SET id = '../../../../planted' WHERE id = '${ASKED}'`);
    const { stdout } = await run('ls', file, '--json');
    expect(stdout).toContain(WALK);
    expect(stdout).not.toContain('planted');
  });

  it('has a session without a time for a number that is none', async () => {
    writeClosed(`UPDATE session SET time_updated = 1e300, time_created = 1e300 WHERE id = '${ASKED}'`);
    const { exitCode, stdout, stderr } = await run('ls', file, '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').filter((line) => line.includes(`"id":"${ASKED}"`));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ modified: '1970-01-01T00:00:00.000Z' }]);
    for (const argv of [
      ['ls', file],
      ['show', ASKED],
      ['stats', file],
    ])
      expect((await run(...argv)).exitCode, argv[0]).toBe(0);
  });

  it('goes into an archive, a file a session', async () => {
    writeClosed();
    const archive = path.join(home, 'archive');
    expect((await run('archive', '--agent', 'opencode', '--to', archive)).stdout).toContain('4 files copied');
    expect((await run('archive', '--agent', 'opencode', '--to', archive)).stdout).toContain('nothing has changed');
    expect((await run('ls', archive)).stdout).toContain('The harbour');
  });
});
