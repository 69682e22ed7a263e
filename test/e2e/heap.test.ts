import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { tried } from '../support/runs.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
let folder = '';
let session = '';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-heap-'));
  session = path.join(folder, 'session.jsonl');
  const generator = path.join(projectFolder, 'test/bench/big-session.mjs');
  // One request that holds the whole file.
  const sizes = ['--size', '30MB', '--shape', 'linear', '--compact-every', '0'];
  await execa(process.execPath, [generator, '--out', session, ...sizes]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs ctx with a heap of so many megabytes. */
async function withHeap(megabytes: number, argv: readonly string[]): Promise<readonly [number | undefined, string]> {
  const env = { NODE_OPTIONS: `--max-old-space-size=${megabytes}` };
  const output = path.join(folder, 'output');
  const { exitCode, stderr } = await execa(binary, argv, { env, reject: false, stdout: { file: output } });
  return [exitCode, stderr];
}

describe('a session that fills the heap', () => {
  const lines: readonly (readonly [string, ...string[]])[] = [
    ['export', '--format', 'json'],
    ['export', '--format', 'anthropic'],
    ['export', '--format', 'openai-chat'],
    ['export', '--format', 'parquet', '-o', 'tables'],
    ['show', '--full'],
    ['status'],
    ['stats'],
    ['diff', '@{request:1}', 'HEAD'],
  ];
  it.each(tried(lines, 3))('is an error of ctx %s %s %s', async (command, ...flags) => {
    const where = flags.map((flag) => (flag === 'tables' ? path.join(folder, 'tables') : flag));
    const [exitCode, stderr] = await withHeap(40, [command, session, ...where, '--no-config']);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/this needs more memory than the \d+ MB limit of Node\.js/),
    ]);
    expect(stderr).toContain(session);
  });

  // More than the 40 MB that Node.js 20 needs: newer versions take more for the same objects.
  const written = ['text', 'markdown'];
  it.each(tried(written, 2))('is exported as %s all the same', async (format) => {
    expect(await withHeap(60, ['export', session, '--format', format, '--no-config'])).toEqual([0, '']);
  });

  it('is exported where the request fits', async () => {
    expect(await withHeap(120, ['export', session, '--format', 'json', '--no-config'])).toEqual([0, '']);
  });
});
