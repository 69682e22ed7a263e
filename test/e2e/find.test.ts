import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Log } from '../fixtures/log.js';
import { projectFolder } from '../support/files.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-find-'));
  mkdirSync(path.join(folder, 'sessions'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function find(
  ...argv: readonly string[]
): Promise<{ readonly sessions: readonly string[]; readonly stderr: string }> {
  const binary = path.join(projectFolder, 'bin/ctx.js');
  const { stdout, stderr } = await execa(process.execPath, [binary, 'find', ...argv, '--in', 'sessions', '--json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CACHE_HOME: path.join(folder, 'cache') },
    extendEnv: false,
    reject: false,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { sessions: lines.map((line) => (JSON.parse(line) as { readonly sessionId: string }).sessionId), stderr };
}

/** Writes a session some time ago, so that a later change of it is seen. */
function write(name: string, text: string): void {
  const file = path.join(folder, 'sessions', name);
  writeFileSync(file, text);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

it('the index knows sessions that were added, have grown, were replaced or are gone, and warns of nothing', async () => {
  const first = new Log('a').user('u1', 'a harbour');
  write('a.jsonl', first.text());
  write('b.jsonl', new Log('b').user('u1', 'a pier').text());
  expect(await find('harbour')).toEqual({ sessions: ['a'], stderr: '' });
  appendFileSync(
    path.join(folder, 'sessions/b.jsonl'),
    `${new Log('b').user('u2', 'the harbour').text().split('\n')[1]}\n`,
  );
  expect((await find('harbour')).sessions.toSorted()).toEqual(['a', 'b']);
  write('c.jsonl', new Log('c').user('u3', 'no harbour at all').text());
  rmSync(path.join(folder, 'sessions/a.jsonl'));
  expect((await find('harbour')).sessions.toSorted()).toEqual(['b', 'c']);
});

it('two at once wait for each other', async () => {
  rmSync(path.join(folder, 'cache'), { recursive: true, force: true });
  const both = await Promise.all([find('harbour'), find('harbour')]);
  expect(both.map(({ stderr }) => stderr)).toEqual(['', '']);
  expect(both[0]?.sessions.toSorted()).toEqual(both[1]?.sessions.toSorted());
});

it('an index that is damaged inside is built again', async () => {
  const before = await find('harbour');
  const file = path.join(folder, 'cache/ctx/words.sqlite');
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096, bytes.length);
  writeFileSync(file, bytes);
  expect((await find('harbour')).sessions.toSorted()).toEqual([...before.sessions].toSorted());
});
