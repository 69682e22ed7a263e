import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Log } from '../fixtures/log.js';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const COUNT = 24;
let folder = '';

/** Enough to be worth threads; one file is a session only as far as its beginning tells. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-threads-'));
  const long = 'x'.repeat(500_000);
  for (let at = 0; at < COUNT; at += 1) {
    const log = new Log(`session-${at}`).user('u1', `question ${at}`).assistant('a1', long);
    writeFileSync(path.join(folder, `${at}.jsonl`), log.text());
  }
  writeFileSync(path.join(folder, 'broken.jsonl'), `{"half\n`.repeat(20_000));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('threads read the sessions of a folder', async () => {
  const { stdout, stderr, exitCode } = await execa(binary, ['ls', folder, '--json']);
  const lines = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  const sessions = lines.filter(({ id }) => id !== undefined);
  expect({ stderr, exitCode, lines: lines.length }).toEqual({ stderr: '', exitCode: 0, lines: COUNT + 1 });
  expect(sessions.map(({ title }) => String(title)).toSorted()).toEqual(
    Array.from({ length: COUNT }, (_, at) => `question ${at}`).toSorted(),
  );
  expect(sessions.every(({ entries, contextTokens }) => entries === 2 && Number(contextTokens) > 125_000)).toBe(true);
  expect(lines.find(({ error }) => error !== undefined)).toMatchObject({ file: path.join(folder, 'broken.jsonl') });
});

it('threads end with a reader that has gone', () => {
  const script = `${binary} ls ${folder} | head -1; echo "\${PIPESTATUS[0]}"`;
  expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toMatch(/^session .*\n0\n$/);
});

it('threads end with the number of sessions that was asked for', async () => {
  const { stdout, exitCode } = await execa(binary, ['ls', folder, '--model', 'claude', '-n', '1']);
  expect({ exitCode, lines: stdout.split('\n').length }).toEqual({ exitCode: 0, lines: 2 });
});

it('two threads find in one big file what a strict reader finds', async () => {
  const file = path.join(folder, 'big.jsonl');
  const idOf = (at: number): string => (0x10000000 + at * 7919).toString(16);
  const descriptor = openSync(file, 'w');
  writeSync(descriptor, new Log('big').text());
  for (let at = 0; at < 70; at += 1) {
    const head = `{"type":"message","id":"${idOf(at)}","parentId":${at === 0 ? null : `"${idOf(at - 1)}"`}`;
    const message = `{"role":"user","content":"${'x'.repeat(3_000_000)}"}`;
    writeSync(descriptor, `${head},"timestamp":"2026-01-05T09:00:00.000Z","message":${message}}\n`);
    if (at % 20 === 0) writeSync(descriptor, '{"torn\n');
  }
  closeSync(descriptor);
  const tree = async (env: Record<string, string>): Promise<unknown> => {
    const { stdout, stderr, exitCode } = await execa(binary, ['tree', file, '--json'], { env });
    return { stdout, stderr, exitCode };
  };
  const fast = await tree({});
  expect(fast).toEqual(await tree({ CTX_STRICT: '1' }));
  expect(fast).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(idOf(69)) });
  rmSync(file);
});
