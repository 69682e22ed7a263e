import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reporters } from '#cli/commands/check/reporters/index.js';
import { schemas } from '#cli/schemas.js';
import { damaged } from '../../fixtures/damaged.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const CLEAN = new Log('clean').twoTurns().text();
const ORPHAN = damaged['damaged/orphan.jsonl']!;
const DANGLING = damaged['damaged/dangling-label.jsonl']!;
const FILES = { 'all/clean.jsonl': CLEAN, 'all/bad.jsonl': ORPHAN, 'all/mild.jsonl': DANGLING };

/** Only rules that say the same of these files whatever other rules there are. */
const RULES = ['--rules', 'file,tree'];

function check(argv: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(['check', ...RULES, ...argv], { files: FILES, columns: Infinity, ...world });
}

async function report(argv: readonly string[], world: World = {}): Promise<ReturnType<typeof schemas.check.parse>> {
  return schemas.check.parse(JSON.parse((await check([...argv, '--json'], world)).stdout));
}

async function names(argv: readonly string[], world: World = {}): Promise<readonly string[]> {
  return (await report(argv, world)).files.map(({ file }) => file);
}

describe('ctx check', () => {
  it.each([
    [['all/clean.jsonl'], 0],
    [['all/mild.jsonl'], 0],
    [['all/mild.jsonl', '--max-warnings', '1'], 0],
    [['all/mild.jsonl', '--max-warnings', '0'], 1],
    [['all/bad.jsonl'], 1],
    [['all'], 1],
    [['all/clean.jsonl', 'all/mild.jsonl', '--severity', 'error'], 0],
    [['all', '--severity', 'none'], 2],
    [['all', '--format', 'xml'], 2],
    [['all', '--json', '--format', 'junit'], 2],
    [['none.jsonl'], 3],
    [['all', 'none'], 3],
    [['all/*.json'], 3],
    [['none.jsonl', 'neither.jsonl'], 3],
    [['all/clean.jsonl', 'none.jsonl'], 1],
  ])('%j exits with %d', async (argv, exitCode) => {
    expect((await check(argv)).exitCode).toBe(exitCode);
  });

  it('says why warnings end it with 1', async () => {
    const why = 'max-warnings: 1 warning, more than the 0 allowed';
    expect((await check(['all/mild.jsonl', '--max-warnings', '0', '--json'])).stderr).toContain(why);
    expect((await check(['all/mild.jsonl', '--max-warnings', '1', '--json'])).stderr).not.toContain('max-warnings');
  });

  it('says what is wrong, where, and how many findings there are', async () => {
    const { stdout, stderr } = await check(['all']);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'all/bad.jsonl',
      expect.stringMatching(/^ {2}4 {2}u2 {2}error {4}orphan {2}its parent "gone" is not in the file/) as string,
      expect.stringContaining('→ ctx repair') as string,
      '',
      'all/mild.jsonl',
      '  6  l1  warning  dangling-label  it labels "gone", which is not in the file',
      '',
      expect.stringMatching(/^1 error, 1 warning(, 1 note)? in 2 of 3 sessions/) as string,
      '',
    ]);
  });

  it.each(reporters.map(({ name }) => name))('--format %s prints one report and nothing else', async (format) => {
    const { stdout, stderr, exitCode } = await check(['all', '--format', format]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 1 });
    expect(stdout).toContain('orphan');
    expect(stdout).toMatch(/[^\n]\n$/);
    const quiet = await check(['all', '--format', format, '--quiet']);
    expect(quiet).toMatchObject({ stdout: '', stderr: '', exitCode: 1 });
  });

  it('accounts for all bytes of files that can be read, and fails where one cannot', async () => {
    const { files, totals } = await report(['all/bad.jsonl', 'none.jsonl', 'all/clean.jsonl']);
    expect(files.map(({ file, size, bytesAccountedFor }) => [file, size === bytesAccountedFor, size > 0])).toEqual([
      ['all/bad.jsonl', true, true],
      ['none.jsonl', true, false],
      ['all/clean.jsonl', true, true],
    ]);
    expect(files[1]?.findings).toMatchObject([{ rule: 'unreadable', severity: 'error', message: 'no such file' }]);
    expect(totals).toMatchObject({ files: 3, unreadable: 1, withFindings: 2, errors: 2 });
  });

  it('reports an unreadable file in every format, and says on stderr where nothing could be read', async () => {
    for (const { name } of reporters) {
      const { stdout, stderr, exitCode } = await check(['none.jsonl', 'neither.jsonl', '--format', name]);
      expect(stdout).toContain('no such file');
      expect(stderr).toContain('none of 2 files can be read');
      expect(exitCode).toBe(3);
    }
    expect(await check(['none.jsonl'])).toMatchObject({
      stdout: '',
      stderr: 'ctx: no such file: none.jsonl: name another file\n',
    });
  });
});

describe('the files that are checked', () => {
  it.each([
    [['all'], ['all/bad.jsonl', 'all/clean.jsonl', 'all/mild.jsonl']],
    [
      ['all/mild.jsonl', 'all'],
      ['all/mild.jsonl', 'all/bad.jsonl', 'all/clean.jsonl'],
    ],
    [['all/*ean.jsonl', 'all/clean.jsonl'], ['all/clean.jsonl']],
    [['**/m*.jsonl'], ['all/mild.jsonl']],
    [
      ['all', '!all/b*.jsonl'],
      ['all/clean.jsonl', 'all/mild.jsonl'],
    ],
    [
      ['!all/b*.jsonl', 'all', '!nothing*'],
      ['all/clean.jsonl', 'all/mild.jsonl'],
    ],
    [['-'], ['-']],
  ])('%j are %j', async (argv, expected) => {
    const files = { ...FILES, 'all/notes.md': '# none', 'other/x.jsonl': CLEAN, '-': CLEAN };
    expect(await names(argv, { files })).toEqual(expected);
  });

  it('are found by a session id, and as the latest one', async () => {
    const folder = '/home/ada/.pi/agent/sessions/--home-ada-weather--';
    const files = { [`${folder}/2026-03-01_aaaa-1.jsonl`]: CLEAN, [`${folder}/2026-03-02_bbbb-1.jsonl`]: CLEAN };
    expect(await names(['aaaa'], { files })).toEqual([`${folder}/2026-03-01_aaaa-1.jsonl`]);
    expect(await names([], { files })).toEqual([`${folder}/2026-03-02_bbbb-1.jsonl`]);
  });

  it('include the latest one, which is named even if nothing is reported', async () => {
    const file = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02_bbbb-1.jsonl';
    expect((await check([], { files: { [file]: CLEAN } })).stdout).toBe(
      `${file.replace('/home/ada', '~')}\nno problems in 1 session\n`,
    );
    expect((await check(['bbbb'], { files: { [file]: CLEAN } })).stdout).toBe('no problems in 1 session\n');
  });

  it('are those of the configuration where none are named', async () => {
    const config = JSON.stringify({ files: ['all', '!all/bad.jsonl'] });
    const world = { files: { ...FILES, '/p/ctx.config.json': config }, cwd: '/p' };
    expect(await names([], world)).toEqual(['all/clean.jsonl', 'all/mild.jsonl']);
    expect(await names(['all/bad.jsonl'], world)).toEqual(['all/bad.jsonl']);
  });

  it('lead to an error where there are none', async () => {
    expect((await check(['all/*.json'])).stderr).toMatch(/^ctx: no file matches this pattern: all\/\*\.json: /);
    expect((await check(['all', '!all'])).stderr).toMatch(/^ctx: no file is left: all !all: /);
    const notes = { 'notes/a.md': '# none' };
    expect((await check(['notes'], { files: notes })).stderr).toMatch(/^ctx: no session file in this folder: notes: /);
  });
});

it('reports an unknown context window for the example of max-context-use', async () => {
  const page = readFileSync(path.join(projectFolder, 'docs/rules/max-context-use.md'), 'utf8');
  const [, example = ''] = /```jsonl\n(.*?)```/s.exec(page) ?? [];
  const config = JSON.stringify({ rules: { 'max-context-use': ['error', { percent: 80 }] } });
  const files = { 'e.jsonl': example, '/home/ada/weather/ctx.config.json': config };
  expect((await ctx(['check', 'e.jsonl'], { files })).stdout).toContain('window is unknown');
});

describe('what is shown', () => {
  it('begins with warnings, and goes down to notes when they are asked for', async () => {
    const files = { 's.jsonl': damaged['damaged/no-final-newline.jsonl']! };
    expect((await check(['s.jsonl'], { files })).stdout).toBe(
      '1 note in 1 session (--severity note shows the notes)\n',
    );
    expect((await check(['s.jsonl', '--severity', 'note'], { files })).stdout).toContain('no-final-newline');
    expect((await report(['s.jsonl'], { files })).files[0]?.findings).toHaveLength(1);
    const { files: strict, totals } = await report(['s.jsonl', '--severity', 'warning'], { files });
    expect([strict[0]?.findings, strict[0]?.counts, totals.notes]).toEqual([[], { 'no-final-newline': 1 }, 1]);
  });

  it('fits on the screen of a terminal, in colours that a pipe does not get', async () => {
    const orphans = Array.from({ length: 300 }, (_, at) =>
      JSON.stringify({ type: 'custom', id: `e${at}`, parentId: 'gone' }),
    );
    const files = { 'a.jsonl': `${CLEAN}${orphans.join('\n')}\n`, ...FILES };
    const terminal = await check(['a.jsonl', 'all'], { files, isTerminal: true, columns: 70, rows: 24 });
    const lines = terminal.stdout
      .replaceAll(/\u001b\[\d+m/g, '')
      .trimEnd()
      .split('\n');
    expect(terminal.stdout).toContain('\u001b[31m');
    expect(lines.length).toBeLessThan(24);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(70);
    expect(lines.at(-2)).toMatch(/^and \d+ more findings: --full lists all$/);
    const full = await check(['a.jsonl', 'all', '--full'], { files, isTerminal: true, columns: 200, rows: 24 });
    expect(full.stdout.match(/\d:e\d+\b/g)).toHaveLength(300);
    expect(full.stdout.split('is not in the file, so')).toHaveLength(3);
    expect(full.stdout).not.toContain('more finding');
    const pipe = await check(['a.jsonl', 'all'], { files });
    expect(pipe.stdout.match(/\d:e\d+\b/g)).toHaveLength(300);
    expect(pipe.stdout.split('is not in the file, so')).toHaveLength(3);
    expect(pipe.stdout).not.toContain('\u001b');
  });

  it('names files for CI from the folder of the repository', async () => {
    const files = { 'all/bad.jsonl': ORPHAN };
    const world = { files, cwd: '/repo/sub', env: { GITHUB_WORKSPACE: '/repo' } };
    expect((await check(['all/bad.jsonl', '--format', 'github'], world)).stdout).toMatch(
      /^::error file=sub\/all\/bad\.jsonl,/,
    );
    expect((await check(['all/bad.jsonl', '--format', 'sarif'], world)).stdout).toContain('"uri": "sub/all/bad.jsonl"');
  });

  it('is not warned of on stderr as other commands do', async () => {
    expect((await check(['all/bad.jsonl'])).stderr).toBe('');
  });
});

it('docs/use/check.md names every reporter', () => {
  const manual = readFileSync(path.join(projectFolder, 'docs/use/check.md'), 'utf8');
  expect(reporters.filter(({ name }) => !manual.includes(`\`--format ${name}\``))).toEqual([]);
});

it('explains a group by listing its rules', async () => {
  const { stdout, exitCode } = await ctx(['check', '--explain', 'secrets'], { columns: Infinity });
  expect([exitCode, stdout.split('\n').filter((line) => line !== '').length > 0]).toEqual([0, true]);
  const groups = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ +/)[0]);
  expect(new Set(groups)).toEqual(new Set(['secrets']));
});
