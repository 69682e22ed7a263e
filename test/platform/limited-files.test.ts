import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitFiles } from '#platform/files/limited-files.js';
import { nodeFiles } from '../../src/platform/files/node-files.js';
import { expectLinearTime } from '../support/growth.js';

let root = '';

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ctx-limited-'));
  for (const folder of ['in', 'in/deep', 'out', 'inside']) mkdirSync(path.join(root, folder));
  for (const file of ['in/a.jsonl', 'in/deep/b.jsonl', 'out/c.jsonl', 'inside/d.jsonl'])
    writeFileSync(path.join(root, file), '{}\n');
  symlinkSync('../out', path.join(root, 'in/link'));
  symlinkSync('../out/c.jsonl', path.join(root, 'in/c.jsonl'));
  symlinkSync('deep/b.jsonl', path.join(root, 'in/own.jsonl'));
});
afterAll(() => rmSync(root, { recursive: true }));

it('files outside the folders are neither seen nor opened, and none is written', async () => {
  const files = limitFiles(nodeFiles, root, ['in']);
  const at = (name: string): string => path.join(root, name);
  const names = ['in/a.jsonl', 'in/own.jsonl', 'in/c.jsonl', 'in/link/c.jsonl', 'in/../out/c.jsonl', 'inside/d.jsonl'];
  expect(names.filter((name) => files.exists(at(name)))).toEqual(['in/a.jsonl', 'in/own.jsonl']);
  for (const name of names.slice(2)) {
    await expect(files.open(at(name))).rejects.toThrow('outside the folders');
    expect([files.modified(at(name)), files.beginning(at(name), 9).length]).toEqual([0, 0]);
  }
  expect(files.list(at('in/link'))).toEqual([]);
  const found = files.walk(at('in')).files.map(({ file }) => path.relative(root, file));
  expect(found.toSorted()).toEqual(['in/a.jsonl', 'in/deep/b.jsonl', 'in/own.jsonl']);
  const shallow = files.walk(at('in'), { mayEnter: (file) => !file.endsWith('deep') }).files;
  expect(shallow.map(({ file }) => path.relative(root, file)).toSorted()).toEqual(['in/a.jsonl', 'in/own.jsonl']);
  expect(() => files.walk(at('out'))).toThrow('outside the folders');
  await expect(files.openToAppend(at('in/a.jsonl'))).rejects.toThrow('nothing may be written');
  await expect(files.createNew(at('in/new.jsonl'), {} as never)).rejects.toThrow('nothing may be written');
});

it('a folder that comes to be a link is the folder to which it leads', () => {
  const files = limitFiles(nodeFiles, root, ['later']);
  const file = path.join(root, 'later/c.jsonl');
  expect(files.exists(file)).toBe(false);
  symlinkSync('out', path.join(root, 'later'));
  expect(files.exists(file)).toBe(true);
  expect(files.exists(path.join(root, 'in/a.jsonl'))).toBe(false);
});

it('the time for each file does not depend on the number of folders', () =>
  expectLinearTime((size) => {
    const folders = Array.from({ length: size }, (_, at) => `folder-${at}`);
    const files = limitFiles(nodeFiles, root, folders);
    return () => folders.map((folder) => files.list(folder));
  }, 20));
