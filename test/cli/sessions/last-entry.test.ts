import { describe, expect, it } from 'vitest';
import { readLastEntryTime } from '#cli/sessions/last-entry.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';
import { writtenAt } from '../../support/written-at.js';

const NOW = Date.UTC(2026, 4, 20, 12);
const DAY = 86_400_000;

/** A session whose entries are of one time; the file is as old as the test says. */
function sessionOf(id: string, time: number): string {
  const log = new Log(id)
    .user(`${id}u`, `Question of ${id}`)
    .assistant(`${id}a`, 'Answer.', { usage: { input: 10, output: 5, totalTokens: 15, cost: { total: 1 } } });
  return writtenAt(log.text(), time);
}

/** Restored today, but of March, and one of today whose file claims to be old. */
const files = {
  '/s/restored.jsonl': sessionOf('restored', NOW - 70 * DAY),
  '/s/fresh.jsonl': sessionOf('fresh', NOW - 2 * DAY),
};
const modified = { '/s/restored.jsonl': NOW - 1000, '/s/fresh.jsonl': NOW - 90 * DAY };
const world = { files, modified, now: NOW };

const ids = (stdout: string): readonly string[] =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { readonly id: string }).id]));

describe('a session is as old as its last entry', () => {
  it('in ctx ls: its age, its place, --since and --until', async () => {
    const { stdout } = await ctx(['ls', '/s'], world);
    expect(stdout).toMatch(/fresh\.jsonl +2d [^]*restored\.jsonl +70d /);
    const listed = async (...flags: readonly string[]): Promise<readonly string[]> =>
      ids((await ctx(['ls', '/s', '--json', ...flags], world)).stdout);
    expect(await listed()).toEqual(['fresh', 'restored']);
    expect(await listed('--since', '7d')).toEqual(['fresh']);
    expect(await listed('--until', '7d')).toEqual(['restored']);
    expect(await listed('--since', '71d', '--until', '3d')).toEqual(['restored']);
    const [line = ''] = (await ctx(['ls', '/s', '--json'], world)).stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ last: new Date(NOW - 2 * DAY).toISOString() });
  });

  it('in every command that selects sessions by their time', async () => {
    const counted = async (...flags: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await ctx(['stats', '/s', '--json', ...flags], world);
      return (JSON.parse(stdout) as { readonly sessions: readonly { readonly id: string }[] }).sessions.map(
        ({ id }) => id,
      );
    };
    expect(await counted('--since', '7d')).toEqual(['fresh']);
    expect(await counted('--until', '7d')).toEqual(['restored']);
    const { stderr, exitCode } = await ctx(['stats', '/s', '--since', '1d'], world);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('no session was written in that time')]);
    expect(stderr).toContain('choose other times for --since and --until');
    const file = '/home/ada/.pi/agent/sessions/--s--/old.jsonl';
    const old = { ...world, files: { [file]: sessionOf('old', NOW - 2 * DAY) }, env: { HOME: '/home/ada' } };
    const latest = await ctx(['stats', '--since', '1d'], old);
    expect([latest.exitCode, latest.stderr]).toEqual([3, expect.stringContaining('latest: add all to choose from')]);
  });
});

describe('recorded usage', () => {
  it('is counted by its own time in ctx stats --since and --until', async () => {
    const old = sessionOf('long', NOW - 30 * DAY).trimEnd();
    const [, ...later] = sessionOf('more', NOW - 2 * DAY)
      .replaceAll('"more', '"later')
      .trimEnd()
      .split('\n');
    const long = `${old}\n${later.join('\n').replace('"parentId":null', '"parentId":"longa"')}\n`;
    const both = { ...world, files: { '/s/long.jsonl': long, '/s/restored.jsonl': files['/s/restored.jsonl'] } };
    const cost = async (...flags: readonly string[]): Promise<readonly unknown[]> => {
      const { stdout } = await ctx(['stats', '/s', '--json', ...flags], both);
      const { usageRecorded, sessions } = JSON.parse(stdout) as {
        readonly usageRecorded: { readonly cost: number };
        readonly sessions: readonly unknown[];
      };
      return [usageRecorded.cost, sessions.length];
    };
    expect(await cost()).toEqual([3, 2]);
    expect(await cost('--since', '7d')).toEqual([1, 1]);
    expect(await cost('--until', '7d')).toEqual([2, 2]);
    expect(await cost('--since', '40d', '--until', '7d')).toEqual([1, 1]);
    const { stdout } = await ctx(['stats', '/s', '--by', 'day', '--since', '7d', '--format', 'csv'], both);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('the time of the last entry', () => {
  const at = (text: string, file = '/s/a.jsonl'): number => {
    const bytes = Buffer.from(text);
    const content = {
      beginning: (_: string, most: number) => bytes.subarray(0, most),
      ending: (_: string, most: number) => bytes.subarray(-most),
      modified: () => 7,
    };
    return readLastEntryTime(content, { file, modified: 7 });
  };
  const entry = (time: string, more: object = {}): string => JSON.stringify({ ...more, timestamp: time });

  it('is that of the last line that has one', () => {
    expect(at(`${entry('2026-05-01T10:00:00Z')}\n${entry('2026-05-02T10:00:00Z')}\n{"type":"summary"}\n`)).toBe(
      Date.UTC(2026, 4, 2, 10),
    );
    expect(at(`${entry('2026-05-01T10:00:00Z')}\n{"timestamp":"2026-05-03T1`)).toBe(Date.UTC(2026, 4, 1, 10));
  });

  it('is not one that a text or an argument names', () => {
    const named = { input: { timestamp: '2031-01-01T00:00:00Z' }, text: '"timestamp":"2032-01-01T00:00:00Z"' };
    expect(at(`${entry('2026-05-01T10:00:00Z', named)}\n${JSON.stringify(named)}\n`)).toBe(Date.UTC(2026, 4, 1, 10));
  });

  it('is found before a long last line, and else is that of the file', () => {
    const long = JSON.stringify({ text: 'x'.repeat(100_000) });
    expect(at(`${entry('2026-05-01T10:00:00Z')}\n${long}\n`)).toBe(Date.UTC(2026, 4, 1, 10));
    expect(at(`${long}\n`)).toBe(7);
    expect(at('')).toBe(7);
  });

  it('is named at the beginning of a document', () => {
    expect(at('{"sessionId":"s","lastUpdated":"2026-05-01T10:00:00.000Z","messages":[]}', '/s/a.json')).toBe(
      Date.UTC(2026, 4, 1, 10),
    );
    expect(at('{"info":{"time":{"created":1770000000000,"updated":1770000123456}}}', '/s/a.json')).toBe(
      1_770_000_123_456,
    );
  });
});
