import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

let work = '';
let tarball = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-npx-test-'));
  tarball = path.join(work, 'packed.tgz');
  const contents = ['package.json', 'bin', 'dist'];
  execaSync('tar', ['-czf', tarball, '--transform', 's,^,package/,', ...contents], { cwd: projectFolder });
});
afterAll(() => rmSync(work, { recursive: true }));

interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly withScripts: readonly string[];
}

function runWithNpx(...args: readonly string[]): Answer {
  const { stdout } = execaSync('node', ['.ci/npx.mjs', tarball, ...args], { cwd: projectFolder });
  return JSON.parse(stdout) as Answer;
}

describe('npx pi-ctx on a machine that has nothing', { timeout: 120_000 }, () => {
  it('answers from the package and its dependencies alone, without install scripts', () => {
    const session = path.join(projectFolder, 'fixtures/weather.jsonl');
    const { stdout, stderr, exitCode, withScripts } = runWithNpx('show', session);
    expect([exitCode, stderr.replaceAll(/^npm warn.*\n?/gm, '')]).toEqual([0, '']);
    expect(stdout).toBe(
      execaSync('node', [path.join(projectFolder, 'bin/ctx.js'), 'show', session], { cwd: work }).stdout,
    );
    expect(withScripts).toEqual([]);
  });
});
