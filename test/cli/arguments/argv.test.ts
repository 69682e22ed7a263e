import { describe, expect, it } from 'vitest';
import { moveCommandFirst } from '#cli/arguments/argv.js';
import { hasColours } from '#cli/output/colours.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';

const TALK = new Log('talk').user('u1', 'Hi **there**.').text();
const files = { 's.jsonl': TALK };
const COLOUR = '\u001b[';

describe('flags before a command', () => {
  it.each<[string, string]>([
    ['--no-color show s.jsonl', 'show s.jsonl --no-color'],
    ['--json --format json show s.jsonl', 'show s.jsonl --json --format json'],
    ['--config=a.json --no-pager show', 'show --config=a.json --no-pager'],
    ['show --color s.jsonl', 'show --color=always s.jsonl'],
    ['--color never show', 'show --color=never'],
    ['grep x -- --color', 'grep x -- --color'],
    ['--no-color help revisions', 'help revisions'],
    ['--no-color --help', '--help'],
    ['--no-config engine run x', 'engine run x --no-config'],
    ['--limit 3 show', '--limit 3 show'],
  ])('%s', (line, expected) => {
    expect(moveCommandFirst(line.split(' '))).toEqual({ folder: undefined, argv: expected.split(' ') });
  });

  it('name a folder, each inside the one before, as in git', () => {
    expect(moveCommandFirst(['-C', 'a', '-C', 'b', 'ls']).folder).toBe('a/b');
    expect(moveCommandFirst(['-C', 'a', '-C', '/b', 'ls']).folder).toBe('/b');
    expect(() => moveCommandFirst(['-C'])).toThrow('-C needs a folder');
  });

  it('reach the command', async () => {
    expect(JSON.parse((await ctx(['--json', 'show', 's.jsonl'], { files })).stdout)).toMatchObject({ session: {} });
    const latest = { '/home/ada/.pi/agent/sessions/--home-ada-other--/2026-03-01T09-00-00-000Z_0a-y.jsonl': TALK };
    const newer = {
      '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_0b-z.jsonl': new Log('w')
        .user('w1', 'Rain?')
        .text(),
    };
    const there = { files: { ...latest, ...newer } };
    expect((await ctx(['show'], there)).stdout).toContain('Rain?');
    expect((await ctx(['-C', '../other', 'show'], there)).stdout).toContain('Hi **there**.');
  });
});

describe('colours', () => {
  it.each<[string[], Record<string, string>, boolean, boolean]>([
    [[], {}, true, true],
    [[], {}, false, false],
    [['--color'], { NO_COLOR: '1' }, false, true],
    [['--color=never'], { FORCE_COLOR: '1' }, true, false],
    [['--no-color'], { FORCE_COLOR: '1' }, true, false],
    [['--color=auto'], {}, true, true],
    [['--color=auto'], {}, false, false],
    [[], { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [[], { FORCE_COLOR: '0' }, true, false],
    [[], { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, true, false],
    [[], { CLICOLOR_FORCE: '1' }, false, true],
    [[], { CLICOLOR_FORCE: '0' }, false, false],
    [[], { CLICOLOR: '0' }, true, false],
    [[], { TERM: 'dumb' }, true, false],
  ])('%j with %j on a terminal: %s', async (flags, env, isTerminal, expected) => {
    const { stdout } = await ctx(['show', 's.jsonl', ...flags], { files, env, isTerminal });
    expect(stdout.includes(COLOUR)).toBe(expected);
  });

  it('are those of the command line before those of the configuration', async () => {
    const configured = { ...files, '/home/ada/weather/ctx.config.json': '{"defaults":{"show":{"color":"always"}}}' };
    expect((await ctx(['show', 's.jsonl'], { files: configured })).stdout).toContain(COLOUR);
    expect((await ctx(['show', 's.jsonl', '--color=auto'], { files: configured })).stdout).not.toContain(COLOUR);
    expect(hasColours({ env: {} }, { isTerminal: false }, 'auto')).toBe(false);
  });

  it('has three values', async () => {
    expect(await ctx(['show', 's.jsonl', '--color=blue'], { files })).toMatchObject({ exitCode: 2 });
  });
});

describe('--plain', () => {
  it('prints texts as they are stored, also on a terminal', async () => {
    const long = `Hi **there**: ${'word '.repeat(40)}`.trim();
    const world = {
      files: { 's.jsonl': new Log('long').user('u1', 'x').assistant('a1', long).text() },
      isTerminal: true,
    };
    const plain = await ctx(['cat', 's.jsonl', '--no-color', '--plain'], world);
    expect(plain.stdout).toContain(`  ${long}\n`);
    expect((await ctx(['cat', 's.jsonl', '--no-color'], world)).stdout).not.toContain(long);
  });
});
