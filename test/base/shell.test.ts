import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shortenCommand } from '#base/shell.js';
import { shortenPath } from '#cli/sessions/folders.js';

const WORLD = { home: '/home/ada', cwd: '/home/ada/app' };
const shorten = (command: string): string => shortenCommand(command, (file) => shortenPath(file, WORLD));

describe('a command line with short paths', () => {
  it.each([
    ['ctx show /home/ada/old/s.jsonl --message 5', 'ctx show ~/old/s.jsonl --message 5'],
    ['ctx show /home/ada/app/logs/s.jsonl', 'ctx show logs/s.jsonl'],
    ["pi --session '/home/ada/my talks/s.jsonl'", "pi --session ~/'my talks/s.jsonl'"],
    ["ctx check '/home/ada/app/a b.jsonl'", "ctx check 'a b.jsonl'"],
    [String.raw`ctx check '/home/ada/it'\''s.jsonl'`, String.raw`ctx check ~/'it'\''s.jsonl'`],
    ['cd /home/ada && claude --resume 1b2c', 'cd ~ && claude --resume 1b2c'],
    ['ctx show /home/ada/app/-s.jsonl', 'ctx show ./-s.jsonl'],
    ['ctx show /home/ada/app/~/s.jsonl', "ctx show '~/s.jsonl'"],
    ['ctx show /srv/home/ada/s.jsonl -o=/home/ada/x', 'ctx show /srv/home/ada/s.jsonl -o=/home/ada/x'],
    [`ctx grep 'in /home/ada/x' latest`, `ctx grep 'in /home/ada/x' latest`],
  ])('%s', (command, short) => {
    expect(shorten(command)).toBe(short);
  });

  it('means the same files to a shell', () => {
    const names = ['a b', "it's", '-n', '$HOME', '~', '*', 'a"b', String.raw`a\b`, '~/x', 'ü/é', ' '];
    const files = names.flatMap((name) => [`/home/ada/${name}`, `/home/ada/app/${name}`, `/srv/${name}`]);
    const quoted = files.map((file) => `'${file.replaceAll("'", String.raw`'\''`)}'`);
    const line = shorten(`printf '%s\\n' ${quoted.join(' ')}`);
    const read = execFileSync('sh', ['-c', line], { env: { HOME: WORLD.home } })
      .toString()
      .split('\n')
      .slice(0, -1);
    expect(line).not.toContain("'/home/ada/");
    expect(read.map((file) => (file.startsWith('/') ? file : `${WORLD.cwd}/${file.replace(/^\.\//, '')}`))).toEqual(
      files,
    );
  });
});
