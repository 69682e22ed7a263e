import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
let cwd = '';

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'ctx-files-'));
  copyFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), path.join(cwd, 's.jsonl'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const OTHERS = [
  'compact s.jsonl --keep-recent 100 --summary FILE',
  'compact --apply FILE',
  'show s.jsonl --baseline FILE',
  'diff s.jsonl --baseline FILE',
  'apply --plan FILE',
  'apply s.jsonl FILE',
];

describe('a file that is no session', () => {
  it.each(OTHERS)('ctx %s: a missing one is a path to check', async (line) => {
    const { stderr, exitCode } = await execa(process.execPath, [binary, ...line.replace('FILE', 'none.x').split(' ')], {
      cwd,
      reject: false,
    });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^ctx: no such file: none\.x: check the path/);
    expect(stderr).not.toContain('session');
  });

  it.each(OTHERS)('ctx %s: a folder is none', async (line) => {
    const ran = await execa(process.execPath, [binary, ...line.replace('FILE', '.').split(' ')], {
      cwd,
      reject: false,
    });
    expect(ran.stderr).toMatch(/^ctx: this is a folder: \.: check the path/);
  });

  it('a missing session may also be named in another way', async () => {
    const ran = await execa(process.execPath, [binary, 'show', 'none.jsonl'], { cwd, reject: false });
    expect(ran.stderr).toContain('or name a session by its id or as "latest"');
  });
});
