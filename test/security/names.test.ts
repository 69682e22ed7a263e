import { describe, expect, it } from 'vitest';
import compress from '#change/prune/strategies/compress.js';
import { entry, HEADER, label, lines, user } from '../support/entries.js';
import { answered, asked, call, historyFrom, proposed, result, talk } from '../support/history.js';
import { ctx } from '../support/memory-io.js';
import { fixtureText } from './hostile-session.js';

describe('what is completed', () => {
  const session = lines(
    HEADER,
    user('u1', null),
    entry('message', '--raw', 'u1', { message: { role: 'user', content: 'x' } }),
    label('l1', '--raw', 'u1', '--output=/etc/passwd'),
    label('l2', 'l1', '--raw', '-h'),
    user('u2', 'l2'),
  );

  it.each([
    ['bash', ['ctx cat s.jsonl ']],
    ['zsh', ['cat', 's.jsonl', '']],
    ['fish', ['revert', 's.jsonl', '']],
    ['zsh', ['log', 's.jsonl', '']],
    ['zsh', ['diff', 's.jsonl', '']],
  ])('offers no label and no entry as a flag: %s, %j', async (shell, words) => {
    const { stdout } = await ctx(['completion', shell, '--', ...words], { files: { 's.jsonl': session } });
    expect(stdout).toContain('HEAD\t');
    expect(stdout).not.toMatch(/^-/m);
  });
});

describe('a policy', () => {
  const run = (spill: string): ReturnType<typeof ctx> =>
    ctx(['status', 's.jsonl', '--limit', '9000', '--config', 'c.json'], {
      files: {
        's.jsonl': fixtureText('weather.jsonl'),
        'c.json': JSON.stringify({ prune: { zones: { red: [['compress', { spill }]] } } }),
      },
    });

  it.each([
    '/etc',
    '../side',
    'side/../../x',
    '~/.ssh',
    String.raw`C:\side`,
    String.raw`..\side`,
    String.raw`\\server\side`,
    'c:',
  ])('lets a configuration name no folder elsewhere: %s', async (spill) => {
    const { exitCode, stderr } = await run(spill);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('must be a folder below the working directory')]);
  });

  it.each(['side', './side', 'a/b..c/', '..side'])('lets it name one below: %s', async (spill) => {
    expect((await run(spill)).exitCode).toBe(0);
  });

  it.each(['nul', 'con', 'com1', 'line-9', 'A1', 'a/b', 'a:b', '..', 'a\u0000', 'x'.repeat(65)])(
    'makes no name of a file of an id that is a device, another line, or the same in small letters: %j',
    (id) => {
      const text = 'a line of a file\n'.repeat(400);
      const entries = talk(
        asked('u1', 'Look.'),
        answered('a1', call('c1', 'read', {})),
        result(id, 'c1', text),
        answered('a2', { type: 'text', text: 'Done.' }),
        asked('u2', 'And then?'),
      );
      const [proposal] = proposed(compress, historyFrom(entries), { spill: 'out' });
      expect(proposal?.changes[0]?.spill?.name).toBe('out/line-4.txt');
    },
  );
});
