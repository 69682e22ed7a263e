import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

/** The program that `.ci/single-file.mjs` has made. It has 130 MB, so CI makes it, and other runs leave this out. */
const program = process.env['CTX_SINGLE_FILE'] ?? '';
let work = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-single-'));
  writeFileSync(path.join(work, 'ctx.config.ts'), "export default { rules: { file: 'off' } as const };\n");
});
afterAll(() => rmSync(work, { recursive: true }));

async function run(
  file: string,
  ...args: readonly string[]
): Promise<{ exitCode?: number; stdout: string; stderr: string }> {
  // No Node.js is in the path of the single file.
  const env = { HOME: work, PATH: file === program ? '/nowhere' : process.env['PATH'] };
  return await execa(file, args, { cwd: projectFolder, env, extendEnv: false, reject: false });
}

const weather = 'fixtures/weather.jsonl';

describe.skipIf(program === '')('the single file', () => {
  it.each([
    ['a session', ['show', weather]],
    ['a folder, in threads', ['stats', 'fixtures', '--json']],
    ['tokenizers', ['show', weather, '--tokenizer', 'o200k']],
    ['a hook in TypeScript, in a process of its own', ['hooks', weather, '--hook', 'fixtures/hooks/trim.ts']],
    ['an engine in TypeScript', ['engine', 'run', weather, '--engine', 'fixtures/engines/last-turns.ts']],
    ['a configuration in TypeScript', ['check', weather, '--config', 'CONFIG']],
    ['rules for secrets', ['redact', weather, '--output', '-']],
    ['a report', ['report', weather, '--output', '-']],
    ['a request of a provider', ['export', weather, '--format', 'openai-chat']],
    ['the manual page', ['help', '--man']],
    ['an error', ['show', 'none.jsonl']],
  ])('runs without Node.js as with it: %s', async (_, args) => {
    const words = args.map((word) => (word === 'CONFIG' ? path.join(work, 'ctx.config.ts') : word));
    const { exitCode, stdout, stderr } = await run(program, ...words);
    const installed = await run('node', 'bin/ctx.js', ...words);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: installed.exitCode,
      stdout: installed.stdout,
      stderr: installed.stderr,
    });
    expect(exitCode).toBe(args.includes('none.jsonl') ? 3 : 0);
  });

  it('is unpacked once, into the cache of the user', () => {
    const unpacked = path.join(work, '.cache/ctx/program');
    expect(readdirSync(unpacked)).toHaveLength(1);
    expect(existsSync(path.join(unpacked, readdirSync(unpacked)[0] ?? '', 'run.cjs'))).toBe(true);
  });
});
