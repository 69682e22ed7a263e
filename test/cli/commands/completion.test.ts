import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionScripts } from '#cli/commands/completion/scripts.js';
import { parseTypedLine, quoteCandidate } from '#cli/commands/completion/typed-line.js';
import { WORD_KINDS } from '#cli/commands/completion/word-kinds.js';
import { loadCommands } from '#cli/commands/index.js';
import { Log } from '../../fixtures/log.js';
import { HEADER, label, lines, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';
import { runs } from '../../support/runs.js';
import { withProgram } from '../../support/with-program.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const sessions = '/home/ada/.pi/agent/sessions/--home-ada-weather--';
const world: World = {
  files: {
    'w.jsonl': weather,
    [`${sessions}/2026-01-01T00-00-00-000Z_aaaa1111-0000.jsonl`]: new Log('aaaa1111-0000')
      .user('u1', 'Fix the forecast')
      .text(),
    [`${sessions}/2026-01-02T00-00-00-000Z_bbbb2222-0000.jsonl`]: new Log('bbbb2222-0000')
      .user('u1', 'Tidy the \u001b[31mkitchen')
      .text(),
  },
};

/** What can stand in the place of the last word, and whether files can. */
async function completed(words: readonly string[], shell = 'zsh'): Promise<readonly string[]> {
  const { stdout, exitCode } = await ctx(['completion', shell, '--', ...words], world);
  expect(exitCode).toBe(0);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]!);
}

describe('what is completed', () => {
  it.each([
    [['sh'], ['show', ':none']],
    [['--v'], ['--version', ':none']],
    [
      ['help', 'revis'],
      ['revisions', ':none'],
    ],
    [['help', 'show', ''], [':none']],
    [['no-such-command', ''], [':none']],
    [
      ['show', '--par'],
      ['--part', ':none'],
    ],
    [
      ['show', '--part', ''],
      ['system', 'tools', 'messages', 'options', ':none'],
    ],
    [
      ['show', '--part=t'],
      ['--part=tools', ':none'],
    ],
    [
      ['log', '--type', 'co'],
      ['compaction', 'context_edit', 'context_transform', ':none'],
    ],
    [
      ['grep', 'x', '--type=comp'],
      ['--type=compaction', ':none'],
    ],
    [['show', '--full=t'], [':none']],
    [['-C', ''], [':folders']],
    [['-C', 'a', '-C', 'b'], [':folders']],
    [
      ['-C', 'a', 'sh'],
      ['show', ':none'],
    ],
    [
      ['-C', 'a', 'show', '--part=t'],
      ['--part=tools', ':none'],
    ],
    [
      ['loss', '--fail-on', 'no-summary,ed'],
      ['no-summary,edits', ':none'],
    ],
    [
      ['status', '--fail-on=r'],
      ['--fail-on=red', ':none'],
    ],
    [
      ['simulate', '--engine', 't'],
      ['turn-prune', 'three-phase', ':files'],
    ],
    [
      ['engine', 'check', 'rec'],
      ['recorded', ':files'],
    ],
    [['show', '--full', '--fu'], [':none']],
    [['log', '-n', ''], [':none']],
    [
      ['log', '--format', 'm'],
      ['markdown', ':none'],
    ],
    [
      ['check', '--format', 's'],
      ['sarif', ':none'],
    ],
    [['show', '--baseline', ''], [':files']],
    [['ls', ''], [':folders']],
    [
      ['check', '--rules', 'orphan,orph'],
      ['orphan,orphan', ':none'],
    ],
    [
      ['check', '--rules', 'orphan,sec'],
      ['orphan,secrets', ':none'],
    ],
    [
      ['check', '--explain', 'orph'],
      ['orphan', ':none'],
    ],
    [
      ['prune', '--strategy', 'thinking,ima'],
      ['thinking,images', ':none'],
    ],
    [
      ['completion', 'f'],
      ['fish', ':none'],
    ],
    [
      ['show', 'w.jsonl', '--at', 'fi'],
      ['fixed', ':none'],
    ],
    [
      ['show', 'w.jsonl', '--at=fi'],
      ['--at=fixed', ':none'],
    ],
    [
      ['show', 'w.jsonl', '--at', '@{turn:2'],
      ['@{turn:2}', ':none'],
    ],
    [
      ['show', 'w.jsonl', '--at', 'c7a'],
      ['c7a10e55', ':none'],
    ],
    [['show', '--at', 'fi'], [':none']],
    [['show', 'none.jsonl', '--at', ''], [':none']],
    [['show', '-', '--at', ''], [':none']],
    [
      ['log', 'w.jsonl', 'fixed..@{c'],
      ['fixed..@{compaction}', ':none'],
    ],
    [
      ['log', 'w.jsonl', 'fixed..HE'],
      ['fixed..HEAD', ':none'],
    ],
    [
      ['diff', 'w.jsonl@fi'],
      ['w.jsonl@fixed', ':none'],
    ],
    [
      ['diff', 'w.jsonl', 'fixed..HE'],
      ['fixed..HEAD', ':none'],
    ],
    [
      ['show', 'aa'],
      ['aaaa1111', ':files'],
    ],
    [
      ['show', 'aaaa1111-'],
      ['aaaa1111-0000', ':files'],
    ],
    [
      ['show', 'forec'],
      ['aaaa1111', ':files'],
    ],
    [
      ['show', ''],
      ['latest', 'bbbb2222', 'aaaa1111', ':files'],
    ],
    [['show', '--', '--fu'], [':files']],
  ])('%j', async (words, expected) => {
    expect(await completed(words)).toEqual(expected);
  });

  it('begins with names, labels and the newest entries of the path', async () => {
    const found = await completed(['show', 'w.jsonl', '--at', '']);
    expect(found.slice(0, 4)).toEqual(['HEAD', 'fixed', '@{compaction}', 'e0f4d7b6']);
    expect(found.length).toBeLessThan(40);
  });

  it.each([
    'gemini-cli/session.jsonl',
    'copilot-cli/events.jsonl',
    'codex/continued/rollout-2026-11-24T03-38-03-01a20ba1-cdea-7462-861f-cf712d51e24a.jsonl',
  ])('offers the compaction of another agent: %s', async (name) => {
    const session = readFileSync(path.join(projectFolder, 'fixtures/agents', name), 'utf8');
    const file = path.basename(name);
    const { stdout } = await ctx(['completion', 'zsh', '--', 'show', file, '--at', '@{comp'], {
      files: { [file]: session },
    });
    expect(stdout).toMatch(/^@\{compaction\}/);
  });

  it('offers every command and every flag of each', async () => {
    const commands = await loadCommands();
    const firsts = new Set(commands.map(({ name }) => name.replace(/ .*/, '')));
    expect((await completed([''])).slice(0, -1)).toEqual([...firsts, 'help']);
    for (const { name, flags, hasOneForm } of commands) {
      const offered = await completed([...name.split(' '), '--']);
      const shown = Object.keys(flags).filter((flag) => !flags[flag]?.isHidden);
      expect(offered).toEqual(expect.arrayContaining(shown.map((flag) => `--${flag}`)));
      if (flags['at']?.isHidden) expect(offered).not.toContain('--at');
      // A screen or a protocol has no formats.
      for (const common of [...(hasOneForm ? [] : ['--json', '--format']), '--no-pager', '--no-config', '--help'])
        expect(offered).toContain(common);
    }
  });

  it('knows what every argument can be', async () => {
    const none = ['pattern', 'sql', 'words'];
    for (const { name, args } of await loadCommands())
      for (const arg of args) if (!arg.choices) expect([...Object.keys(WORD_KINDS), ...none], name).toContain(arg.name);
  });

  it('says what each thing is, and nothing that a terminal obeys', async () => {
    const { stdout } = await ctx(['completion', 'fish', '--', 'show', ''], world);
    expect(stdout).toContain('bbbb2222\tTidy the ␛[31mkitchen\n');
  });

  it('is JSON for programs', async () => {
    const { stdout } = await ctx(['completion', 'bash', '--json', '--', 'ctx sh'], world);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'ctx/candidates',
      files: 'none',
      candidates: [{ word: 'show' }],
    });
  });

  it.each([[[]], [['tcsh']]])('refuses %j, and says which shells there are', async (words) => {
    const { exitCode, stderr } = await ctx(['completion', ...words]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/bash, zsh, fish, powershell\n$/) as string,
    });
  });
});

describe('labels that are not words', () => {
  const odd = ['two words', '$(touch evil)', "it's", '`id`', 'a;b', '{a,b}', '~', 'a\nb', '\u202edlrow', '\u001b[31m'];
  const entries = odd.flatMap((name, at) => [
    user(`u${at}`, at === 0 ? null : `u${at - 1}`),
    label(`l${at}`, `u${at}`, `u${at}`, name),
  ]);
  const files = { 'odd.jsonl': lines(HEADER, ...entries) };

  it('are quoted for bash, or left out', async () => {
    const { stdout } = await ctx(['completion', 'bash', '--', 'ctx show odd.jsonl --at '], { files });
    const words = stdout.split('\n').map((line) => line.split('\t')[0]!);
    for (const word of [
      String.raw`two\ words`,
      String.raw`\$\(touch\ evil\)`,
      String.raw`it\'s`,
      String.raw`\{a,b\}`,
      String.raw`\~`,
    ])
      expect(words).toContain(word);
    expect(stdout).not.toMatch(/dlrow|\u001b/);
  });

  it('are words that bash reads as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), (value) => {
        const word = quoteCandidate('bash', value, { words: [''], raw: '' });
        fc.pre(word !== null);
        expect(parseTypedLine('bash', [`ctx ${word}`], '/home/ada').words).toEqual([value]);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a line as bash gives it', () => {
  it.each([
    ['ctx ', ['']],
    ['ctx sh', ['sh']],
    ['ctx show ', ['show', '']],
    ['ctx show my\\ file --at ', ['show', 'my file', '--at', '']],
    [`ctx show 'my file' "a \\"b\\" $x" `, ['show', 'my file', 'a "b" $x', '']],
    ["ctx show --at 'two wo", ['show', '--at', 'two wo']],
    ["ctx show --at 'two ", ['show', '--at', 'two ']],
    ['ctx show ~/s.jsonl', ['show', '/home/ada/s.jsonl']],
    ['ctx show $(touch evil)', ['show', '$(touch', 'evil)']],
    ['ctx show a\\', ['show', 'a']],
  ])('%j', (line, words) => {
    expect(parseTypedLine('bash', [line], '/home/ada').words).toEqual(words);
  });

  it.each([
    ["'two wo", 'two words', 'two words'],
    ["'it", "it's", null],
    ["--at='@{tu", '--at=@{turn:1}', '@{turn:1}'],
    ['@{tu', '@{turn:1}', '@{turn:1}'],
  ])('behind %j, %j is %j', (raw, value, word) => {
    expect(quoteCandidate('bash', value, { words: [], raw })).toBe(word);
  });
});

describe('the script', () => {
  it('can be read by bash', () => {
    expect(spawnSync('bash', ['-n'], { input: completionScripts.bash }).status).toBe(0);
  });

  withProgram('zsh', () => {
    it('can be read by zsh', () => {
      expect(spawnSync('zsh', ['-n'], { input: completionScripts.zsh }).status).toBe(0);
    });
  });

  withProgram('fish', () => {
    it('can be read by fish', () => {
      expect(spawnSync('fish', ['-n', '-c', completionScripts.fish]).status).toBe(0);
    });
  });

  it.each(Object.entries(completionScripts))('for %s is what the command prints', async (shell, script) => {
    const { stdout } = await ctx(['completion', shell]);
    expect(stdout).toBe(script);
    // What is answered is data: none of it is run.
    expect(script).not.toMatch(/^(?!#).*\beval\b/m);
  });
});

// PowerShell itself is not run here: these tests hold the structure of its script and what the script receives.
describe('in PowerShell', () => {
  it('the script registers a completer, and evaluates nothing', () => {
    const [comment = '', ...code] = completionScripts.powershell.trimEnd().split('\n');
    expect(comment).toMatch(/^# powershell completion for ctx: /);
    expect(code[0]).toBe('Register-ArgumentCompleter -Native -CommandName ctx -ScriptBlock {');
    expect(code.at(-1)).toBe('}');
    expect(code.join('\n')).not.toMatch(/Invoke-Expression|\biex\b|\$\(|& ?\$|`/i);
  });

  it('the script has balanced brackets and quotes on every level', () => {
    const code = completionScripts.powershell.replaceAll(/^ *#.*$/gm, '').replaceAll(/'[^'\n]*'|"[^"\n]*"/g, '');
    expect(code).not.toMatch(/['"]/);
    const open: string[] = [];
    const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
    for (const mark of code.match(/[()[\]{}]/g) ?? [])
      if (closing[mark] === undefined) open.push(mark);
      else expect(open.pop()).toBe(closing[mark]);
    expect(open).toEqual([]);
  });

  it('words come after a =, also an empty one', async () => {
    const offered = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await ctx(['completion', 'powershell', '--no-config', ...words], world)).stdout.trimEnd().split('\n');
    expect((await offered('=sho')).map((line) => line.split('\t')[0])).toEqual(['show', ':none']);
    expect((await offered('=show', '=--part', '=')).map((line) => line.split('\t')[0])).toEqual([
      'system',
      'tools',
      'messages',
      'options',
      ':none',
    ]);
    expect(await offered('=show', '=w.jsonl', '=--at', '=@{comp')).toEqual([
      "'@{compaction}'\tthe latest compaction",
      ':none',
    ]);
  });

  it.each([
    ['HEAD~2', 'HEAD~2'],
    ['--part', '--part'],
    ['fixed..HEAD', 'fixed..HEAD'],
    ['@{turn:1}', "'@{turn:1}'"],
    ['two words', "'two words'"],
    ["it's", "'it''s'"],
    ['a’b', "'a’’b'"],
    ['$(touch evil)', "'$(touch evil)'"],
    ['a;b', "'a;b'"],
    ['~', "'~'"],
    ['a\nb', null],
  ])('%j is inserted as %j', (value, word) => {
    expect(quoteCandidate('powershell', value, { words: [''], raw: '' })).toBe(word);
  });
});

describe('in bash', () => {
  const program = path.join(projectFolder, 'bin/ctx.js');

  /** What bash would offer behind a line, as its own function for ctx finds it. */
  function offered(line: string): readonly string[] {
    const script = `
      ctx() { node ${program} "$@"; }
      compopt() { :; }
      eval "$(ctx completion bash)"
      complete -p ctx >/dev/null || exit 1
      COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      COMP_LINE=$1 COMP_POINT=\${#1}
      _ctx ctx
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync('bash', ['--norc', '-c', script, 'bash', line], {
      cwd: projectFolder,
      encoding: 'utf8',
    });
    return printed.trimEnd().split('\n');
  }

  it.each([
    ['ctx sho', ['show']],
    ['ctx show fixtures/weather.jsonl --at fi', ['fixed']],
    // bash takes = and @ and : for ends of words, so it is given only what comes behind them.
    ['ctx show fixtures/weather.jsonl --at=fi', ['fixed']],
    ['ctx show fixtures/weather.jsonl --at @{turn:2', ['2}']],
    ['ctx show fixtures/weather.jsonl --at @{comp', ['{compaction}']],
    ["ctx show fixtures/weather.jsonl --at '@{comp", ['@{compaction}']],
  ])('%s', (line, words) => {
    expect(offered(line)).toEqual(words);
  });
});
