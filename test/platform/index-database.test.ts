import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type IndexTables, openIndexDatabase } from '#platform/sqlite/index-database.js';

const TABLES: IndexTables = { create: 'CREATE TABLE word (text TEXT)' };

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-index-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function newFolder(): string {
  count += 1;
  return path.join(folder, String(count), 'ctx');
}

async function addWord(place: string, text: string, tables = TABLES): Promise<readonly unknown[]> {
  const database = await openIndexDatabase(place, 'words', tables);
  database.sqlite.prepare('INSERT INTO word (text) VALUES (?)').run(text);
  const all = database.sqlite.prepare('SELECT text FROM word').all();
  await database.close();
  return all.map((row) => row['text']);
}

describe('a database in the index folder', () => {
  it('keeps what was written, and only its owner may read it', async () => {
    const place = newFolder();
    await addWord(place, 'one');
    expect(await addWord(place, 'two')).toEqual(['one', 'two']);
    expect(statSync(place).mode & 0o077).toBe(0);
    expect(statSync(path.join(place, 'words.sqlite')).mode & 0o077).toBe(0);
    expect(readdirSync(place)).toEqual(['words.sqlite']);
  });

  it.each([
    ['is damaged', 'no database, but long enough to be read as one'.repeat(100)],
    ['is empty', ''],
  ])('is begun again where it %s', async (_, content) => {
    const place = newFolder();
    await addWord(place, 'one');
    writeFileSync(path.join(place, 'words.sqlite'), content);
    expect(await addWord(place, 'two')).toEqual(['two']);
  });

  it('is begun again where its tables are others', async () => {
    const place = newFolder();
    await addWord(place, 'one');
    expect(await addWord(place, 'two', { create: 'CREATE TABLE word (text TEXT, at INTEGER)' })).toEqual(['two']);
  });

  it('opens after a program was killed that had it', async () => {
    const place = newFolder();
    await addWord(place, 'one');
    mkdirSync(path.join(place, 'words.sqlite.lock'));
    expect(await addWord(place, 'two')).toEqual(['one', 'two']);
  });

  it('waits for another one that has it', async () => {
    const place = newFolder();
    const first = await openIndexDatabase(place, 'words', TABLES);
    const second = addWord(place, 'two');
    first.sqlite.prepare('INSERT INTO word VALUES (?)').run('one');
    await first.close();
    expect(await second).toEqual(['one', 'two']);
  });

  it.skipIf(process.getuid?.() === 0)('is refused in a folder that cannot be written', async () => {
    const place = newFolder();
    mkdirSync(place, { recursive: true });
    chmodSync(place, 0o500);
    await expect(openIndexDatabase(place, 'words', TABLES)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('is refused where a file has the name of the folder', async () => {
    const place = newFolder();
    mkdirSync(path.dirname(place));
    writeFileSync(place, '');
    await expect(openIndexDatabase(place, 'words', TABLES)).rejects.toMatchObject({ kind: 'refused' });
  });
});
