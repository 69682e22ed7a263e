import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { Log } from '../../fixtures/log.js';
import { sourceOf } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { generateSession, type Shape } from '../../support/generate.js';
import { hurryPatterns } from '../../support/hurried.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { isWhole, runs } from '../../support/runs.js';

const WEATHER = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

function grep(args: readonly string[], session: string, world: World = {}): Promise<Ran> {
  return ctx(['grep', ...args, 's.jsonl'], { ...world, files: { 's.jsonl': session } });
}

async function matches(args: readonly string[], session: string): Promise<readonly JsonOf<'grep-match'>[]> {
  const { stdout, exitCode } = await grep([...args, '--json'], session);
  const found = stdout === '' ? [] : stdout.trimEnd().split('\n');
  expect(exitCode).toBe(found.length > 0 ? 0 : 1);
  return found.map((line) => JSON.parse(line) as JsonOf<'grep-match'>);
}

/** `u1 content`, `k1 summary`: what was found where. */
async function where(args: readonly string[], session: string): Promise<readonly string[]> {
  return (await matches(args, session)).map(({ entryId, name, place }) => `${entryId ?? name} ${place}`);
}

const EDITED = new Log('edited')
  .user('u1', 'needle one')
  .tool('t1', 'bash', { command: 'needle --in hay' }, 'first line\nneedle in a log\nlast line')
  .entry('e1', 'context_edit', { targetId: 't1r', replacement: { content: 'last line' } })
  .user('u2', 'needle two')
  .entry('e2', 'context_edit', { targetId: 'u2', replacement: null })
  .message('x1', { role: 'bashExecution', command: 'find needle', output: 'hay\nneedle', excludeFromContext: true })
  .message('x2', { role: 'bashExecution', command: 'find a needle', output: 'needle\nhay', exitCode: 1 })
  .text();

/** A terminal's output without its last line, which tells what was searched. */
function withoutSearched(stdout: string): string {
  expect(stdout).toMatch(/(?:^|\n)searched [^\n]*(?:\n {2}[^\n]*)*\n$/);
  return stdout.replace(/(^|\n)searched [^\n]*(?:\n {2}[^\n]*)*\n$/, '$1');
}

describe('ctx grep on a terminal', () => {
  const shown = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await grep([...args, '--no-color'], EDITED, { isTerminal: true, columns: 80 });
    return withoutSearched(stdout);
  };

  it('prints a match on its own line, below the entry that has it', async () => {
    const [entry, match] = (await shown('needle one')).split('\n');
    expect([entry?.trimEnd(), match]).toEqual(['u1           2  user        content', '   1: needle one']);
  });

  it('prints the entry once for several lines of a text', async () => {
    const text = new Log('lines').user('u1', 'needle\nhay\nneedle').text();
    const { stdout } = await grep(['needle', '--no-color'], text, { isTerminal: true });
    expect(withoutSearched(stdout).split('\n').slice(1)).toEqual(['   1: needle', '   3: needle', '']);
  });

  it('counts what the model does not see, and names what hides it', async () => {
    expect(await shown('in a log')).toBe('no match in the context; 1 match is hidden by an edit: --where hidden\n');
    expect(await shown('^needle')).toContain('\n3 more matches are hidden from the model: --where hidden\n');
    for (const args of [
      ['^needle', '--max', '1'],
      ['^needle', '--where', 'path'],
      ['hay', '--where', 'hidden'],
    ])
      expect(await shown(...args)).not.toContain('--where hidden');
    expect((await grep(['in a log'], EDITED)).stdout).toBe('');
  });

  it('takes the short name of a type', async () => {
    expect(await matches(['needle', '--where', 'all', '--type', 'edit'], EDITED)).toEqual(
      await matches(['needle', '--where', 'all', '--type', 'context_edit'], EDITED),
    );
  });
});

describe('ctx grep', () => {
  it('searches what the model sees, unless told otherwise', async () => {
    expect(await where(['needle'], EDITED)).toEqual([
      'u1 content',
      't1 content[0].arguments.command',
      'x2 content[0].text',
      'x2 content[0].text',
    ]);
    expect(await where(['needle', '--where', 'path'], EDITED)).toEqual([
      'u1 content',
      't1 content[0].arguments.command',
      't1r content[0].text',
      'u2 content',
      'x1 command',
      'x1 output',
      'x2 command',
      'x2 output',
    ]);
  });

  it('finds what is out of sight, and of a changed message only what is gone', async () => {
    expect(await where(['needle', '--where', 'hidden'], EDITED)).toEqual([
      't1r content[0].text',
      'u2 content',
      'x1 command',
      'x1 output',
    ]);
    expect(await where(['line', '--where', 'hidden'], EDITED)).toEqual(['t1r content[0].text']);
  });

  it('tells of each match whether the model sees it', async () => {
    const seen = (await matches(['needle', '--where', 'path'], EDITED)).map(({ isVisible }) => isVisible);
    expect(seen).toEqual([true, true, false, false, false, false, true, true]);
    const labelled = new Log('labelled').user('u1', 'a').entry('l1', 'label', { targetId: 'u1', label: 'a' }).text();
    expect(await matches(['a', '--where', 'all'], labelled)).toMatchObject([{ isVisible: true }, { isVisible: false }]);
  });

  it('looks at the context of any entry', async () => {
    expect(await where(['needle two', '--at', 'u2'], EDITED)).toEqual(['u2 content']);
    expect(await where(['needle', '--at', 'u1', '--where', 'path'], EDITED)).toEqual(['u1 content']);
    expect(await where(['needle', '--at', 'u2', '--where', 'hidden'], EDITED)).toEqual(['t1r content[0].text']);
  });

  it('knows summaries that are in force from those that are not', async () => {
    const log = new Log('twice')
      .user('u1', 'hay')
      .compaction('k1', 'an old needle', 'u1')
      .user('u2', 'more hay')
      .compaction('k2', 'a new needle', 'u2')
      .text();
    expect(await where(['needle'], log)).toEqual(['k2 content[0].text']);
    expect(await where(['needle', '--where', 'hidden'], log)).toEqual(['k1 summary']);
    expect(await where(['hay', '--where', 'hidden'], log)).toEqual(['u1 content']);
  });

  it('searches prompts and tools, in force and replaced', async () => {
    const log = new Log('prompt')
      .message('s1', {
        role: 'system',
        content: '',
        sections: { rules: 'Find needles.', plan: 'A needle a day.' },
        toolsAdded: [{ name: 'needle', description: 'Finds needles', parameters: {} }],
      })
      .message('s2', { role: 'system', content: '', sections: { rules: 'Rest.' } })
      .user('u1', 'hi')
      .text();
    expect(await where(['needle'], log)).toEqual(['s1 plan', 's1 needle.name', 's1 needle.description']);
    expect(await where(['needle', '--where', 'hidden'], log)).toEqual(['s1 sections.rules']);
  });

  it('names what hid a match', async () => {
    const by = async (args: readonly string[], session: string): Promise<unknown> =>
      (await matches(args, session)).map(({ entryId, hiddenBy }) => [entryId, hiddenBy && Object.values(hiddenBy)]);
    expect(await by(['needle', '--where', 'path'], EDITED)).toEqual([
      ['u1', null],
      ['t1', null],
      ['t1r', ['e1', 'context_edit']],
      ['u2', ['e2', 'context_edit']],
      ['x1', null],
      ['x1', null],
      ['x2', null],
      ['x2', null],
    ]);
    const twice = new Log('twice')
      .user('u1', 'needle')
      .user('u2', 'needle')
      .compaction('k1', 'an old needle', 'u2')
      .edit('e1', 'u1', null)
      .compaction('k2', 'hay', 'e1')
      .text();
    expect(await by(['needle', '--where', 'hidden'], twice)).toEqual([
      ['u1', ['k1', 'compaction']],
      ['u2', ['k2', 'compaction']],
      ['k1', ['k2', 'compaction']],
    ]);
    const transformed = new Log('transformed')
      .user('u1', 'needle')
      .transform('t1', 'prune', [
        { op: 'messages_cached_replace', messages: [], scope: 'cached', invalidateCacheReason: 'room' },
      ])
      .text();
    expect(await by(['needle', '--where', 'all'], transformed)).toEqual([['u1', ['t1', 'context_transform']]]);
  });

  it('says above the lines what hid them, once for those below one another', async () => {
    const { stdout } = await grep(['needle', '--where', 'hidden'], EDITED);
    expect(stdout.split('\n').map((line) => line.replace(/ {2,}.*/, ''))).toEqual([
      'entry',
      'hidden by e1 (context_edit)',
      't1r',
      'hidden by e2 (context_edit)',
      'u2',
      'hidden by no entry',
      'x1',
      'x1',
      '',
    ]);
  });

  it('names the entry that declared a part or tool', async () => {
    const log = new Log('declared')
      .message('s1', {
        role: 'system',
        content: 'one',
        sections: { rules: 'needle' },
        toolsAdded: [{ name: 'dig', description: 'hay', parameters: {} }],
      })
      .message('s2', { role: 'system', content: 'needle two' })
      .user('u1', 'hi')
      .transform('t1', 'more', [
        { op: 'system_part_set', partName: 'extra', text: 'a\nneedle', scope: 'cached', invalidateCacheReason: 'new' },
      ])
      .text();
    const found = async (...args: string[]): Promise<unknown> =>
      (await matches(args, log)).map(({ entryId, line, type, part }) => [entryId, line, type, part]);
    expect(await found('needle|hay')).toEqual([
      ['s2', 3, 'message', 'content'],
      ['s1', 2, 'message', 'rules'],
      ['t1', 5, 'context_transform', 'extra'],
      ['s1', 2, 'message', 'dig'],
    ]);
    expect(await found('needle', '--type', 'context_transform')).toEqual([['t1', 5, 'context_transform', 'extra']]);
    const { stdout } = await grep(['needle|hay', '-c'], log);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      '1  s2           3  system content',
      '1  s1           2  system rules',
      '1  t1           5  system extra',
      '1  s1           2  tool dig',
      '4 matches in 4 places',
      '',
    ]);
  });

  it('keeps its columns below their titles, however long a file or a name is', async () => {
    let log = new Log('wide').raw('\n'.repeat(12_000));
    for (const id of ['u1', 'u2']) log = log.user(id, 'needle');
    const { stdout } = await grep(['needle'], log.message('x', { role: 'bashExecution', command: 'needle' }).text());
    const [titles = '', ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.indexOf('user'))).toEqual([titles.indexOf('name'), titles.indexOf('name'), -1]);
    expect(rows[0]).toMatch(/^u1 +12003 {2}user {8}content {10}needle$/);
    expect(titles.indexOf('text')).toBe(rows[0]?.indexOf('needle'));
  });

  it('prints a line once, however often it matches', async () => {
    const log = new Log('often').user('u1', 'a b a b a\nb').text();
    const { stdout } = await grep(['a', '--color'], log);
    const strong = '\u001b[1ma\u001b[22m';
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain(`${strong} b ${strong} b ${strong}`);
    expect(await matches(['a'], log)).toHaveLength(3);
  });

  it('prints lines around matches once, and a mark where some are left out', async () => {
    const log = new Log('around').user('u1', '1\nx 2\n3\nx 4\n5\n6\n7\n8\nx 9').user('u2', 'x').text();
    const { stdout } = await grep(['x', '-C', '1'], log, { columns: 200 });
    expect(stdout).toBe(
      [
        'entry     line  name        place',
        'u1           2  user        content',
        '   1- 1',
        '   2: x 2',
        '   3- 3',
        '   4: x 4',
        '   5- 5',
        '--',
        '   8- 8',
        '   9: x 9',
        '--',
        'u2           3  user        content',
        '   1: x',
        '',
      ].join('\n'),
    );
  });

  it('cuts a very long line around its first match where nothing limits the output', async () => {
    const world = { columns: Infinity };
    const long = new Log('long').user('u1', `${'a '.repeat(500_000)}needle ${'b '.repeat(500_000)}`).text();
    for (const flags of [[], ['-C', '1']]) {
      const { stdout } = await grep(['needle', ...flags], long, world);
      expect(stdout).toContain('a needle b');
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThan(500);
    }
    expect((await grep(['^.*$'], long, world)).stdout.length).toBeLessThan(500);
    const line = `${'a '.repeat(200)}needle ${'b '.repeat(200)}`.trimEnd();
    expect((await grep(['needle'], new Log('short').user('u1', line).text(), world)).stdout).toContain(line);
  });

  it('takes the pattern as grep does, too', async () => {
    const files = { 's.jsonl': EDITED };
    const expected = (await ctx(['grep', 'needle t', 's.jsonl'], { files })).stdout;
    expect(await ctx(['grep', '-e', 'needle t', 's.jsonl'], { files })).toMatchObject({ stdout: expected });
    expect(await ctx(['grep', '-e', 'x', 's.jsonl', 's.jsonl'], { files })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('a revision is expected after the session, and this is a file: s.jsonl'),
    });
  });

  it.each([[['s.jsonl', 'needle']], [['s.jsonl']]])('%j: the pattern comes first', async (args) => {
    const { exitCode, stderr } = await ctx(['grep', ...args], { files: { 's.jsonl': EDITED } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the pattern comes first')]);
  });

  it('searches other branches only where all is asked for', async () => {
    const log = new Log('forked').user('u1', 'hay').user('u2', 'needle').from('u1').user('u3', 'hay').text();
    expect(await where(['needle', '--where', 'path'], log)).toEqual([]);
    expect(await where(['needle', '--where', 'hidden'], log)).toEqual([]);
    expect(await matches(['needle', '--where', 'all'], log)).toMatchObject([{ entryId: 'u2', isVisible: false }]);
  });

  it.each([
    [
      ['--role', 'user'],
      ['u1 content', 'u2 content'],
    ],
    [['--type', 'context_edit'], []],
    [
      ['--tool', 'bash'],
      ['t1 content[0].arguments.command', 't1r content[0].text'],
    ],
    [['--tool', 'bash', '--role', 'toolResult'], ['t1r content[0].text']],
    [
      ['--max', '2'],
      ['u1 content', 't1 content[0].arguments.command'],
    ],
    [['-m', '1'], ['u1 content']],
  ])('%j selects', async (flags, expected) => {
    expect(await where(['needle', '--where', 'path', ...flags], EDITED)).toEqual(expected);
  });

  it('reads patterns as they are asked for', async () => {
    const log = new Log('patterns').user('u1', 'A.b axb\nnaïve 🙂').text();
    const text = async (...args: string[]): Promise<readonly string[]> =>
      (await matches(args, log)).map(({ text: line, start, end }) => line.slice(start, end));
    expect(await text('a.b')).toEqual(['axb']);
    expect(await text('a.b', '-i')).toEqual(['A.b', 'axb']);
    expect(await text('-F', 'a.b')).toEqual([]);
    expect(await text('--fixed', '--ignore-case', 'a.b')).toEqual(['A.b']);
    expect(await text('^.*ï.* .$')).toEqual(['naïve 🙂']);
    expect(await text('NAÏVE', '-i')).toEqual(['naïve']);
  });

  it('finds literal text however JSON writes it', async () => {
    const log = new Log('escapes').raw(
      '{"type":"message","id":"u1","parentId":null,"message":{"role":"user","content":"n\\u0065edle"}}',
    );
    expect(await where(['needle', '--where', 'all'], log.text())).toEqual(['u1 content']);
    const long = new Log('long').user('u1', `${'x'.repeat(300_000)} needle`).text();
    expect(await where(['needle', '--where', 'all'], long)).toEqual(['u1 content']);
  });

  it('prints a line for each line that matches, below titles', async () => {
    const { stdout } = await grep(['needle'], EDITED);
    expect(stdout).toBe(
      [
        'entry     line  name        place            text',
        'u1           2  user        content          needle one',
        't1           3  assistant   content[0].arguments.command  needle --in hay',
        'x2           9  bashExecution  content[0].text               Ran `find a needle`',
        'x2           9  bashExecution  content[0].text               needle',
        '',
      ].join('\n'),
    );
  });

  it('keeps the match in sight on a line of any length and a terminal of any width', async () => {
    for (const before of [
      'word '.repeat(30),
      '日本語'.repeat(40),
      '\u202e'.repeat(50),
      ' '.repeat(90),
      '',
      'x'.repeat(5000),
    ]) {
      const log = new Log('long').user('u1', `${before}needle ${'after '.repeat(50)}`).text();
      for (const columns of [30, 40, 80, 200, Infinity]) {
        const { stdout } = await grep(['needle'], log, { columns });
        expect(stdout, `${before.slice(0, 5)} in ${columns}`).toContain('needle');
        expect(stdout.trimEnd().split('\n')).toHaveLength(2);
      }
    }
  });

  it('prints what a terminal would obey as signs', async () => {
    const { stdout } = await grep(
      ['red', '-C', '1'],
      new Log('red').user('u1', '\u001b[2J\n\u001b[31mred\r\u0007').text(),
    );
    expect(stdout).toContain('␛[31mred');
    expect(stdout).not.toMatch(/[\u0007\u001b\r]/);
  });

  it('emphasises the match', async () => {
    const { stdout } = await grep(['two', '--color'], new Log('tone').user('u1', 'one two three').text());
    expect(stdout).toContain('one \u001b[1mtwo\u001b[22m three');
  });

  it('prints the lines around a match', async () => {
    const { stdout } = await grep(['log', '-C', '1', '--where', 'path'], EDITED);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'entry     line  name        place',
      't1r          4  toolResult  content[0].text',
      '1- first line',
      '2: needle in a log',
      '3- last line',
      '',
    ]);
    expect(await matches(['log', '--context', '1', '--where', 'path'], EDITED)).toMatchObject([
      { before: ['first line'], after: ['last line'], lineInText: 2 },
    ]);
  });

  it('counts', async () => {
    const { stdout } = await grep(['needle', '-c', '--where', 'path'], EDITED);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('8 matches in 6 places');
    const json = await grep(['needle', '--count', '--json', '--where', 'path'], EDITED);
    const counted = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonOf<'grep-count'>);
    expect(counted.map(({ entryId, matches: many }) => [entryId, many])).toEqual([
      ['u1', 1],
      ['t1', 1],
      ['t1r', 1],
      ['u2', 1],
      ['x1', 2],
      ['x2', 2],
    ]);
    expect(await grep(['none', '-c'], EDITED)).toMatchObject({ exitCode: 1, stdout: '0 matches in 0 places\n' });
  });

  it.each([
    [['('], 'is not a valid regular expression'],
    [['('], 'Unterminated group: repair'],
    [['x', '--max', '0'], 'invalid value "0" for N: --max: write 1 or more'],
    [['x', '-c', '-C', '1'], '--context and --count cannot be used together'],
    [['x', '--at', 'nowhere'], 'no revision'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stderr } = await grep(args, EDITED);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('needs a pattern', async () => {
    expect(await ctx(['grep'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('there is no pattern') });
  });

  it('says where it searched if nothing was found, and keeps standard output empty', async () => {
    const ran = await grep(['nothing like it'], WEATHER);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toBe(
      "ctx: no match; searched the context of s.jsonl; next: --where hidden, --where all, all sessions: ctx grep 'nothing like it' all\n",
    );
    const all = await grep(['-F', '-i', 'no)', '--where', 'all'], WEATHER);
    expect(all.stderr).toBe(
      "ctx: no match; searched all entries of s.jsonl; next: all sessions: ctx grep -F -i 'no)' all\n",
    );
    expect((await grep(['isoDate'], WEATHER)).stderr).toBe('');
  });

  it('says on a terminal what was searched, after the matches', async () => {
    const { stdout, stderr } = await grep(['needle'], EDITED, { isTerminal: true, columns: 200 });
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('searched the context of s.jsonl; next: --where hidden');
    expect(stderr).toBe('');
    expect((await grep(['needle', '--json'], EDITED, { isTerminal: true })).stdout).not.toContain('searched');
  });

  it('exits with 1 if nothing was found', async () => {
    expect(await grep(['x'], new Log('none').text())).toMatchObject({ exitCode: 1, stdout: '' });
  });

  it('searches what is stored also where it cannot be replayed', async () => {
    const broken = new Log('broken')
      .user('u1', 'needle')
      .entry('t1', 'context_transform', { schemaVersion: 9, transformerName: 'x', patch: [] })
      .text();
    expect((await grep(['needle'], broken)).exitCode).toBe(3);
    expect(await matches(['needle', '--where', 'path'], broken)).toMatchObject([{ entryId: 'u1', isVisible: null }]);
    expect(await where(['needle', '--lenient'], broken)).toEqual(['u1 content']);
  });

  it('keeps to its schemas', async () => {
    for (const [flags, schema] of [
      [['-C', '2'], schemas['grep-match']],
      [['--where', 'all'], schemas['grep-match']],
      [['--where', 'hidden', '--count'], schemas['grep-count']],
    ] as const) {
      const { stdout } = await grep(['e', '--json', ...flags], WEATHER);
      for (const line of stdout.trimEnd().split('\n'))
        expect(schema.safeParse(JSON.parse(line))).toMatchObject({ success: true });
    }
  });
});

describe('a pattern that may take exponential time', () => {
  const HOSTILE = new Log('hostile').user('u1', `${'a'.repeat(60)}!`).text();

  hurryPatterns();

  it.each([
    ['grep', ['(a+)+$', 's.jsonl', '--where', 'all'], 'the pattern'],
    ['show', ['s.jsonl', '--grep', '(a+)+$'], '--grep'],
  ])('is refused by %s at the time limit', async (command, args, what) => {
    const { exitCode, stderr } = await ctx([command, ...args], { files: { 's.jsonl': HOSTILE } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${what} exceeded the time limit`);
    expect(stderr).toContain('rewrite it with fewer repetitions');
  });
});

describe('a pattern of letters alone', () => {
  it('finds what one with a group finds, in long texts and many', async () => {
    const log = new Log('long');
    for (let at = 0; at < 5; at += 1) log.user(`u${at}`, `${'x'.repeat(300_000)}${'\nab ab'.repeat(800)}`);
    const places = async (pattern: string): Promise<unknown> =>
      (await matches([pattern, '--where', 'all'], log.text())).map(({ entryId, start, lineInText }) => [
        entryId,
        start,
        lineInText,
      ]);
    const found = await places('(a)b');
    expect(found).toHaveLength(8000);
    expect(found).toEqual(await places('ab'));
  });
});

describe('what is found in generated sessions', () => {
  const shapes = fc.record<Shape>({
    seed: fc.nat(1_000_000),
    entries: fc.integer({ min: 1, max: 60 }),
    odd: fc.constantFrom(0, 0, 0.3),
    transforms: fc.constantFrom(0, 0.15, 0.4),
    compactions: fc.constantFrom(0, 0.05, 0.2),
    edits: fc.constantFrom(0.08, 0.3),
  });
  const find = (pattern: string, place: string, session: string): Promise<readonly JsonOf<'grep-match'>[]> =>
    matches([pattern, '--where', place, '--lenient'], session);

  it('matches the pattern at the place that is named', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.constantFrom('the', '日本', '[a-z]+\\.ts', '🙂|𝒳', '.'), async (shape, pattern) => {
        const session = generateSession(shape);
        for (const place of ['context', 'path', 'all', 'hidden'])
          for (const { text, start, end } of await find(pattern, place, session))
            expect(text.slice(start, end)).toMatch(new RegExp(`^(?:${pattern})$`, 'u'));
      }),
      { numRuns: runs(30) },
    );
  });

  const isForModel = ({ type, place }: JsonOf<'grep-match'>): boolean =>
    (type === 'message' || type === 'custom_message' || type === 'branch_summary') &&
    /^(?:content|toolName|sections|toolsAdded|summary|command|output)\b/.test(place);
  const key = ({ line, place, lineInText }: JsonOf<'grep-match'>): string => `${line} ${place} ${lineInText}`;

  it('is in the context or hidden, and never both', async () => {
    let hiddenOnes = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = generateSession(shape);
        const [context, stored, hidden] = await Promise.all(
          ['context', 'path', 'hidden'].map((place) => find('[^]*', place, session)),
        );
        const hiddenKeys = new Set(hidden!.map(key));
        hiddenOnes += hiddenKeys.size;
        const pathKeys = new Set(stored!.map(key));
        expect(hidden!.filter((match) => !pathKeys.has(key(match)))).toEqual([]);
        for (const match of stored!.filter(isForModel)) {
          const isSeen = context!.some(
            ({ line, text, part }) =>
              (match.role === 'system' ? part !== null : line === match.line) &&
              (match.text === '' ? text === '' : text.includes(match.text)),
          );
          expect({ ...match, isHidden: hiddenKeys.has(key(match)) }).toEqual({
            ...match,
            isVisible: isSeen,
            isHidden: !isSeen,
          });
        }
      }),
      { numRuns: runs(100) },
    );
    expect(hiddenOnes).toBeGreaterThan(runs(100));
  });

  it('is hidden by the entry after which it was not seen any more', async () => {
    const causes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = generateSession({ ...shape, odd: 0, entries: Math.min(shape.entries ?? 0, 30) });
        const hidden = (await find('\\S.*', 'hidden', session)).slice(0, 40);
        const ids = pathOf(session);
        const hiddenAt = new Map<string, Set<string>>();
        for (const id of ids) {
          const found = await matches(['\\S.*', '--where', 'hidden', '--lenient', '--at', id], session);
          hiddenAt.set(id, new Set(found.map(key)));
        }
        const isHiddenAt = (match: JsonOf<'grep-match'>, id: string | undefined): boolean =>
          hiddenAt.get(id ?? '')!.has(key(match));
        // The text of a summary may come back in another one, and a transform repeats what entries say; a prompt that
        // both system messages and transforms declare is told apart only roughly.
        const isTold = ({ type, role }: JsonOf<'grep-match'>): boolean =>
          type !== 'context_transform' && type !== 'compaction' && role !== 'system';
        for (const match of hidden.filter(isTold)) {
          const own = ids.indexOf(match.entryId!);
          const seenLast = ids.findLastIndex((id, at) => at >= own && !isHiddenAt(match, id));
          // The text of an edit that does nothing may also stand in what it was to replace.
          if (seenLast === -1 && match.type === 'context_edit') continue;
          const expected = seenLast === -1 ? null : ids[seenLast + 1];
          expect({ ...match, by: match.hiddenBy?.entryId ?? null }).toEqual({ ...match, by: expected });
          const cause = match.hiddenBy?.type ?? 'none';
          causes.set(cause, (causes.get(cause) ?? 0) + 1);
        }
      }),
      { numRuns: runs(60) },
    );
    const needed = isWhole ? ['compaction', 'context_edit', 'context_transform', 'none'] : [];
    for (const cause of needed) expect([cause, (causes.get(cause) ?? 0) > 0]).toEqual([cause, true]);
  });

  it('is not less for text that is looked for in the bytes first', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.constantFrom('the', 'fix', 'code'), async (shape, word) => {
        const session = generateSession(shape);
        expect(await find(word, 'all', session)).toEqual(await find(`(?:${word})`, 'all', session));
      }),
      { numRuns: runs(20) },
    );
  });
});

/** The ids of the active path, from the root. */
function pathOf(session: string): readonly string[] {
  const { tree } = readSession(sourceOf(session), 's.jsonl');
  return tree.leaf ? pathTo(tree, tree.leaf).map(({ id }) => String(id)) : [];
}
