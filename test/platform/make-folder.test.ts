import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '#platform/files/folders.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'ctx-folder-'))));
afterEach(() => rmSync(folder, { recursive: true }));

describe('a folder that is made', () => {
  it.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y/z', '/dev/null/x'])(
    'is refused where none can be made: %s',
    (name) => {
      expect(() => makeFolder(name)).toThrow('cannot create the folder');
    },
  );

  it('is refused where a file has its name, and leaves nothing of the folders above it', () => {
    writeFileSync(path.join(folder, 'file'), '');
    expect(() => makeFolder(path.join(folder, 'file'))).toThrow('cannot create the folder (EEXIST)');
    expect(() => makeFolder(path.join(folder, 'a/\0'))).toThrow('cannot create the folder');
    expect(existsSync(path.join(folder, 'a'))).toBe(false);
  });

  it('is taken back with those above it that were made', () => {
    const inner = path.join(folder, 'a/b/c');
    mkdirSync(path.join(folder, 'a'));
    const takeBack = makeFolder(inner);
    expect(existsSync(inner)).toBe(true);
    takeBack();
    expect([existsSync(path.join(folder, 'a')), existsSync(path.join(folder, 'a/b'))]).toEqual([true, false]);
  });

  it('stays where there is something in it, or where it was there before', () => {
    const takeBack = makeFolder(path.join(folder, 'a/b'));
    writeFileSync(path.join(folder, 'a/theirs'), '');
    takeBack();
    expect([existsSync(path.join(folder, 'a/theirs')), existsSync(path.join(folder, 'a/b'))]).toEqual([true, false]);
    rmSync(path.join(folder, 'a/theirs'));
    makeFolder(path.join(folder, 'a'))();
    expect(existsSync(path.join(folder, 'a'))).toBe(true);
  });
});
