import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNewFile } from '#platform/files/new-file.js';
import { buildUnfinishedName, removeAbandoned } from '#platform/files/unfinished-files.js';

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(path.join(tmpdir(), 'ctx-unfinished-'))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** The process number of a program that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

function nameOf(pid: number): string {
  return buildUnfinishedName().replace(`-${process.pid}-`, `-${pid}-`);
}

it('are removed by the next write if their process ran on this machine and has ended', () => {
  const elsewhere = nameOf(endedProcess()).replace(/^\.ctx-.{8}/, '.ctx-00000000');
  const kept = [buildUnfinishedName(), nameOf(process.ppid), elsewhere, '.ctx-notes.tmp', 'session.jsonl'];
  for (const name of [...kept, nameOf(endedProcess()), nameOf(endedProcess())])
    fs.writeFileSync(path.join(folder, name), '');
  createNewFile(path.join(folder, 'new.txt'), { force: false, like: null }).commit();
  expect(fs.readdirSync(folder).toSorted()).toEqual([...kept, 'new.txt'].toSorted());
});

it('are looked for once in each folder, which may be missing', () => {
  removeAbandoned(folder);
  fs.writeFileSync(path.join(folder, nameOf(endedProcess())), '');
  removeAbandoned(folder);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  expect(() => removeAbandoned(path.join(folder, 'none'))).not.toThrow();
});
