import fs, { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readBeginning } from '#platform/files/peek-file.js';
import { walkFolder } from '#platform/files/walk-folder.js';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'ctx-walk-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

function write(name: string, text = 'text'): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function found(from = root): readonly string[] {
  return walkFolder(from)
    .files.map(({ file }) => path.relative(root, file))
    .toSorted();
}

it('finds the sessions of a folder and of all below it, and nothing else', () => {
  for (const name of ['a.jsonl', 'b.json', 'deep/er/c.jsonl', '.hidden/d.jsonl']) write(name);
  mkdirSync(path.join(root, 'folder.jsonl'));
  expect(found()).toEqual(['.hidden/d.jsonl', 'a.jsonl', 'deep/er/c.jsonl']);
  const [first] = walkFolder(write('one.jsonl', '12345')).files;
  expect(first).toMatchObject({ size: 5 });
  expect(Math.abs((first?.modified ?? 0) - Date.now())).toBeLessThan(60_000);
});

it('follows links, but goes round in no circle', () => {
  write('real/a.jsonl');
  symlinkSync(root, path.join(root, 'real/up'));
  symlinkSync(path.join(root, 'real'), path.join(root, 'again'));
  symlinkSync(path.join(root, 'self.jsonl'), path.join(root, 'self.jsonl'));
  symlinkSync(path.join(root, 'gone'), path.join(root, 'broken.jsonl'));
  symlinkSync(path.join(root, 'real/a.jsonl'), path.join(root, 'linked.jsonl'));
  expect(found()).toHaveLength(2);
  expect(found()).toContain('linked.jsonl');
});

it('takes only what is called .jsonl, links too, and a file that is named itself', () => {
  write('real.dat');
  for (const name of ['link.dat', 'link.jsonl']) symlinkSync(path.join(root, 'real.dat'), path.join(root, name));
  expect(found()).toEqual(['link.jsonl']);
  expect(found(path.join(root, 'real.dat'))).toEqual(['real.dat']);
});

it('says which folders it cannot read', () => {
  write('open/a.jsonl');
  write('closed/b.jsonl');
  const closed = path.join(root, 'closed');
  const { readdirSync } = fs;
  // The mode of a folder does not keep root out.
  vi.spyOn(fs, 'readdirSync').mockImplementation(((folder: string, options: { withFileTypes: true }) => {
    if (folder === closed) throw Object.assign(new Error('no permission'), { code: 'EACCES' });
    return readdirSync(folder, options);
  }) as typeof fs.readdirSync);
  expect(walkFolder(root).unreadable).toEqual([closed]);
  expect(found()).toEqual(['open/a.jsonl']);
});

it('finds nothing where there is no folder', () => {
  expect(walkFolder(path.join(root, 'none'))).toEqual({ files: [], unreadable: [], isFolder: false });
});

it('reads the beginning of a file', () => {
  const file = write('a.jsonl', '12345');
  expect(Buffer.from(readBeginning(file, 3)).toString()).toBe('123');
  expect(Buffer.from(readBeginning(file, 9)).toString()).toBe('12345');
  expect(readBeginning(path.join(root, 'none'), 9)).toHaveLength(0);
});
