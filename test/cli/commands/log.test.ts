import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { assistant, compaction, type Entry, entry, HEADER, label, lines, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const WEATHER = fixture('weather.jsonl');
const BRANCHES = fixture('branches.jsonl');

function fixture(name: string): string {
  return readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
}

function log(content: string, args: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(['log', 's.jsonl', ...args], { files: { 's.jsonl': content }, ...world });
}

async function printed(content: string, args: readonly string[], world: World = {}): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await log(content, args, world);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
}

async function data(content: string, args: readonly string[], world: World = {}): Promise<readonly Entry[]> {
  const all = await printed(content, [...args, '--json'], world);
  return all.map((text) => schemas['log-entry'].parse(JSON.parse(text)));
}

async function ids(content: string, args: readonly string[], world: World = {}): Promise<readonly string[]> {
  return printed(content, [...args, '--format', '{id}'], world);
}

function session(...entries: readonly (Entry | string)[]): string {
  return lines(HEADER, ...entries);
}

describe('ctx log', () => {
  it('shows costs at listed prices where none are recorded, which add up to those of ctx stats', async () => {
    const content = fixture('agents/codex/rollout.jsonl');
    const rows = await printed(content, ['--all'], { columns: 100 });
    const costs = rows.flatMap((row) => / ~\$(\d\.\d+) /.exec(row)?.[1] ?? []);
    const { stdout } = await ctx(['stats', 's.jsonl', '--json'], { files: { 's.jsonl': content } });
    const { usageRecorded } = schemas.stats.parse(JSON.parse(stdout));
    expect(costs).toHaveLength(usageRecorded.calls);
    expect(costs.reduce((sum, cost) => sum + Number(cost), 0)).toBeCloseTo(usageRecorded.costListed ?? 0, 3);
  });

  it.each(['agents/codex/rollout.jsonl', 'weather.jsonl'])(
    'has the costs at listed prices of %s as data and in templates, as ctx stats adds them up',
    async (name) => {
      const content = fixture(name);
      const rows = await data(content, ['--all']);
      const { stdout } = await ctx(['stats', 's.jsonl', '--json'], { files: { 's.jsonl': content } });
      const { costListed } = schemas.stats.parse(JSON.parse(stdout)).usageRecorded;
      const costs = rows.map((row) => row['costListed'] as number | null);
      expect(costs.reduce((sum: number, cost) => sum + (cost ?? 0), 0)).toBeCloseTo(costListed ?? 0, 9);
      const cells = await printed(content, ['--all', '--format', '{costListed}']);
      expect(cells).toEqual(costs.map((cost) => String(cost ?? '')));
    },
  );

  it('tells of tool results which tool they are of, and which failed', async () => {
    const rows = await data(WEATHER, ['--role', 'toolResult']);
    const printedRows = await printed(WEATHER, ['--role', 'toolResult', '--oneline']);
    expect(rows.map(({ isError }) => isError)).toEqual(
      printedRows.map((row) => /^\S+ +toolResult +failed: /.test(row)),
    );
    expect(rows.filter(({ isError }) => isError)).toMatchObject([{ entryId: '18fc6ed2', toolName: 'bash' }]);
    expect(new Set(rows.map(({ toolName }) => toolName))).toEqual(new Set(['read', 'edit', 'bash']));
    for (const row of await data(WEATHER, ['--role', 'assistant']))
      expect(row).toMatchObject({ toolName: null, isError: null });
  });

  it('lists the active path, the newest entry last', async () => {
    expect(await ids(BRANCHES, [])).toEqual(['u1', 'a1', 'b1', 'u4']);
    expect(await ids(BRANCHES, ['--reverse'])).toEqual(['u4', 'b1', 'a1', 'u1']);
  });

  it('lists all entries in file order', async () => {
    expect(await ids(BRANCHES, ['--all'])).toEqual(['u1', 'a1', 'u2', 'a2', 'l1', 'u3', 'a3', 'b1', 'u4']);
  });

  it.each([
    [['a3'], ['u1', 'a1', 'u3', 'a3']],
    [['u1..a3'], ['a1', 'u3', 'a3']],
    [['l1..a3'], ['u3', 'a3']],
    [['a3..'], ['b1', 'u4']],
    [['HEAD..HEAD'], []],
    [
      ['found it..l1', '-n', '2'],
      ['a2', 'l1'],
    ],
    [
      ['HEAD~1', '--reverse'],
      ['b1', 'a1', 'u1'],
    ],
  ])('%j', async (args, expected) => {
    expect(await ids(BRANCHES, args)).toEqual(expected);
  });

  it('takes the last ones of what is selected', async () => {
    expect(await ids(BRANCHES, ['-n', '2'])).toEqual(['b1', 'u4']);
    expect(await ids(BRANCHES, ['--last', '2', '--reverse'])).toEqual(['u4', 'b1']);
    expect(await ids(BRANCHES, ['--all', '--role', 'user', '-n2'])).toEqual(['u3', 'u4']);
    expect(await ids(BRANCHES, ['-n', '99'])).toHaveLength(4);
  });

  it('says so where nothing is left', async () => {
    expect(await printed(BRANCHES, ['--until', '2020-01-01'])).toEqual(['no entries']);
    expect(await data(BRANCHES, ['--until', '2020-01-01'])).toEqual([]);
    expect(await printed(BRANCHES, ['--type', 'label'])).toEqual(['no entries']);
    expect(await printed(BRANCHES, ['--tool', 'nosuch'])).toEqual(['no entries']);
    expect(await printed(session(), ['--role', 'user'])).toEqual(['no entries']);
  });
});

describe('filters', () => {
  it.each([
    [['--type', 'compaction'], ['af810455']],
    [
      ['--role', 'user', '-n', '3'],
      ['6379529a', '78fdbab1', '5be19c02'],
    ],
    [
      ['--tool', 'edit', '-n', '3'],
      ['d79cdaa7', '9662df4f', 'ba34a98a'],
    ],
    [
      ['--tool', 'edit', '--role', 'toolResult', '--reverse'],
      ['ba34a98a', 'd79cdaa7', '23acc365'],
    ],
    [
      ['--since', '2026-01-14T20:40:34.210Z'],
      ['5be19c02', 'e0f4d7b6'],
    ],
    [['--since', '2026-01-14T20:36:00Z', '--until', '2026-01-14T20:37:00', '--type', 'compaction'], ['af810455']],
    [['--until', '2026-01-14'], []],
  ])('%j', async (args, expected) => {
    expect(await ids(WEATHER, args)).toEqual(expected);
  });

  it('count relative times back from now', async () => {
    const now = Date.parse('2026-01-14T20:41:34.210Z');
    expect(await ids(WEATHER, ['--since', '1m'], { now })).toEqual(['5be19c02', 'e0f4d7b6']);
    expect(await ids(WEATHER, ['--since', '59s'], { now })).toEqual([]);
    expect(await ids(WEATHER, ['--until', '1d'], { now })).toEqual([]);
  });

  it('leave out an entry whose time is not known', async () => {
    const content = session(user('u1', null), { ...assistant('a1', 'u1'), timestamp: 'once' });
    expect(await ids(content, [])).toEqual(['u1', 'a1']);
    expect(await ids(content, ['--since', '2020-01-01'])).toEqual(['u1']);
  });

  it('leave the running total as it is', async () => {
    const all = await data(WEATHER, []);
    const some = await data(WEATHER, ['--role', 'assistant']);
    expect(some.length).toBeLessThan(all.length / 2);
    expect(some).toEqual(all.filter(({ role }) => role === 'assistant'));
    expect(await data(WEATHER, ['--tool', 'read', '-n', '1'])).toEqual(
      all.filter(({ entryId }) => entryId === '09ec33c9'),
    );
  });
});

describe('the numbers', () => {
  it('are estimated for the context, which falls at a compaction', async () => {
    const content = session(
      user('u1', null, 'x'.repeat(400)),
      { ...assistant('a1', 'u1'), message: { role: 'assistant', content: [{ type: 'text', text: 'y'.repeat(40) }] } },
      compaction('k1', 'a1', 'a1'),
      entry('model_change', 'm1', 'k1'),
      entry('context_edit', 'e1', 'm1', { targetId: 'a1', replacement: null }),
      user('u2', 'e1', 'z'.repeat(8)),
    );
    const found = await data(content, []);
    const summary = found[2]?.['tokensEstimated'] as number;
    expect(summary).toBeGreaterThan(20);
    // Nothing is recorded, and the model is in no measured family.
    const size = (estimate: number): number => Math.round(1.4 * estimate);
    expect(found.map(({ tokens, contextTokens }) => [tokens, contextTokens])).toEqual([
      [size(100), size(100)],
      [size(10), size(110)],
      [size(summary), size(summary + 10)],
      [null, size(summary + 10)],
      [null, size(summary)],
      [size(2), size(summary + 2)],
    ]);
    expect(new Set(found.map(({ contextTokensSource }) => contextTokensSource))).toEqual(new Set(['estimated']));
  });

  it('are those of the path that is logged', async () => {
    const found = await data(BRANCHES, ['--all']);
    const off = found.filter(({ contextTokens }) => contextTokens === null).map(({ entryId }) => entryId);
    expect(off).toEqual(['u2', 'a2', 'l1', 'u3', 'a3']);
    expect(found.filter(({ isActive }) => !isActive).map(({ entryId }) => entryId)).toEqual(off);
    const [, , u3] = await data(BRANCHES, ['a3']);
    expect(u3).toMatchObject({
      entryId: 'u3',
      isActive: false,
      contextTokens: Math.round(1.5 * (13 + (u3?.['tokensEstimated'] as number))),
    });
  });

  it('count a compaction that only repeats a transform once', async () => {
    const found = await data(fixture('mixed/dual-written.jsonl'), []);
    expect(found.filter(({ type }) => type === 'compaction').map(({ tokens }) => tokens)).toEqual([null]);
  });

  it('are recorded for what was used, also by a request that failed', async () => {
    const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 1, cost: { total: 0.0125 } };
    const answer = (id: string, rest: Entry): Entry =>
      entry('message', id, null, { message: { role: 'assistant', content: [], ...rest } });
    const content = session(
      answer('a1', { usage }),
      answer('a2', { usage: { ...usage, totalTokens: 200 }, stopReason: 'error' }),
      answer('a3', { usage: { input: 'many', cost: 3 } }),
      answer('a4', {}),
      entry('branch_summary', 'b1', null, { summary: 'so', fromId: 'a4', usage }),
    );
    const recorded = { input: 10, output: 5, cacheRead: 100, cacheWrite: 1, total: 116, cost: 0.0125 };
    expect((await data(content, ['--all'])).map((line) => line['usage'])).toEqual([
      recorded,
      { ...recorded, total: 200 },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: null },
      null,
      recorded,
    ]);
  });

  it('go on where a transform breaks a rule, with a warning', async () => {
    const { stdout, stderr, exitCode } = await log(fixture('rules/unknown-op.jsonl'), ['--json']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('patch-unknown-op');
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('contextTokens');
  });
});

describe('labels', () => {
  it('decorate the entries they stand at, the last one wins and an empty one clears', async () => {
    const content = session(
      ...TALK,
      label('l1', 'a2', 'u1', 'first'),
      label('l2', 'l1', 'u1', 'better'),
      label('l3', 'l2', 'a1', 'gone'),
      label('l4', 'l3', 'a1'),
    );
    expect((await printed(content, ['--format', '{id} {label}'])).slice(0, 3)).toEqual(['u1 better', 'a1 ', 'u2 ']);
    const [, first] = await printed(content, []);
    expect(first).toContain('[better]  question u1');
  });

  it('follow the mark of HEAD', async () => {
    const content = session(...TALK, label('l1', 'a2', 'u2', 'here'));
    const rows = await printed(content, ['--oneline']);
    expect(rows.map((text) => text.includes('← HEAD'))).toEqual([false, false, false, false, true]);
    expect(await printed(session(...TALK, label('l1', 'a2', 'l1', 'x')), ['-n1', '--oneline'])).toEqual([
      'l1        label           ← HEAD  "x" at l1',
    ]);
    expect((await printed(content, ['u2', '--oneline'])).join('\n')).not.toContain('HEAD');
  });

  it('stand at the entry that their id leads to, not at one that it hides', async () => {
    const content = session(user('u1', null, 'one'), user('u1', null, 'two'), label('l1', 'u1', 'u1', 'here'));
    const { stdout } = await log(content, ['--all', '--format', '{preview} {label}']);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['one ', 'two here']);
  });
});

describe('the columns', () => {
  const widths = [40, 50, 60, 70, 80, 90, 100, 110, 119, 120, 200];

  it.each(widths)('fit %d cells and leave room for the preview', async (columns) => {
    const [titles = '', ...rows] = await printed(WEATHER, [], { columns });
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(columns - titles.indexOf('preview')).toBeGreaterThanOrEqual(columns < 60 ? 14 : 25);
    expect(titles.includes('recorded')).toBe(columns >= 110);
    expect(titles.includes('time')).toBe(columns >= 100);
    expect(titles.includes('line')).toBe(columns >= 90);
    expect(titles.includes('cost')).toBe(columns >= 80);
    expect(titles.includes('context')).toBe(columns >= 70);
  });

  it('are all there, and nothing is cut, where a line has no end', async () => {
    const [titles, ...rows] = await printed(WEATHER, [], { columns: Infinity });
    expect(titles).toMatch(/^line +entry +name +~added +context +recorded +cost +time \(UTC\) +preview$/);
    expect(rows.join('\n')).toMatch(/ thinking_level_change .* 2026-01-14 20:36  low$/m);
    expect(rows).toHaveLength((await ids(WEATHER, [])).length);
  });

  it('have the same names at every width', async () => {
    const content = session(
      entry('thinking_level_change', 'a', null),
      entry('model_change', 'b', 'a'),
      entry('context_edit', 'c', 'b', { targetId: 'a', replacement: null }),
      entry('context_transform', 'd', 'c'),
      entry('branch_summary', 'e', 'd'),
      entry('a_type_of_another_writer', 'f', 'e'),
    );
    const namesAt = async (columns: number): Promise<readonly string[]> =>
      (await printed(content, ['--oneline'], { columns })).map((text) => text.slice(10).split(' ')[0]!);
    const types = ['thinking_level_change', 'model_change', 'context_edit', 'context_transform', 'branch_summary'];
    const names = [...types, 'a_type_of_another_writer'];
    for (const columns of [40, 60, 80, 100, 200]) expect(await namesAt(columns)).toEqual(names);
    const { stdout } = await log(content, [], { columns: 60 });
    for (const name of names) expect(stdout).toMatch(new RegExp(` ${name}( |$)`, 'm'));
  });

  it('have short names that --type takes', async () => {
    for (const [short, type] of [
      ['edit', 'context_edit'],
      ['transform', 'context_transform'],
      ['model', 'model_change'],
      ['thinking', 'thinking_level_change'],
      ['summary', 'branch_summary'],
    ] as const) {
      const found = await ids(WEATHER, ['--all', '--type', short]);
      expect(found).toEqual(await ids(WEATHER, ['--all', '--type', type]));
      expect(found, short).not.toEqual([]);
    }
  });

  it('have names that --type takes', async () => {
    for (const content of [WEATHER, BRANCHES]) {
      const names = (await printed(content, ['--all', '--format', '{name}'])).filter((name) => name !== '');
      for (const name of new Set(names)) {
        const rows = await printed(content, ['--all', '--type', name, '--format', '{name}']);
        expect(rows).toEqual(names.filter((one) => one === name));
      }
    }
  });

  it('have the tones of the tree', async () => {
    const content = session(user('u1', null), compaction('k1', 'u1', 'u1'), entry('model_change', 'm1', 'k1'));
    const { stdout } = await log(content, ['--oneline', '--color']);
    expect(stdout).toContain('\u001b[32muser ');
    expect(stdout).toContain('\u001b[33mcompaction ');
    expect(stdout).toContain('\u001b[2mmodel_change ');
  });

  it('stand in line below their titles', async () => {
    const [titles = '', ...rows] = await printed(WEATHER, [], { columns: 120 });
    const end = titles.indexOf('context') + 'context'.length;
    for (const row of rows) expect(row.slice(0, end)).toMatch(/ ~?[\d,]+$/);
  });

  it('are three on one line', async () => {
    expect(await printed(BRANCHES, ['--oneline'])).toEqual([
      'u1        user            Which file formats dates?',
      'a1        assistant       [found it]  src/forecast.js does.',
      'b1        branch_summary  The file imports nothing.',
      'u4        user            ← HEAD  Then change it.',
    ]);
  });

  it('become a list in Markdown', async () => {
    const [first] = await printed(BRANCHES, ['--format', 'markdown']);
    expect(first).toBe('- `u1` user 11 ~10 Which file formats dates?');
  });

  it('hold nothing that a terminal would obey', async () => {
    const content = session(
      user('u\u001b[1m', null, 'red\u001b[31m\nnext'),
      label('l1', 'x', 'u\u001b[1m', 'a\u001bb'),
    );
    for (const args of [['--all'], ['--all', '--format', '{id} {label} {preview}'], ['--graph'], ['--all', '--json']]) {
      const { stdout } = await log(content, args);
      expect(stdout, args.join(' ')).not.toContain('\u001b');
    }
  });
});

describe('--graph', () => {
  it('draws the branches of the whole file', async () => {
    const drawn = await printed(BRANCHES, ['--graph', '--oneline']);
    expect(drawn.map((text) => text.slice(0, 7))).toEqual([
      '●    u1',
      '●    a1',
      '├─○  u2',
      '│ ○  a2',
      '│ ○  l1',
      '├─○  u3',
      '│ ○  a3',
      '●    b1',
      '●    u4',
    ]);
  });

  it('draws only what is selected', async () => {
    expect(await printed(BRANCHES, ['a3', '--graph', '--oneline'])).toEqual([
      '●  u1        user            Which file formats dates?',
      '●  a1        assistant       [found it]  src/forecast.js does.',
      '○  u3        user            What does it import?',
      '○  a3        assistant       Nothing.',
    ]);
    const some = await printed(BRANCHES, ['--graph', '--oneline', '--role', 'user', '-n', '2']);
    expect(some.map((text) => text.slice(0, 7))).toEqual(['├─○  u3', '●    u4']);
  });
});

describe('a template', () => {
  it('prints its placeholders, tabs and newlines', async () => {
    expect(
      await printed(BRANCHES, [
        '-n',
        '1',
        '--format',
        '{line}\\t{id}|{type}|{role}|{name}|{tokens}|{context}\\n{time}',
      ]),
    ).toEqual(['10\tu4|message|user|user|6|72', '2026-03-02T09:09:00.000Z']);
    expect(await printed(WEATHER, ['21635a4e', '-n', '1', '--format', '{recorded} {cost} {label}\\\\t {'])).toEqual([
      '1994 0.00126105 \\t {',
    ]);
  });

  it('is printed whole, on one line for each entry', async () => {
    const content = session(user('u1', null, `${'w'.repeat(200)}\nand\tmore`));
    const [only, ...rest] = await printed(content, ['--format', '{preview}'], { columns: 20 });
    expect(only).toBe(`${'w'.repeat(200)} ⏎ and more`);
    expect(rest).toEqual([]);
  });

  it('is refused where a placeholder is not known', async () => {
    const { stderr, exitCode } = await log(BRANCHES, ['--format', '{id} {sha}']);
    expect({ stderr, exitCode }).toEqual({
      stderr:
        'ctx: there is no placeholder "{sha}": choose from {id} {line} {type} {role} {name} {tokens} {context} {recorded} {cost} {costListed} {time} {label} {preview}\n',
      exitCode: 2,
    });
  });

  it('is taken by no other command, and a format that is neither is refused', async () => {
    const files = { 's.jsonl': BRANCHES };
    for (const argv of [
      ['show', 's.jsonl', '--format', '{id}'],
      ['log', 's.jsonl', '--format', 'yaml'],
    ]) {
      const { stderr, exitCode } = await ctx(argv, { files });
      expect({ argv, exitCode }).toEqual({ argv, exitCode: 2 });
      expect(stderr).toContain('text, markdown, json');
    }
  });

  it('is shown to who writes one of git', async () => {
    const { stderr, exitCode } = await log(BRANCHES, ['--format', '%h %s']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`"%h %s" is neither a format nor a template`);
    expect(stderr).toContain(`a template with {braces}, such as '{id} {preview}'`);
  });
});

describe('a command line that contradicts itself', () => {
  it.each([
    [['--graph', '--json'], '--graph and --format json cannot be used together'],
    [['--oneline', '--format', '{id}'], '--oneline and --format TEMPLATE cannot be used together'],
    [['--graph', '--reverse'], '--graph and --reverse cannot be used together'],
    [['HEAD~1', '--all'], '--all and [range] cannot be used together'],
    [['--since', 'yesterday'], 'invalid value "yesterday" for TIME'],
    [['nowhere..'], 'no revision "nowhere"'],
    [['-n', 'x'], 'invalid value "x" for N'],
    [['-n', '0'], 'invalid value "0" for N: --max: write 1 or more'],
    [['-5'], 'write -n 5'],
    [['--type', 'foo'], 'no entry has the type "foo": the types of the session: branch_summary, label, message'],
    [['--role', 'tool', '--json'], 'the roles of the session: assistant, user'],
    [['--role', 'label'], 'use --type label, since it is a type; the roles of the session: assistant, user'],
  ])('%j is refused', async (args, message) => {
    const { stderr, stdout, exitCode } = await log(BRANCHES, args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
  });
});
