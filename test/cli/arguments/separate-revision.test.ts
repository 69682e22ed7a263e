import { describe, expect, it } from 'vitest';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';

const TALK = new Log('talk')
  .user('u1abcdef', 'Which file?')
  .assistant('a1abcdef', 'This one.')
  .compaction('k1abcdef', 'All was said.', 'a1abcdef')
  .user('u2abcdef', 'And now?')
  .assistant('a2abcdef', 'That one.')
  .entry('l1abcdef', 'label', { targetId: 'u1abcdef', label: 'start' })
  .text();

const LATEST = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_019bbe34-x.jsonl';
const OTHER = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-01T09-00-00-000Z_0a9bbe34-y.jsonl';
const files = { [OTHER]: new Log('other').user('o1abcdef', 'Hi.').text(), 's.jsonl': TALK, [LATEST]: TALK };

async function printed(...argv: string[]): Promise<string> {
  const { stdout, stderr } = await ctx(argv, { files });
  return stderr + stdout;
}

describe('a revision beside a session', () => {
  it.each([
    ['show'],
    ['cache'],
    ['facts'],
    ['engine run', '--budget', '100k'],
    ['status', '--limit', '100k'],
    ['status --history', '--limit', '100k'],
    ['export', '--format', 'markdown'],
    ['compact', '--dry-run', '--keep-recent', '1'],
    ['prune', '--dry-run', '--strategy', 'turns', '--recent-turns', '1'],
  ])('is an argument of %s, with and without the session', async (name, ...flags) => {
    const command = name.split(' ');
    const expected = await printed(...command, 's.jsonl', '--at', 'u1abcdef', ...flags);
    expect(await printed(...command, 's.jsonl', 'u1abcdef', ...flags)).toBe(expected);
    expect(await printed(...command, 's.jsonl', ...flags)).not.toBe(expected);
    // The next command names the session and the entry as they were named.
    const answer = (text: string): string => text.replace(/^ *next:? .*$/im, '');
    const latest = answer(await printed(...command, LATEST, '--at', 'u1abcdef', ...flags));
    for (const revision of ['u1abcdef', 'u1ab', 'start', '@{turn:1}', 'HEAD~5'])
      expect(answer(await printed(...command, revision, ...flags))).toBe(latest);
  });

  it('follows the pattern of grep', async () => {
    const expected = await printed('grep', 'file', 's.jsonl', '--at', 'u1abcdef', '--count');
    expect(expected).toContain('u1');
    for (const argv of [
      ['file', 's.jsonl', 'u1abcdef'],
      ['-e', 'file', 's.jsonl', 'u1abcdef'],
    ])
      expect(await printed('grep', ...argv, '--count')).toBe(expected);
    for (const argv of [
      ['file', 'start'],
      ['-e', 'file', 'HEAD~5'],
    ])
      expect(await printed('grep', ...argv, '--count')).toBe(expected);
  });

  it('is one of the latest session for loss and log', async () => {
    // The commands at the end name the session as it was named.
    const audit = (text: string): string | undefined => text.split('\nctx cat')[0];
    expect(audit(await printed('loss', '@{compaction}'))).toBe(audit(await printed('loss', LATEST, '@{compaction}')));
    expect(await printed('log', 'HEAD~2..')).toBe(await printed('log', LATEST, 'HEAD~2..'));
  });

  it('is not what exists as a file, nor the id of a session', async () => {
    const there = { ...files, HEAD: new Log('file').user('f1', 'From a file.').text() };
    expect((await ctx(['show', 'HEAD'], { files: there })).stdout).toContain('From a file.');
    expect((await ctx(['show', 'HEAD', '--'], { files: there })).stdout).toContain('That one.');
    expect(await printed('show', '0a9bbe34')).toContain('Hi.');
  });

  it('ends at --', async () => {
    expect(await printed('show', '--', 'HEAD')).toContain('no file and no session id "HEAD"');
    expect(await printed('show', 'u1abcdef', '--', 's.jsonl')).toBe(await printed('show', 's.jsonl', 'u1abcdef'));
  });

  it('is no argument of ctx check, so a file may have the name of one, or begin with a dash', async () => {
    const named = { '-dash.jsonl': TALK, 'HEAD~1': TALK };
    for (const file of Object.keys(named))
      expect(await ctx(['check', '--', file], { files: named })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is not given twice', async () => {
    const { exitCode, stderr } = await ctx(['show', 's.jsonl', 'HEAD', '--at', 'HEAD~1'], { files });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--at and [rev] cannot be used together');
  });

  it('is no second session', async () => {
    const two = {
      's/a.jsonl': new Log('a').user('u1', 'a').text(),
      's/b.jsonl': new Log('b').user('u1', 'b').text(),
    };
    for (const command of ['show', 'status', 'log', 'cache']) {
      const { exitCode, stderr } = await ctx([command, 's/a.jsonl', 's/b.jsonl'], { files: two });
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('compare the two: ctx diff s/a.jsonl s/b.jsonl\n'),
      ]);
    }
    expect((await ctx(['diff', 's/a.jsonl', 's/b.jsonl'], { files: two })).exitCode).toBe(0);
    expect((await ctx(['show', 's/a.jsonl', '@{foo}'], { files: two })).stderr).toContain('@{turn:N}');
  });

  it('may be mistyped', async () => {
    expect(await printed('show', 'HAED')).toContain('did you mean "HEAD"?');
    expect(await printed('show', 'nowhere')).toContain('no file and no session id "nowhere"');
  });
});
