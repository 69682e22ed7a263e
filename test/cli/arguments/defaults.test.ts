import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NEVER_DEFAULT } from '#cli/arguments/restricted-flags.js';
import { loadCommands } from '#cli/commands/index.js';
import { findUserConfigFile } from '#platform/files/user-config.js';
import { ClaudeCodeLog } from '../../support/claude-code.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const HERE = '/home/ada/weather';

/** Runs a command line in a folder whose configuration has these defaults. */
function withDefaults(defaults: unknown, argv: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(argv, {
    ...world,
    files: { 's.jsonl': weather, [`${HERE}/ctx.config.json`]: JSON.stringify({ defaults }), ...world.files },
  });
}

describe('a default', () => {
  it.each<[unknown, string[], string[]]>([
    [{ show: { limit: '200k' } }, ['show'], ['show', '--limit', '200k']],
    [{ show: { limit: 200000 } }, ['show'], ['show', '--limit', '200k']],
    [{ show: { part: 'tools', full: true } }, ['show'], ['show', '--part', 'tools', '--full']],
    [{ show: { full: false } }, ['show'], ['show']],
    [{ log: { oneline: true, last: 3 } }, ['log'], ['log', '--oneline', '-n', '3']],
    [{ log: { format: '{id} {name}' } }, ['log'], ['log', '--format', '{id} {name}']],
    [{ show: { format: 'markdown' } }, ['show'], ['show', '--format', 'markdown']],
    [{ show: { color: true } }, ['show'], ['show', '--color']],
    [{ log: { last: 3 } }, ['show'], ['show']],
    [{}, ['show'], ['show']],
    // The command line counts first.
    [{ show: { part: 'tools' } }, ['show', '--part', 'options'], ['show', '--part', 'options']],
    [{ log: { last: 3 } }, ['log', '-n', '2'], ['log', '-n', '2']],
    [{ show: { format: 'markdown' } }, ['show', '--json'], ['show', '--json']],
    [{ show: { format: 'json' } }, ['show', '--format', 'text'], ['show', '--format', 'text']],
    [{ show: { color: true } }, ['show', '--no-color'], ['show', '--no-color']],
    [{ show: { part: 'tools' } }, ['show', '--no-config'], ['show']],
    [{ diff: { 'side-by-side': true } }, ['diff', '--no-side-by-side'], ['diff', '--no-side-by-side']],
  ])('of %j makes %j do as %j does', async (defaults, [command = '', ...flags], [same = '', ...all]) => {
    const args = command === 'diff' ? ['s.jsonl', 'HEAD~9', 'HEAD'] : ['s.jsonl'];
    const given = await withDefaults(defaults, [command, ...args, ...flags]);
    const said = await ctx([same, ...args, ...all], { files: { 's.jsonl': weather } });
    expect(given).toMatchObject({ exitCode: 0, stdout: said.stdout, stderr: said.stderr });
  });

  it('applies only beside the flag that it needs', async () => {
    const compact = ['compact', 's.jsonl', '--keep-recent', '100', '--dry-run'];
    const alone = await withDefaults({ compact: { 'max-output': 1000 } }, compact);
    expect(alone).toMatchObject({ exitCode: 0, stdout: (await withDefaults({}, compact)).stdout });
    const beside = await withDefaults({ compact: { limit: '1M' } }, [...compact, '--if-needed']);
    expect([beside.exitCode, beside.stdout]).toEqual([1, expect.stringContaining('of 983,616 tokens')]);
  });

  it('of the pager is known', async () => {
    const started: string[] = [];
    const startPager = (line: string): Promise<null> => Promise.resolve(started.push(line)).then(() => null);
    await withDefaults({ show: { 'no-pager': true } }, ['show', 's.jsonl'], { isTerminal: true, rows: 5, startPager });
    expect(started).toEqual([]);
    await withDefaults({ log: { 'no-pager': true } }, ['show', 's.jsonl'], { isTerminal: true, rows: 5, startPager });
    expect(started).toEqual(['less']);
  });

  it('comes from the key of package.json, and from the file that --config names', async () => {
    const files = { 's.jsonl': weather, [`${HERE}/package.json`]: '{"ctx":{"defaults":{"show":{"part":"tools"}}}}' };
    expect((await ctx(['show', 's.jsonl'], { files })).stdout).toMatch(/^Tools\n/);
    const named = { 's.jsonl': weather, 'other.json': '{"defaults":{"check":{"format":"ndjson"}}}' };
    const { stdout } = await ctx(['check', 's.jsonl', '--config', 'other.json'], { files: named });
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({ schemaVersion: 1 });
  });

  it.each<[unknown, string]>([
    [[], 'defaults must be an object'],
    [{ show: 3 }, 'defaults.show must be an object'],
    [{ shwo: {} }, 'unknown key "shwo" in defaults: ctx.config.json: did you mean "show"?'],
    [{ show: { limt: 3 } }, 'unknown key "limt" in defaults.show: ctx.config.json: did you mean "limit"?'],
    [{ show: { at: {} } }, 'defaults.show.at: must be a text or a number'],
    [{ show: { full: 'yes' } }, 'defaults.show.full: must be true or false'],
    [
      { show: { limit: 'much' } },
      'defaults.show.limit: invalid value "much" for TOKENS: ctx.config.json: write a whole number',
    ],
    [{ show: { part: 'x' } }, 'defaults.show.part: "x" is none of its choices: ctx.config.json: choose one of system'],
    [{ show: { format: 'x' } }, 'defaults.show.format: "x" is not a format'],
    [{ show: { json: true } }, 'unknown key "json" in defaults.show'],
    [{ show: { config: 'x.json' } }, '"config" cannot be a default'],
  ])('%j is reported and ignored, and refused where a command writes', async (defaults, message) => {
    const isOfAll = !Object.hasOwn(Object(defaults) as object, 'show') || (defaults as { show: unknown }).show === 3;
    const read = await withDefaults(defaults, ['show', 's.jsonl'], { cwd: HERE });
    const { stdout } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': weather } });
    expect(read).toMatchObject({ exitCode: 0, stdout });
    const stderr = read.stderr.replaceAll(/\S*ctx\.config\.json/g, 'ctx.config.json');
    expect(stderr).toMatch(/^ctx: warning: configuration ignored: [^\n]+\n$/);
    expect(stderr).toContain(message);
    if (!isOfAll || (defaults as { show?: unknown }).show === 3) return;
    const written = await withDefaults(defaults, ['compact', 's.jsonl', '--dry-run'], { cwd: HERE });
    expect(written).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('that makes no sense is refused where it could hide secrets', async () => {
    const ran = await withDefaults({ show: { redact: true, limt: 3 } }, ['show', 's.jsonl'], { cwd: HERE });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('that makes no sense is refused beside another one that hides secrets', async () => {
    const files = {
      's.jsonl': weather,
      '/home/ada/.config/ctx/config.json': JSON.stringify({ defaults: { show: { redact: true } } }),
      [`${HERE}/ctx.config.json`]: '{"defaults":{"nonsense":{}}}',
    };
    expect(await ctx(['show', 's.jsonl'], { files })).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe("the user's configuration", () => {
  const USER = '/home/ada/.config/ctx/config.json';
  const own = (value: unknown): World => ({ files: { [USER]: JSON.stringify(value) } });

  it('is below that of the project, key by key', async () => {
    const user = own({ limit: 100_000, defaults: { log: { last: 5, oneline: true, format: 'markdown' } } });
    const project = { log: { last: 2, oneline: false, format: 'text' } };
    const both = await withDefaults(project, ['log', 's.jsonl'], user);
    expect(both.stdout).toBe((await ctx(['log', 's.jsonl', '-n', '2'], { files: { 's.jsonl': weather } })).stdout);
    const alone = await ctx(['log', 's.jsonl'], { files: { 's.jsonl': weather, ...user.files } });
    expect(alone.stdout.split('\n').length).toBeGreaterThan(both.stdout.split('\n').length);
    expect((await withDefaults({}, ['show', 's.jsonl'], user)).stdout).toContain('of 100k tokens');
  });

  it('is not read with --no-config', async () => {
    const files = { 's.jsonl': weather, ...own({ defaults: { log: { last: 1 } } }).files };
    const without = await ctx(['log', 's.jsonl'], { files: { 's.jsonl': weather } });
    expect((await ctx(['log', 's.jsonl', '--no-config'], { files })).stdout).toBe(without.stdout);
    expect((await ctx(['log', 's.jsonl'], { files })).stdout).not.toBe(without.stdout);
  });

  it('holds a policy and rules', async () => {
    const user = own({ rules: { 'prompt-cache': 'off' }, prune: { thresholds: {} } });
    const ran = await ctx(['check', 's.jsonl', '--print-config'], { files: { 's.jsonl': weather, ...user.files } });
    expect(ran.stdout + ran.stderr).toContain('.config/ctx/config.json');
  });

  it('names a theme', async () => {
    const red = '\u001b[31m';
    const show = (value: unknown): Promise<Ran> =>
      ctx(['diff', 's.jsonl', 'HEAD~9', 'HEAD', '--color'], { files: { 's.jsonl': weather, ...own(value).files } });
    expect((await show({ theme: 'default' })).stdout).toBe((await show({})).stdout);
    expect((await show({})).stdout).toContain(red);
    expect((await show({ theme: 'colour-blind' })).stdout).not.toContain(red);
    expect((await show({ theme: 'dark' })).stderr).toContain('configuration ignored');
  });

  it.each<[NodeJS.Platform, Record<string, string>, string, string | null]>([
    ['linux', {}, '/home/ada', '/home/ada/.config/ctx/config.json'],
    ['linux', { XDG_CONFIG_HOME: '/x' }, '/home/ada', '/x/ctx/config.json'],
    ['linux', { XDG_CONFIG_HOME: 'x' }, '/home/ada', '/home/ada/.config/ctx/config.json'],
    ['linux', {}, '', null],
    ['win32', { APPDATA: 'C:\\Users\\ada' }, '', 'C:\\Users\\ada\\ctx\\config.json'],
    ['win32', {}, 'C:\\Users\\ada', null],
  ])('on %s with %j is at its usual place', (platform, env, home, expected) => {
    expect(findUserConfigFile(env, home, platform)).toBe(expected);
  });
});

describe('a command that an agent runs on its own', () => {
  const transcript_path = `${HERE}/.claude/projects/p/s.jsonl`;
  const input = JSON.stringify({ transcript_path, session_id: 's', hook_event_name: 'UserPromptSubmit' });
  const log = new ClaudeCodeLog();
  log.user('Count the boats.');
  log.answer('msg_1', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } });
  const files = { '-': input, [transcript_path]: log.text };

  it.each([
    ['guard budget', { context: 1, calls: 'bash=1' }],
    ['guard', { cost: 0.01 }],
    ['guard compaction', { redact: true }],
    ['statusline', { 'compact-at': 1 }],
  ])('has no defaults: %s', async (name, flags) => {
    for (const command of ['guard budget', 'guard compaction', 'statusline']) {
      const expected = await ctx(command.split(' '), { files });
      const { exitCode, stdout, stderr } = await withDefaults({ [name]: flags }, command.split(' '), { files });
      expect({ exitCode, stdout, stderr }, command).toMatchObject({ exitCode: 0, stdout: expected.stdout, stderr: '' });
    }
    const { stderr } = await withDefaults({ [name]: flags }, ['show', 's.jsonl']);
    expect(stderr).toContain(`unknown key "${name}" in defaults`);
  });

  it.each(['{"defaults":{"redact":', '{"theme":"redact"}', '[]'])('runs beside the configuration %s', async (text) => {
    for (const command of ['guard budget', 'guard compaction', 'statusline']) {
      const world = { files: { ...files, [`${HERE}/ctx.config.json`]: text } };
      expect(await ctx(command.split(' '), world), command).toMatchObject({ exitCode: 0, stderr: '' });
    }
  });
});

describe('looking at a session runs no code of its folder', () => {
  it('a configuration that is a program is not run, and what is above it does not count', async () => {
    const files = { 's.jsonl': weather, '/home/ada/ctx.config.json': '{"defaults":{"show":{"part":"tools"}}}' };
    const programs = {
      get [`${HERE}/ctx.config.ts`](): unknown {
        throw new Error('it was run');
      },
    };
    const { exitCode, stdout } = await ctx(['show', 's.jsonl'], { files, programs });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Forecast/) as string });
  });

  it('defaults in a program are refused by the commands that run it', async () => {
    const programs = { [`${HERE}/ctx.config.ts`]: { defaults: { show: {} } } };
    const { exitCode, stderr } = await ctx(['check', 's.jsonl'], { files: { 's.jsonl': weather }, programs });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('in JSON only') as string,
    });
  });

  it('every flag that names a file, a program or a server has been judged', async () => {
    const harmless = [
      'baseline',
      'known',
      'implementations',
      'values',
      'summary',
      'cwd',
      'model',
      'api',
      'summarizer-timeout',
    ];
    const words = /^(?:FILE|DIR|LINE|URL|VARIABLE|MODULE|COMMAND|PROGRAM|ENGINE)$/;
    const dangerous = new Set([
      'force',
      'open',
      'write',
      'in-place',
      'update',
      'shell',
      'apply',
      'allow-content',
      'show-secrets',
    ]);
    for (const { name, flags } of await loadCommands()) {
      for (const [flag, { placeholder }] of Object.entries(flags)) {
        const isRisky = words.test(placeholder ?? '') || dangerous.has(flag);
        if (isRisky) expect([...NEVER_DEFAULT, ...harmless], `${name} --${flag}`).toContain(flag);
      }
    }
  });
});
