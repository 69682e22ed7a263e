import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shortenPath, shortenPaths } from '#cli/sessions/folders.js';
import { compactedWork } from '../../support/compacted-work.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const HOME = '/home/ada';

describe('the short form of a path', () => {
  it.each([
    ['/home/ada/app', '/home/ada/app/logs/s.jsonl', 'logs/s.jsonl'],
    ['/home/ada/app', '/home/ada/apple/s.jsonl', '~/apple/s.jsonl'],
    ['/home/ada/app', '/home/adam/s.jsonl', '/home/adam/s.jsonl'],
    ['/home/ada', '/home/ada/s.jsonl', '~/s.jsonl'],
    ['/home', '/home/ada/s.jsonl', '~/s.jsonl'],
    ['/', '/srv/s.jsonl', '/srv/s.jsonl'],
    ['', '/srv/s.jsonl', '/srv/s.jsonl'],
    ['/srv', '-', '-'],
  ])('in %s of %s is %s', (cwd, file, short) => {
    expect(shortenPath(file, { cwd, home: HOME })).toBe(short);
  });

  it('is the whole path where neither folder is known', () => {
    expect(shortenPath('/srv/s.jsonl', { cwd: '', home: '' })).toBe('/srv/s.jsonl');
  });

  const FILE = '/home/ada/old/s.jsonl';
  const run = async (line: string, cwd: string): Promise<string> =>
    (await ctx([...line.split(' '), FILE], { files: { [FILE]: compactedWork() }, cwd })).stdout;

  it.each(['stats', 'cache', 'doctor', 'check --severity note', 'revert --dry-run'])(
    'is in the text of ctx %s',
    async (line) => {
      const text = await run(line, '/srv');
      expect(text).toContain('~/old/s.jsonl');
      expect(text).not.toContain(FILE);
    },
  );

  const DEEP = `/home/ada/talks/${'long-name/'.repeat(2)}s.jsonl`;
  const [TALK, AGENT] = [
    compactedWork(),
    readFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'), 'utf8'),
  ];

  it.each([
    ['show', TALK],
    ['show --full', TALK],
    ['show --conversation', TALK],
    ['status --limit 4k', TALK],
    ['loss', TALK],
    ['compact --keep-recent 20 --summary s.md --yes', TALK],
    ['compact --keep-recent 20 --summary s.md --output /home/ada/talks/new.jsonl', TALK],
    ['convert --to pi --output /home/ada/talks/new.jsonl', AGENT],
    ['revert @{compaction} --output /home/ada/talks/new.jsonl --dry-run', TALK],
    ['extract --install', AGENT],
    ['check', '{"type":"session","id":"s","version":3}\n{"type":"mes'],
  ])('is in the commands that ctx %s prints', async (line, text) => {
    const files = { [DEEP]: text, 's.md': 'Sunny' };
    const [command = '', ...flags] = line.split(' ');
    const { stdout, stderr } = await ctx([command, DEEP, ...flags], { files, cwd: '/srv' });
    expect(stdout + stderr).toMatch(/~\//);
    expect(stdout.replaceAll(/^\S+: [\d,]+ bytes$/gm, '') + stderr).not.toContain('/home/ada/talks');
    const commands = stdout.split('\n').filter((one) => /^\W*(?:\w+: +)?(?:ctx|pi|claude|codex) /.test(one));
    for (const one of commands) expect(one.length).toBeLessThanOrEqual(80);
  });

  it('is neither in JSON nor in Markdown', async () => {
    expect(await run('stats --json', '/home/ada/old')).toContain(`"${FILE}"`);
    expect(await run('stats --format markdown', '/home/ada/old')).toContain(FILE);
  });
});

describe('a sentence with paths', () => {
  it.each([
    ['no such file: /work/demo/a.jsonl: check the path', 'no such file: a.jsonl: check the path'],
    ['in 2 sessions, the first: /home/ada/b.jsonl', 'in 2 sessions, the first: ~/b.jsonl'],
    ['name a file: /home/ada/a.jsonl, or /work/demo/b.jsonl', 'name a file: ~/a.jsonl, or b.jsonl'],
    ["ctx check '/home/ada/a b.jsonl'", "ctx check '/home/ada/a b.jsonl'"],
    ['in /srv/home/ada/a.jsonl', 'in /srv/home/ada/a.jsonl'],
    ['in /home/adam/a.jsonl', 'in /home/adam/a.jsonl'],
  ])('%s', (text, short) => {
    expect(shortenPaths(text, { cwd: '/work/demo', home: '/home/ada' })).toBe(short);
  });

  it('keeps its paths in a folder above the home folder, and without a home', () => {
    const text = 'in /home/a.jsonl';
    expect(shortenPaths(text, { cwd: '/home', home: '/home/ada' })).toBe(text);
    expect(shortenPaths(text, { cwd: '', home: '' })).toBe(text);
  });
});
