import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { expectGenerated } from '../../support/generated.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { writtenAt } from '../../support/written-at.js';

const SESSIONS = '/home/ada/.pi/agent/sessions';
const NOW = Date.UTC(2026, 2, 9, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Made {
  readonly log: Log | string;
  readonly age: number;
  readonly folder?: string;
}

/** Pi's session folder with sessions of these ids. */
function worldOf(made: Readonly<Record<string, Made>>, rest: World = {}): World {
  const placed = Object.entries(made).map(
    ([id, { log, age, folder = '--home-ada-weather--' }]) =>
      [
        `${SESSIONS}/${folder}/2026-03-02T09-00-00-000Z_${id}.jsonl`,
        writtenAt(typeof log === 'string' ? log : log.text(), NOW - age),
        NOW - age,
      ] as const,
  );
  return {
    files: Object.fromEntries(placed.map(([file, text]) => [file, text])),
    modified: Object.fromEntries(placed.map(([file, , modified]) => [file, modified])),
    now: NOW,
    // A folder without sessions, so that all are listed.
    cwd: '/elsewhere',
    ...rest,
  };
}

function talk(id: string, words: string, header: Readonly<Record<string, unknown>> = {}): Log {
  return new Log(id, header).user('u1', words);
}

function usage(totalTokens: number, total: number): Readonly<Record<string, unknown>> {
  return { usage: { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens, cost: { total } } };
}

async function lines(argv: readonly string[], world: World): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await ctx(['ls', ...argv, '--json'], world);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function ids(argv: readonly string[], world: World): Promise<readonly unknown[]> {
  return (await lines(argv, world)).map(({ id }) => id);
}

/** The rows without the heading. */
function rows({ stdout }: Ran): readonly string[] {
  return stdout.trimEnd().split('\n').slice(1);
}

const THREE = {
  'aaaaaaaa-1': { log: talk('aaaaaaaa-1', 'the oldest'), age: 40 * DAY },
  'bbbbbbbb-1': { log: talk('bbbbbbbb-1', 'the newest', { cwd: '/home/ada/weather/maps' }), age: 3 * HOUR },
  'cccccccc-1': { log: talk('cccccccc-1', 'between', { cwd: '/home/ada/weatherman' }), age: 2 * DAY },
};

describe('ctx ls', () => {
  it('lists the newest first, with a prefix of the id that names it', async () => {
    const listed = await ctx(['ls'], worldOf(THREE));
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rows(listed).map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
      ['bbbbbbbb', '3h'],
      ['cccccccc', '2d'],
      ['aaaaaaaa', '40d'],
    ]);
    expect(rows(await ctx(['ls'], worldOf(THREE, { columns: 130 })))[0]).toMatch(/~\/weather\/maps\s+the newest$/);
    expect((await ctx(['show', 'bbbbbbbb'], worldOf(THREE))).stdout).toContain('the newest');
  });

  it('makes prefixes as long as it takes to tell sessions apart', async () => {
    const twins = {
      'aaaaaaaa-12': THREE['aaaaaaaa-1'],
      'aaaaaaaa-13': THREE['aaaaaaaa-1'],
      bbbbbbbbbb: THREE['bbbbbbbb-1'],
    };
    const handles = rows(await ctx(['ls'], worldOf(twins))).map((row) => row.split(' ')[0]);
    expect(handles.map(String).toSorted()).toEqual(['aaaaaaaa-12', 'aaaaaaaa-13', 'bbbbbbbb']);
  });

  it('names the files of another folder by paths that work from here', async () => {
    const files = { '/backup/a/one.jsonl': talk('x', 'hello').text() };
    expect(rows(await ctx(['ls', '/backup'], { files }))[0]).toMatch(/^\/backup\/a\/one\.jsonl .* hello$/);
    expect(rows(await ctx(['ls', '/backup'], { files, cwd: '/backup' }))[0]).toMatch(/^a\/one\.jsonl .* hello$/);
    expect(await lines(['/backup'], { files })).toMatchObject([{ file: '/backup/a/one.jsonl', id: 'x' }]);
  });

  it("names the files of one of Pi's folders as all commands do", async () => {
    const twins = {
      'aaaaaaaa-12': THREE['aaaaaaaa-1'],
      'aaaaaaaa-13': { ...THREE['bbbbbbbb-1'], folder: '--home-ada-other--' },
    };
    const [row] = rows(await ctx(['ls', `${SESSIONS}/--home-ada-other--`], worldOf(twins)));
    expect(row).toMatch(/^aaaaaaaa-13 /);
  });

  it('keeps the columns in line whatever the files are called', async () => {
    const { files = {}, ...rest } = worldOf(THREE);
    const odd = [
      `${SESSIONS}/--x--/mine.jsonl`,
      '/home/b.jsonl',
      `${SESSIONS}/--x--/${'long-'.repeat(20)}.jsonl`,
      '/home/天気.jsonl',
    ];
    const all = { ...files, ...Object.fromEntries(odd.map((file) => [file, talk('x', 'odd').text()])) };
    for (const columns of [80, 120, 160, Number.POSITIVE_INFINITY]) {
      const listed = await ctx(['ls', '/home'], { ...rest, files: { ...all }, columns });
      const [heading = '', ...printed] = listed.stdout.trimEnd().split('\n');
      for (const file of odd) expect(printed.filter((row) => row.split(' ')[0] === file)).toHaveLength(1);
      const withAge = printed.filter((row) => !row.endsWith('.jsonl'));
      expect(withAge).toHaveLength(7);
      const at = heading.indexOf('age') + 'age'.length;
      // These characters take two cells each.
      const ages = withAge.map((row) => row.replace('天気', '....').slice(0, at));
      expect(ages.filter((row) => !/(^| )\d+[smhdy]$/.test(row))).toEqual([]);
    }
  });

  it('cuts no file name, and takes no room from the other columns and rows for it', async () => {
    const name = `/backup/${'very-'.repeat(8)}long.jsonl`;
    const files = { [name]: talk('x', 'hello '.repeat(9)).text(), '/backup/b.jsonl': talk('y', 'short').text() };
    for (const columns of [60, 80]) {
      const { stdout } = await ctx(['ls', '/backup'], { files, columns });
      expect(stdout).toMatch(/^session +age .*tokens +cost +name\n/);
      expect(stdout).toMatch(new RegExp(`^${name}\\n +0s .*hello`, 'm'));
      expect(stdout).toMatch(/^\/backup\/b\.jsonl +0s .*short$/m);
    }
    const wide = await ctx(['ls', '/backup'], { files, columns: 120 });
    expect(wide.stdout).toMatch(new RegExp(`^${name} +0s .*hello`, 'm'));
  });

  it.each([
    [60, 'session age tokens cost name'],
    [80, 'session age size tokens cost name'],
    [100, 'session age size tokens cost model name'],
    [110, 'session age size entries tokens cost model name'],
    [130, 'session age size entries tokens cost model cwd name'],
    [Number.POSITIVE_INFINITY, 'session age size entries tokens cost model cwd name'],
  ])('shows in %d columns: %s', async (columns, titles) => {
    const world = worldOf({ 'aaaaaaaa-1': { ...THREE['bbbbbbbb-1'], log: deep() } }, { columns });
    const [heading, row = ''] = (await ctx(['ls'], world)).stdout.split('\n');
    expect(heading?.trim().split(/ +/).join(' ')).toBe(titles);
    expect(row.slice(heading?.indexOf('name')).length).toBeGreaterThanOrEqual(20);
  });

  it('writes sizes, entries and models so that they cannot be mistaken', async () => {
    const big = deep();
    for (let at = 2; at < 1018; at += 1) big.user(`u${at}`, 'x'.repeat(1000));
    big.assistant('a1', 'yes', { provider: 'anthropic', model: 'claude-sonnet-4-5' });
    const made = { 'aaaaaaaa-1': { log: big, age: DAY }, 'bbbbbbbb-1': { log: deep(), age: DAY } };
    const wide = await ctx(['ls'], worldOf(made, { columns: 160 }));
    expect(wide.stdout).toMatch(/ 1\.2 MB +1,018 .* anthropic\/claude-sonnet-4-5 /);
    expect(wide.stdout).toMatch(/ \d+ B +1 /);
    expect((await ctx(['ls'], worldOf(made, { columns: 100 }))).stdout).toMatch(/ claude-sonnet-4-5 /);
  });

  it('cuts nothing where no line ends', async () => {
    const [cwd, model] = [`/srv/${'deep/'.repeat(30)}`, 'long-'.repeat(12)];
    const log = talk('x', 'few words', { cwd }).assistant('a1', 'yes', { provider: 'lab', model });
    const world = worldOf({ 'aaaaaaaa-1': { log, age: DAY } }, { columns: Number.POSITIVE_INFINITY });
    expect(rows(await ctx(['ls'], world))[0]).toMatch(new RegExp(` lab/${model}  ${cwd}  few words$`));
  });

  it.each([
    [
      ['--cwd', '.'],
      ['bbbbbbbb-1', 'aaaaaaaa-1'],
    ],
    [['--cwd', '/home/ada/weather/maps'], ['bbbbbbbb-1']],
    [
      ['--cwd', '..'],
      ['bbbbbbbb-1', 'cccccccc-1', 'aaaaaaaa-1'],
    ],
    [
      ['--since', '2d'],
      ['bbbbbbbb-1', 'cccccccc-1'],
    ],
    [
      ['--until', '3h'],
      ['bbbbbbbb-1', 'cccccccc-1', 'aaaaaaaa-1'],
    ],
    [
      ['--until', '2026-03-08'],
      ['cccccccc-1', 'aaaaaaaa-1'],
    ],
    [['--until', '2026-03-07'], ['aaaaaaaa-1']],
    [['--since', '2026-03-07', '--until', '2026-03-08'], ['cccccccc-1']],
    [
      ['-n', '2'],
      ['bbbbbbbb-1', 'cccccccc-1'],
    ],
    [
      ['--max', '9'],
      ['bbbbbbbb-1', 'cccccccc-1', 'aaaaaaaa-1'],
    ],
  ])('%j takes some', async (flags, expected) => {
    expect(await ids(flags, worldOf(THREE, flags.includes('--cwd') ? { cwd: '/home/ada/weather' } : {}))).toEqual(
      expected,
    );
  });

  it('selects by the model at the leaf, and stops at the number that was asked for', async () => {
    const made = (id: string, model: string): Made => ({
      log: talk(id, 'hi').assistant('a1', 'yes', { provider: 'lab', model }),
      age: HOUR,
    });
    const world = worldOf({ a: made('a', 'opus'), b: made('b', 'gpt'), c: made('c', 'opus'), d: THREE['aaaaaaaa-1'] });
    expect(await ids(['--model', 'LAB/OP'], world)).toEqual(['a', 'c']);
    expect(await ids(['--model', 'opus', '-n', '1'], world)).toEqual(['a']);
    expect(await ids(['--model', 'gpt'], world)).toEqual(['b']);
  });

  it('sorts by cost, context or size, forks too, before it stops', async () => {
    const paid = (id: string, text: string, input: number, cost: number | undefined): Made => {
      const spent = {
        input,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        ...(cost !== undefined && { cost: { total: cost } }),
      };
      return { log: talk(id, text).assistant('a1', 'yes', { provider: 'lab', model: 'm', usage: spent }), age: HOUR };
    };
    const world = worldOf({
      a: paid('a', 'x', 30, 1),
      b: paid('b', 'x'.repeat(900), 10, 2),
      c: paid('c', 'xx', 20, undefined),
    });
    expect(await ids(['--sort', 'cost'], world)).toEqual(['b', 'a', 'c']);
    expect(await ids(['--sort', 'tokens', '-n', '2'], world)).toEqual(['a', 'c']);
    expect(await ids(['--sort', 'size', '--model', 'lab/m', '-n', '1'], world)).toEqual(['b']);
    expect((await ctx(['ls', '--sort', 'cost', '-n', '1', '--agent', 'pi'], world)).stdout).toContain('$2.00');
  });

  it('ends with 1 where nothing is listed, and with 3 where there is no folder', async () => {
    const nothing = await ctx(['ls', '--since', '1h'], worldOf(THREE));
    expect(nothing).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/no-session: none of 3 sessions in .+ is what the flags ask for/) as string,
    });
    expect((await ctx(['ls', '/empty'], { files: { '/empty/a.txt': '' } })).stderr).toContain(
      'nothing to list in /empty',
    );
    const missing = await ctx(['ls']);
    expect(missing).toMatchObject({ exitCode: 3, stdout: '' });
    expect(missing.stderr).toMatch(/~\/\.pi\/agent\/sessions.*PI_CODING_AGENT_DIR/);
  });

  it('puts forks below the session that they came from, at the place of the newest', async () => {
    const parent = { parentSession: `${SESSIONS}/--home-ada-weather--/2026-03-02T09-00-00-000Z_old.jsonl` };
    const branched = { version: 1, branchedFrom: '/another/machine/2026-03-02T09-00-00-000Z_fork.jsonl' };
    const world = worldOf({
      old: { log: talk('old', 'origin'), age: 9 * DAY },
      middle: { log: talk('middle', 'alone'), age: 5 * DAY },
      fork: { log: talk('fork', 'fork', parent), age: 7 * DAY },
      again: { log: talk('again', 'fork of the fork', branched), age: HOUR },
    });
    expect(rows(await ctx(['ls'], { ...world, columns: 140 })).map((row) => row.replace(/^.*weather {2}/, ''))).toEqual(
      ['origin', '└─ fork', '  └─ fork of the fork', 'alone'],
    );
    expect(await lines(['-n', '2'], world)).toMatchObject([{ parentSession: null }, parent]);
    const alone = await ctx(['ls', '--since', '2h'], world);
    expect(rows(alone)[0]).toMatch(/ {2}fork of the fork$/);
  });

  it('shows costs at listed prices where none are recorded, as ctx stats does', async () => {
    const files = { '/claude/a.jsonl': readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8') };
    const [row] = (await ctx(['ls', '/claude', '--json'], { files })).stdout.split('\n');
    const { usageRecorded } = JSON.parse((await ctx(['stats', '/claude/a.jsonl', '--json'], { files })).stdout);
    expect(JSON.parse(row ?? '')).toMatchObject({ cost: null, costListed: usageRecorded.costListed });
    expect((await ctx(['ls', '/claude'], { files, columns: 100 })).stdout).toMatch(/ ~\$0\.0243 /);
  });

  it('says what is recorded, and what is estimated', async () => {
    const recorded = talk('recorded', 'hi')
      .assistant('a1', 'yes', usage(1000, 0.25))
      .assistant('a2', 'no', usage(2000, 0.5));
    const world = worldOf({
      recorded: { log: recorded, age: HOUR },
      silent: { log: talk('silent', 'x'.repeat(400)), age: 2 * HOUR },
    });
    expect(await lines([], world)).toMatchObject([
      { contextTokens: 2000, contextTokensSource: 'recorded', cost: 0.75, entries: 3, problems: 0 },
      { contextTokens: 140, contextTokensSource: 'estimated', cost: null, model: null },
    ]);
    const [first, second] = rows(await ctx(['ls'], { ...world, columns: 140 }));
    expect(first).toMatch(/ 2\.0k +\$0\.75 /);
    expect(second).toMatch(/ ~140 +~\/weather  xxx/);
  });

  it('counts files that are no sessions in one line, and gives their errors as data', async () => {
    const world = worldOf({
      good: { log: talk('good', 'hi'), age: HOUR },
      empty: { log: '', age: HOUR },
      other: { log: '{"event":"click"}\n', age: HOUR },
    });
    const listed = await ctx(['ls'], world);
    expect(rows(listed)).toHaveLength(1);
    expect(listed.stderr).toMatch(/^ctx: warning: not-a-session: left out 2 files.*\n$/);
    expect(await lines([], world)).toMatchObject([
      { id: 'good' },
      { error: expect.stringContaining('neither a Pi session nor') as string, size: 0 },
      { error: expect.stringContaining('neither a Pi session nor') as string },
    ]);
  });

  it('tells of a session that cannot be read, and lists the others', async () => {
    const broken = `{"type":"session",\n${'{"half":\n'.repeat(20_000)}`;
    const world = worldOf({ good: THREE['aaaaaaaa-1'], broken: { log: broken, age: HOUR } });
    const listed = await ctx(['ls'], world);
    expect(rows(listed)).toHaveLength(1);
    expect(listed.stderr).toMatch(/^ctx: warning: unreadable-session: .*broken\.jsonl: not a Pi session/);
    expect(await lines([], world)).toMatchObject([{ error: expect.any(String) as string }, { id: 'aaaaaaaa-1' }]);
  });

  it('estimates where a transform breaks a rule, and does not fail', async () => {
    const log = talk('rule', 'x'.repeat(40)).transform('x1', 't', [{}]);
    expect(await lines([], worldOf({ rule: { log, age: 0 } }))).toMatchObject([{ contextTokens: 14 }]);
  });

  it.each([20, 40, 60, 80, 120, 200])('fits into %i columns, with what matters most', async (columns) => {
    const long = talk('aaaaaaaa-1', 'many words '.repeat(30), { cwd: `/home/ada/${'deep/'.repeat(30)}` });
    const listed = await ctx(['ls'], worldOf({ 'aaaaaaaa-1': { log: long, age: DAY } }, { columns }));
    const printed = listed.stdout.trimEnd().split('\n');
    expect(Math.max(...printed.map((row) => row.length))).toBeLessThanOrEqual(columns);
    expect(printed[1]).toMatch(/^aaaaaaaa/);
    expect(printed[0]?.includes('entries')).toBe(columns >= 120);
    expect(printed[0]?.includes('tokens')).toBe(columns >= 60);
  });

  it.each([80, 100, 120, 140])('names the agent of each session of several agents in %s columns', async (columns) => {
    const folder = '/backup/2026/sessions-of-the-weather-project';
    const claude = readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8');
    const files = {
      [`${folder}/rollout-2026-02-03T04-05-06-0a1b2c3d-e4f5-6789-abcd-ef0123456789.jsonl`]: claude,
      [`${folder}/2026-03-02T09-00-00-000Z_aaaaaaaa.jsonl`]: talk('aaaaaaaa', 'the oldest').text(),
    };
    const { stdout } = await ctx(['ls', folder], { files, columns, now: NOW });
    expect(stdout).toMatch(/^session +agent /);
    expect([stdout.includes('claude-code'), / pi /.test(stdout)]).toEqual([true, true]);
  });

  it('makes text from a session safe', async () => {
    const evil = talk('evil\u001b[2J', 'a\u001b]0;title\u0007b\u202e', { cwd: '/tmp/\u001b[31m' });
    const { stdout } = await ctx(['ls'], worldOf({ evil: { log: evil, age: 0 } }));
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it('is a list in Markdown', async () => {
    const fork = { parentSession: `${SESSIONS}/--home-ada-weather--/2026-03-02T09-00-00-000Z_cccccccc-1.jsonl` };
    const forked = talk('f', 'a *fork*', fork).assistant('a1', 'yes', {
      provider: 'lab',
      model: 'opus',
      ...usage(1041, 0.5),
    });
    const world = worldOf({ ...THREE, 'ffffffff-1': { log: forked, age: 9 * DAY } });
    expect((await ctx(['ls', '--format', 'markdown'], world)).stdout.replaceAll(/\d+ B/g, '9 B').split(/\n+/)).toEqual([
      '- **the newest** — `bbbbbbbb`, 3h old, 9 B, 1 entry, ~4 tokens, ~/weather/maps',
      '- **between** — `cccccccc`, 2d old, 9 B, 1 entry, ~3 tokens, ~/weatherman',
      '- **a \\*fork\\*** — `ffffffff`, 9d old, 9 B, 2 entries, lab/opus, 1,041 tokens, $0.50, ~/weather, forked from `cccccccc`',
      '- **the oldest** — `aaaaaaaa`, 40d old, 9 B, 1 entry, ~4 tokens, ~/weather',
      '',
    ]);
  });

  it('prints what docs/use/ls.md shows', async () => {
    const { stdout } = await ctx(['ls'], documented());
    const page = readFileSync(path.join(projectFolder, 'docs/use/ls.md'), 'utf8');
    const current = page.replace(/(?<=```text\n\$ ctx ls\n)[\s\S]*?(?=```)/, () => stdout);
    expectGenerated('docs/use/ls.md', current);
    expect(current).toContain(stdout);
  });
});

/** A session with much to say in each column. */
function deep(): Log {
  return talk('x', 'many words '.repeat(30), { cwd: `/home/ada/${'deep/'.repeat(30)}` });
}

/** The sessions of the manual. */
function documented(): World {
  const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
  const fork = { parentSession: `${SESSIONS}/--home-ada-weather--/2026-03-02T09-00-00-000Z_019cad3e-one.jsonl` };
  const tides = { cwd: '/home/ada/tides' };
  return worldOf({
    '019cad3e-one': { log: weather, age: 6 * DAY },
    '019cb2f1-two': {
      log: talk('two', 'Try the same with Temporal instead.', fork).assistant('a1', 'Yes.', usage(2130, 0.038)),
      age: 3 * HOUR,
    },
    '019cbd02-three': {
      log: talk('three', 'Which port is closest to Bremen?', tides).assistant('a1', 'Brake.', usage(41_200, 1.27)),
      age: 2 * DAY,
      folder: '--home-ada-tides--',
    },
    '019c8a77-four': { log: talk('four', 'What is in this folder?', { cwd: '/home/ada' }), age: 30 * DAY },
  });
}
