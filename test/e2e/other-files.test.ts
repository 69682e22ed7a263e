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
  'show s.jsonl --baseline FILE',
  'diff s.jsonl --baseline FILE',
  'apply s.jsonl FILE',
];

async function run(line: string, file: string): Promise<readonly [exitCode: number | undefined, stderr: string]> {
  const argv = line.replace('FILE', file).split(' ');
  const { stderr, exitCode } = await execa(process.execPath, [binary, ...argv], { cwd, reject: false });
  return [exitCode, stderr];
}

describe('a file that is no session', () => {
  it.each(OTHERS)('ctx %s: a missing one is a path to check', async (line) => {
    const [exitCode, stderr] = await run(line, 'none.x');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^ctx: no such file: none\.x: check the path/);
    expect(stderr).not.toContain('session');
  });

  it.each([...OTHERS, 'apply FILE'])('ctx %s: a folder is none', async (line) => {
    const [exitCode, stderr] = await run(line, '.');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^ctx: this is a folder: \.: check the path/);
  });

  it('a missing session may also be named in another way', async () => {
    const [exitCode, stderr] = await run('show FILE', 'none.jsonl');
    expect(exitCode).toBe(3);
    expect(stderr).toBe('ctx: no such file: none.jsonl: check the path, or pass a session id or "latest"');
  });
});
