import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSqlite, type Sqlite } from '#platform/sqlite/sqlite.js';
import { STORES } from '#session/agents/stores.js';
import { ctxOnDisk, type DiskRun } from '../../../support/disk-io.js';
import { TESTED_AGENTS } from './agents.js';
import { buildConversation } from './conversations.js';
import { listExpected, open, readMessages } from './read.js';

const tested = TESTED_AGENTS.flatMap((agent) => (agent.store ? [{ agent, name: agent.name, store: agent.store }] : []));

it('the kit tests every database', () => {
  for (const { database } of STORES) expect(tested.some(({ store }) => database.test(store.place))).toBe(true);
});

const CONVERSATION = buildConversation(6, 3);

let home: string;
let writer: Sqlite | null = null;

beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'ctx-test-'));
});

afterEach(() => {
  writer?.close();
  writer = null;
  rmSync(home, { recursive: true, force: true });
});

/** The files of a folder, with the times of their last changes: a journal or a lock would be one more. */
function describeFolder(folder: string): readonly unknown[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const stat = statSync(path.join(folder, name), { bigint: true });
      // A lock may be a folder.
      const content = stat.isFile() ? readFileSync(path.join(folder, name), 'hex') : null;
      return [name, stat.size, stat.mtimeNs, stat.ctimeNs, content];
    });
}

const READING = [
  ['show'],
  ['log'],
  ['tree'],
  ['status'],
  ['cache'],
  ['facts'],
  ['stats'],
  ['check'],
  ['overhead'],
  ['grep', '.'],
  ['export', '--format', 'markdown'],
];

describe.each(tested)('a database of $name', ({ agent, store }) => {
  const run = (...argv: readonly string[]): Promise<DiskRun> => ctxOnDisk(argv, { home });

  /** Creates it, as the agent leaves it, or as it is while the agent runs: the last changes are in the log only. */
  function create(isOpen: boolean, conversation = CONVERSATION): { readonly file: string; readonly folder: string } {
    const file = path.join(home, store.place);
    mkdirSync(path.dirname(file), { recursive: true });
    const database = loadSqlite()(file);
    const statements = store.write(conversation);
    if (isOpen) {
      database.exec('PRAGMA locking_mode = EXCLUSIVE');
      database.prepare('PRAGMA journal_mode = WAL').all();
    }
    for (const sql of statements) database.exec(sql);
    if (isOpen) writer = database;
    else database.close();
    return { file, folder: path.dirname(file) };
  }

  it.each([
    ['closed', false],
    ['open in the agent', true],
  ])('is read by every command without a write, while it is %s', async (_name, isOpen) => {
    const { folder } = create(isOpen);
    const before = describeFolder(folder);
    const { stdout: listed } = await run('ls', '--agent', agent.name, '--json');
    const { file } = JSON.parse(listed) as { readonly file: string };
    for (const [command = '', ...flags] of READING) {
      const argv = command === 'grep' ? [command, ...flags, file] : [command, file, ...flags];
      const { exitCode, stdout, stderr } = await run(...argv);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, '']);
      expect(stdout).not.toBe('');
    }
    // The next command has the name that was given.
    const show = async (name: string): Promise<string> =>
      (await run('show', name)).stdout.replace(/ctx show (?:~\S+|latest:\S+) /, 'ctx show NAME ');
    expect(await show(`latest:${agent.name}`)).toBe(await show(file));
    expect(describeFolder(folder)).toEqual(before);
  });

  it('is read with what its agent has added since the last command, without a write', async () => {
    const { folder } = create(true, { ...CONVERSATION, messages: CONVERSATION.messages.slice(0, -1) });
    const { stdout: listed } = await run('ls', '--agent', agent.name, '--json');
    const { file } = JSON.parse(listed) as { readonly file: string };
    const count = async (): Promise<number> =>
      (await run('log', file, '--type', 'message', '--oneline')).stdout.split('\n').length;
    const before = await count();
    const rows = store.write(CONVERSATION).filter((sql) => sql.startsWith('INSERT INTO'));
    for (const sql of rows) writer?.exec(sql.replace('INSERT INTO', 'INSERT OR REPLACE INTO'));
    const grown = describeFolder(folder);
    expect(await count()).toBeGreaterThan(before);
    expect(describeFolder(folder)).toEqual(grown);
  });

  it.each(['cut', 'overwritten'])('is named where it is damaged, and left as it is: %s', async (damage) => {
    const { file, folder } = create(false);
    const { stdout: listed } = await run('ls', '--agent', agent.name, '--json');
    const session = (JSON.parse(listed) as { readonly file: string }).file;
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 3);
    writeFileSync(file, damage === 'cut' ? bytes.subarray(0, middle) : bytes.fill(0xa5, 100, bytes.length));
    const before = describeFolder(folder);
    for (const argv of [
      ['show', session],
      ['ls', '--agent', agent.name],
      ['check', session],
      ['stats', session],
    ]) {
      const { exitCode, stderr } = await run(...argv);
      expect([argv, exitCode]).not.toEqual([argv, 0]);
      expect(stderr).toContain(path.basename(file));
    }
    expect(describeFolder(folder)).toEqual(before);
  });

  it('has the messages of its conversation', async () => {
    const { file } = create(false);
    const database = loadSqlite()(file);
    const reader = STORES.find((each) => each.database.test(file));
    const query = (sql: string, ...values: readonly string[]) => database.prepare(sql).all(...values);
    const [stored, ...others] = reader?.list(query) ?? [];
    expect(others).toEqual([]);
    const document = [...(reader?.readDocument(query, stored?.id ?? '') ?? [])].join('');
    database.close();
    expect(readMessages(await open(document))).toEqual(listExpected(CONVERSATION, agent));
    expect(Buffer.byteLength(document)).toBeLessThanOrEqual(stored?.size ?? 0);
  });
});

describe('a compressed record in a database of OpenClaw', () => {
  const readDocument = (change: string): string => {
    const openclaw = tested.find(({ name }) => name === 'openclaw');
    const database = loadSqlite()(':memory:');
    try {
      for (const sql of openclaw?.store.write(CONVERSATION) ?? []) database.exec(sql);
      database.exec(change);
      const store = STORES.find((each) => each.database.test('openclaw-agent.sqlite'));
      const query = (sql: string, ...values: readonly string[]) => database.prepare(sql).all(...values);
      return [...(store?.readDocument(query, CONVERSATION.id) ?? [])].join('');
    } finally {
      database.close();
    }
  };
  const compress = (hex: string): string =>
    `UPDATE transcript_events SET event_json = NULL, event_zstd = x'${hex}' WHERE seq = 3`;

  it('is read where Node.js can, or is a damaged line if it is cut; otherwise the error names a newer Node.js', () => {
    // The record {"type":"custom","id":"zz"} in a frame that zstd left uncompressed.
    const text = Buffer.from('{"type":"custom","id":"zz"}').toString('hex');
    const change = compress(`28b52ffd201bd90000${text}`);
    if ('zstdDecompressSync' in process.getBuiltinModule('node:zlib')) {
      expect(readDocument(change)).toContain('"zz"');
      expect(readDocument(compress('28b52ffd20')).split('\n')[3]).toBe('{"openclaw":');
    } else
      expect(() => readDocument(change)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining('zstd needs Node.js'),
          hint: 'use Node.js 22.15 or newer',
        }),
      );
  });

  it('leaves its session in the list, with what stands against it', async () => {
    const openclaw = tested.find(({ name }) => name === 'openclaw');
    const file = path.join(home, openclaw?.store.place ?? '');
    mkdirSync(path.dirname(file), { recursive: true });
    const database = loadSqlite()(file);
    for (const sql of openclaw?.store.write(CONVERSATION) ?? []) database.exec(sql);
    database.exec(compress('28b52ffd201bd90000'.padEnd(72, '20')));
    database.close();
    for (const line of ['ls --agent openclaw', `ls ${file}`]) {
      const { stdout, stderr } = await ctxOnDisk(line.split(' '), { home });
      expect(stderr).not.toContain('not-a-session');
      if ('zstdDecompressSync' in process.getBuiltinModule('node:zlib')) expect(stdout).not.toBe('');
      else expect(stderr).toMatch(/unreadable-session: .*needs Node\.js 22\.15/);
    }
  });
});
