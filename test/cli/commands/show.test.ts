import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '#base/version.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const WEATHER = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

function show(flags: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(['show', 's.jsonl', ...flags], { files: { 's.jsonl': WEATHER, ...world.files }, ...world });
}

async function shown(flags: readonly string[], log?: Log): Promise<string> {
  const { stdout, stderr, exitCode } = await show(flags, log ? { files: { 's.jsonl': log.text() } } : {});
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout;
}

describe('ctx show', () => {
  it('says that the context window is unknown, without a bar', async () => {
    const log = new Log('unknown').user('u1', 'Hello').assistant('a1', 'Hello.', { model: 'some-model' });
    expect(await shown([], log)).toMatch(/^ {2}~\d+ tokens of an unknown window$/m);
    expect(await shown(['--limit', '200k'], log)).toMatch(/^ {2}█░+ {2}~\d+ of 200k tokens/m);
  });

  it('prints all of what is known about a size in 80 columns', async () => {
    const { stdout } = await show([], { files: { 's.jsonl': new Log('a').user('u1', 'x'.repeat(5e6)).text() } });
    expect(stdout).toMatch(
      /^ {2}~1,750,\d+ tokens: estimated, 1.40 × chars\/4, the median of measured models,\n +without the parts that are not recorded$/m,
    );
  });

  it('lists the largest messages first with --sort tokens, up to a screen', async () => {
    const places = (text: string): readonly (readonly number[])[] =>
      Array.from(text.matchAll(/^ +(\d+) {2}[a-zA-Z]+ +[0-9a-f]{8} +(\d+) /gm), ([, number, tokens]) => [
        Number(number),
        Number(tokens),
      ]);
    const all = places(await shown(['--part', 'messages']));
    const sorted = all.toSorted(([, a = 0], [, b = 0]) => b - a);
    expect(sorted).not.toEqual(all);
    expect(places(await shown(['--part', 'messages', '--sort', 'tokens']))).toEqual(sorted);
    const { stdout } = await show(['--sort', 'tokens'], { rows: 24 });
    const first = places(stdout);
    expect(first.length).toBeGreaterThan(2);
    expect(first).toEqual(sorted.slice(0, first.length));
    expect(stdout).toContain(`… ${all.length - first.length} more: use --part messages`);
    const results = await shown(['--role', 'toolResult', '--sort', 'tokens']);
    expect(Array.from(results.matchAll(/~(\d+) tokens/g), ([, tokens]) => Number(tokens))).toEqual([31, 13, 6]);
    expect((await show(['--sort', 'tokens', '--part', 'tools'])).exitCode).toBe(2);
  });

  it('fits one screen of any size', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [60, 30],
      [40, 20],
      [200, 50],
      [20, 10],
    ] as const) {
      const { stdout } = await show([], { files: { 's.jsonl': WEATHER }, columns, rows, isTerminal: true });
      const lines = stdout
        .replaceAll(/\u001b\[\d+m/g, '')
        .trimEnd()
        .split('\n');
      expect(Math.max(...lines.map((line) => line.length)), `${columns} columns`).toBeLessThanOrEqual(
        Math.max(columns, 60),
      );
      expect(lines.length, `${rows} rows`).toBeLessThanOrEqual(Math.max(rows, columns < 40 ? 34 : 24));
    }
  });

  it('states that Pi does not send failed and aborted answers, within the screen', async () => {
    const log = new Log('failed');
    for (let at = 0; at < 30; at += 1) log.user(`u${at}`, 'Go on.');
    const screen = async (flags: readonly string[] = []): Promise<string> =>
      (await ctx(['show', 's.jsonl', ...flags], { files: { 's.jsonl': log.text() }, rows: 24, isTerminal: true }))
        .stdout;
    expect(await screen()).not.toContain('out of every request');
    log.assistant('a9', 'Wai', { stopReason: 'aborted' });
    expect(await screen()).toContain('Pi leaves answers marked (aborted) or (error) out of every request.');
    expect((await screen()).split('\n').length).toBeLessThanOrEqual(24);
    expect(await screen(['--part', 'messages'])).toContain('out of every request');
  });

  it('shows the latest session when none is named', async () => {
    const file = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_abc.jsonl';
    const { stdout } = await ctx(['show'], { files: { [file]: WEATHER } });
    expect(stdout).toContain('Forecast shows the wrong day');
  });

  it('says how to see what is left out', async () => {
    const { stdout } = await show([], { files: { 's.jsonl': WEATHER }, rows: 20 });
    expect(stdout).toMatch(/… \d+ more: use --part messages to list all/);
    expect(await shown(['--full'])).not.toMatch(/… \d+ more/);
  });

  it('shows the share of a known context window', async () => {
    expect(await shown(['--limit', '4k'])).toContain('~1.9k of 4.0k tokens (47%)');
  });

  it('opens a session without entries', async () => {
    const text = await shown([], new Log('none'));
    expect(text).toContain('no entries in s.jsonl');
    expect(text).toContain('no messages');
  });

  it.each([
    ['system', '<cwd>'],
    ['tools', 'Edit a single file'],
    ['messages', 'keeps from'],
    ['options', 'reasoning'],
  ])('--part %s prints that part alone', async (part, content) => {
    const text = await shown(['--part', part]);
    expect(text.includes(content)).toBe(part !== 'messages');
    expect(text).not.toContain('Forecast shows the wrong day');
  });

  it.each([
    [['--message', '4'], 1],
    [['--role', 'user'], 4],
    [['--tool', 'edit'], 2],
    [['--grep', 'changelog'], 1],
    [['--role', 'assistant', '--tool', 'edit'], 1],
    [['--grep', 'nothing like it'], 0],
  ])('%j selects %i messages', async (flags, count) => {
    expect((await shown(flags)).match(/^#\d+/gm) ?? []).toHaveLength(count);
  });

  it('reports that an empty session has no messages', async () => {
    const { stderr } = await show(['--message', '1'], { files: { 's.jsonl': new Log('empty').text() } });
    expect(stderr).toBe('ctx: there is no message 1: there are none here\n');
  });

  it('cuts long text with a count, unless all of it is asked for', async () => {
    const log = new Log('long').user('u1', 'x'.repeat(5000));
    expect(await shown(['--message', '1'], log)).toContain('… 3,000 more characters, --full shows them');
    expect(await shown(['--message', '1', '--full'], log)).toContain('x'.repeat(5000));
  });

  it.each([
    [['--part', 'system', '--message', '3']],
    [['--part', 'tools', '--grep', 'x']],
    [['--part', 'options', '--tool', 'bash']],
  ])('refuses flags that contradict one another: %j', async (flags) => {
    expect(await show(flags)).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('--each gives a line for every entry of the path, with a hash that changes with the context only', async () => {
    const lines = (await shown(['--each']))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const byId = new Map(lines.map((line) => [line['entryId'], line]));
    expect(lines.at(-1)).toMatchObject({ entryId: 'e0f4d7b6', type: 'ephemeral', messages: 12 });
    expect(byId.get('345981c4')?.['envelopeSha256']).toBe(byId.get('8f60a942')?.['envelopeSha256']);
    expect(byId.get('8f60a942')?.['envelopeSha256']).not.toBe(byId.get('664f7793')?.['envelopeSha256']);
  });

  it('says also of a stream what it skipped', async () => {
    const files = { 's.jsonl': new Log('rule').transform('x1', 't', [{}]).text() };
    const { stderr, exitCode } = await show(['--each', '--lenient'], { files });
    expect({ stderr: stderr.slice(0, 31), exitCode }).toEqual({
      stderr: 'ctx: warning: patch-unknown-op ',
      exitCode: 0,
    });
  });

  it('prints what a session should not hold, too', async () => {
    const odd = { title: 5, summary: ['x'], markdown: null };
    const log = new Log('odd')
      .message('s1', { role: 'system', content: '', toolsAdded: [{ name: 5 }, { name: null }] })
      .transform('x1', 't', [], { display: odd });
    for (const format of ['text', 'markdown', 'json']) {
      expect((await show(['--format', format], { files: { 's.jsonl': log.text() } })).exitCode, format).toBe(0);
    }
  });

  it('says so where a baseline holds recorded findings', async () => {
    const known = { schema: 'ctx/known-findings', schemaVersion: 1, files: [] };
    const { exitCode, stderr } = await show(['--baseline', 'k.json'], {
      files: { 's.jsonl': WEATHER, 'k.json': JSON.stringify(known) },
    });
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('this file holds findings that ctx check recorded: k.json'),
    ]);
  });

  it('reads a baseline, and says what is wrong with one', async () => {
    const baseline = { parts: [{ name: 'base', text: 'You are helpful.' }], limit: 1000 };
    const world = {
      files: {
        's.jsonl': new Log('plain').twoTurns().text(),
        'b.json': JSON.stringify(baseline),
        'wrong.json': '{"parts":[{"name":1}]}',
        'no.json': '{',
      },
    };
    expect((await show(['--baseline', 'b.json'], world)).stdout).toMatch(/^ {2}prompt +\d+ +\d+% {2}base \d+$/m);
    expect(await show(['--baseline', 'wrong.json'], world)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('parts.0.name must be string') as string,
    });
    expect(await show(['--baseline', 'no.json'], world)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('not JSON') as string,
    });
  });

  it('prints the whole definition of a tool that is named', async () => {
    const world = { files: { 's.jsonl': WEATHER } };
    expect((await show(['--part', 'tools', '--tool', 'edit'], world)).stdout).toContain('"parameters"');
    expect((await show(['--part', 'tools'], world)).stdout).not.toContain('"parameters"');
  });

  it('flags tools without an implementation', async () => {
    const { stdout } = await show(['--implementations', 'i.json', '--part', 'tools'], {
      files: { 's.jsonl': WEATHER, 'i.json': '["read"]' },
    });
    expect(stdout).toMatch(/^edit .*no implementation: omitted at run time$/m);
    expect(stdout).not.toMatch(/^read .*no implementation/m);
  });
});

describe('the machine contract', () => {
  it('prints colours only in a terminal, unless told otherwise', async () => {
    const colours = async (flags: readonly string[], world: World): Promise<boolean> =>
      (await show(flags, { files: { 's.jsonl': WEATHER }, ...world })).stdout.includes('\u001b[');
    expect(await colours([], {})).toBe(false);
    expect(await colours([], { isTerminal: true })).toBe(true);
    expect(await colours([], { isTerminal: true, env: { NO_COLOR: '1' } })).toBe(false);
    expect(await colours([], { isTerminal: true, env: { TERM: 'dumb' } })).toBe(false);
    expect(await colours(['--no-color'], { isTerminal: true })).toBe(false);
    expect(await colours(['--color'], { env: { NO_COLOR: '1' } })).toBe(true);
  });

  it.each(['text', 'markdown', 'json'])('lets nothing of a session command the terminal (%s)', async (format) => {
    const evil = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202etxt.exe\u007f\r\b';
    const log = new Log('evil', { cwd: evil })
      .message('s1', {
        role: 'system',
        content: evil,
        sections: { [evil]: evil },
        toolsAdded: [{ name: evil, description: evil }],
      })
      .user(evil, evil)
      .entry('n', 'session_info', { name: evil })
      .tool(`t${evil}`, evil, { [evil]: evil }, evil)
      .transform('x', evil, [{ op: 'tools_remove', scope: 'cached', toolNames: [], invalidateCacheReason: evil }], {
        display: { title: evil, summary: evil, markdown: evil },
      });
    for (const flags of format === 'json' ? [[]] : [[], ['--full'], ['--part', 'tools'], ['--role', 'user']]) {
      const { stdout, stderr } = await show(['--format', format, ...flags], { files: { 's.jsonl': log.text() } });
      // oxlint-disable-next-line no-control-regex -- control characters are what this is about
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it.each([
    ['an unknown command', ['shwo'], 2],
    ['an unknown flag', ['show', 's.jsonl', '--colour'], 2],
    ['too many arguments', ['show', 's.jsonl', 'other'], 2],
    ['a value that a flag cannot take', ['show', 's.jsonl', '--limit', 'many'], 2],
    ['a broken pattern', ['show', 's.jsonl', '--grep', '('], 2],
    ['an unknown revision', ['show', 's.jsonl', '--at', 'nowhere'], 2],
    ['a message that there is not', ['show', 's.jsonl', '--message', '99'], 2],
    ['a missing file', ['show', 'none.jsonl'], 3],
    ['an empty file', ['show', 'empty.jsonl'], 3],
    ['a file that is no session', ['show', 'binary.jsonl'], 3],
    ['a transform that breaks a rule', ['show', 'rule.jsonl'], 3],
  ])('%s is one line on stderr and has its exit code', async (_what, argv, exitCode) => {
    const files = {
      's.jsonl': WEATHER,
      'empty.jsonl': '',
      'binary.jsonl': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 10, 255]),
      'rule.jsonl': new Log('rule').transform('x1', 't', [{}]).text(),
    };
    const text = await ctx(argv, { files });
    expect(text).toMatchObject({ exitCode, stdout: '' });
    expect(text.stderr).toMatch(/^ctx: [^\n]+\n$/);
    const json = await ctx([...argv, '--json'], { files });
    expect(JSON.parse(json.stderr)).toMatchObject({ schema: 'ctx/error', exitCode });
  });

  it('says once for each kind of damage how often it occurs', async () => {
    const file = `${WEATHER}broken\nbroken too\n`;
    const { stdout, stderr, exitCode } = await show([], { files: { 's.jsonl': file } });
    expect(stdout).toContain('Forecast shows the wrong day');
    expect(stderr).toBe(
      'ctx: warning: malformed-line on lines 46, 47: 2 problems, the first: the line is not JSON\n' +
        'ctx: for details: ctx check s.jsonl\n',
    );
    expect(exitCode).toBe(0);
  });

  it('survives data that is nested deeper than some versions of JavaScript can write', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const content = `[{"type":"toolCall","name":"x","arguments":${deep}}]`;
    const line = `{"type":"message","id":"u1","parentId":null,"message":{"role":"assistant","content":${content}}}`;
    const file = `{"type":"session","version":3,"id":"deep"}\n${line}\n`;
    const { stderr, exitCode } = await show([], { files: { 's.jsonl': file } });
    expect([
      { stderr: '', exitCode: 0 },
      { stderr: 'ctx: the data is nested too deeply: no provider would accept it\n', exitCode: 3 },
    ]).toContainEqual({ stderr, exitCode });
  });

  it('prints help, and the version', async () => {
    expect(await ctx(['--help'])).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringContaining('show') as string,
    });
    expect(await ctx([])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Usage: ctx') as string });
    expect(await ctx(['help', 'show'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('--baseline <FILE>') as string,
    });
    expect(await ctx(['help', 'nope'])).toMatchObject({
      exitCode: 2,
      stderr: 'ctx: no help on "nope": ctx help topics lists the topics\n',
    });
    const { stdout } = await ctx(['--version', '--json']);
    expect(schemas.version.parse(JSON.parse(stdout))).toMatchObject({ version: VERSION, node: process.versions.node });
  });
});

describe('ctx show --tokenizer', () => {
  it('names the method wherever it prints a number', async () => {
    for (const flags of [
      [],
      ['--full'],
      ['--part', 'system'],
      ['--part', 'tools'],
      ['--part', 'messages'],
      ['--message', '4'],
      ['--grep', 'UTC', '--full'],
      ['--format', 'markdown'],
      ['--format', 'markdown', '--part', 'tools'],
    ])
      expect(await shown([...flags, '--tokenizer', 'o200k']), flags.join(' ')).toMatch(/× o200k|estimated,? \(o200k\)/);
    const each = (await shown(['--each', '--tokenizer', 'o200k'])).trim().split('\n');
    const methods = each.map((line) => (JSON.parse(line) as { readonly tokenMethod: string }).tokenMethod);
    expect([...new Set(methods)]).toEqual(['o200k']);
    expect(await shown(['--part', 'options', '--tokenizer', 'o200k'])).toBe(await shown(['--part', 'options']));
  });

  it('counts everything by it: the messages add up to their category', async () => {
    for (const tokenizer of ['chars', 'o200k', 'claude']) {
      const { meta } = JSON.parse(await shown(['--json', '--tokenizer', tokenizer])) as {
        readonly meta: {
          readonly tokens: { readonly total: number; readonly method: string };
          readonly composition: { readonly messages: readonly { readonly tokens: number }[] };
        };
      };
      const rows = (await shown(['--part', 'messages', '--tokenizer', tokenizer])).matchAll(
        /^ +\d+ {2}\w+ +\w+ +(\d+)/gm,
      );
      const shares = meta.composition.messages.map(({ tokens }) => tokens);
      expect(Array.from(rows, ([, tokens]) => Number(tokens))).toEqual(shares);
      const [, header = ''] = /^ {2}\d+ messages, ~(\d+) tokens$/m.exec(await shown(['--tokenizer', tokenizer])) ?? [];
      expect(shares.reduce((sum, tokens) => sum + tokens, 0)).toBe(Number(header));
      const last = (await shown(['--each', '--tokenizer', tokenizer])).trim().split('\n').at(-1) ?? '';
      expect(JSON.parse(last)).toMatchObject({ tokens: meta.tokens.total, tokenMethod: meta.tokens.method });
    }
  });

  it('is the same as no tokenizer where it is that of Pi', async () => {
    expect(await shown(['--json', '--tokenizer', 'chars'])).toBe(await shown(['--json']));
  });

  it('follows a session by it', async () => {
    const { stdout } = await show(['--watch', '--tokenizer', 'cl100k']);
    expect(stdout).toMatch(/^ {2}~?[\d,]+ tokens: .* × cl100k\)$/m);
  });

  it('refuses what nothing tells', async () => {
    const { exitCode, stderr } = await show(['--tokenizer', 'claude'], {
      files: { 's.jsonl': new Log('empty').text() },
    });
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('cannot calibrate: no Claude request records its tokens'),
    ]);
    expect((await show(['--tokenizer', 'words'])).exitCode).toBe(2);
  });
});

it('says of a tool that the context does not have which there are', async () => {
  const files = { 's.jsonl': new Log('tools').user('u1', 'Go.').tool('t1', 'bash', { command: 'ls' }, 'a').text() };
  const { exitCode, stdout, stderr } = await ctx(['show', 's.jsonl', '--tool', 'nosuch'], { files });
  expect([exitCode, stdout, stderr]).toEqual([2, '', 'ctx: the context has no tool "nosuch": choose from bash\n']);
  expect((await ctx(['show', 's.jsonl', '--tool', 'bash'], { files })).exitCode).toBe(0);
});
