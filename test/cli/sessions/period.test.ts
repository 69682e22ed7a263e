import { expect, it } from 'vitest';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { writtenAt } from '../../support/written-at.js';

const DAY = 86_400_000;
const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0.01 } };
const textOf = (id: string): string =>
  new Log(id).user('u', `What is ${id}?`).assistant('a', 'An answer.', { usage }).text();
const world = {
  files: { 'all/old.jsonl': writtenAt(textOf('old'), 2 * DAY), 'all/new.jsonl': writtenAt(textOf('new'), 9.5 * DAY) },
  now: 10 * DAY,
  modified: { 'all/old.jsonl': 2 * DAY, 'all/new.jsonl': 9.5 * DAY },
};

it.each([
  ['stats', ['stats', 'all', '--by', 'session']],
  ['check', ['check', 'all', '--format', 'json']],
  ['query', ['query', 'SELECT file FROM sessions', 'all']],
])('%s --since reads only the sessions that were written since', async (_name, argv) => {
  const all = await ctx(argv, world);
  expect(all.stdout).toMatch(/old/);
  const recent = await ctx([...argv, '--since', '1d'], world);
  expect([recent.exitCode, recent.stdout]).toEqual([all.exitCode, expect.stringMatching(/new/)]);
  expect(recent.stdout).not.toMatch(/old/);
});

it('says that no session was written since, and refuses --since for one request', async () => {
  expect(await ctx(['stats', 'all', '--since', '1h'], world)).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('choose other times for --since and --until') as string,
  });
  expect(await ctx(['export', 'all/new.jsonl', '--since', '1h'], world)).toMatchObject({ exitCode: 2 });
});

it('exports the tables of sessions that were written since', async () => {
  const { stdout } = await ctx(['export', 'all', '--format', 'parquet', '-o', 'out', '--since', '1d'], world);
  expect(stdout).toMatch(/sessions\.parquet: [\d,]+ bytes, 1 row$/m);
});
