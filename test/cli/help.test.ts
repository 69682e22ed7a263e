import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '#base/errors.js';
import { loadCommands } from '#cli/commands/index.js';
import { helpTopics } from '#cli/help/topics.js';
import { renderers } from '#ui/doc/index.js';
import { ctx } from '../support/memory-io.js';

async function help(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ctx(['help', ...words]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe('ctx help', () => {
  it('lists commands and topics', async () => {
    const text = await help();
    const lab = await help('lab');
    for (const { name } of [...(await loadCommands()), ...helpTopics])
      expect(/^(?:apply|simulate|engine|hooks|facts)\b/.test(name) ? lab : text).toMatch(
        new RegExp(`^ +${name} |[ ,] ?${name}(?:,|$)`, 'm'),
      );
    for (const name of ['apply', 'simulate', 'engine', 'hooks', 'facts'])
      expect(text).not.toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(text).toBe((await ctx(['--help'])).stdout);
    for (const { name } of helpTopics) expect(await help('topics')).toContain(name);
  });

  it.each(helpTopics)('$name fits a terminal', async ({ name }) => {
    const lines = (await help(name)).split('\n');
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(82);
  });

  it('knows the formats and the exit codes that there are', async () => {
    for (const { name } of renderers) expect(await help('formats')).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const code of Object.values(EXIT_CODES))
      expect(await help('exit-codes')).toMatch(new RegExp(`^  ${code} `, 'm'));
    expect(await help('exit', 'codes')).toBe(await help('exit-codes'));
  });

  it('lists commands with nothing but their names before what they do, in 80 columns', async () => {
    const text = await help();
    const lines = text.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.find((line) => line.startsWith('  show '))).toMatch(/^ {2}show {2,}Show /);
    expect(text).not.toMatch(/\[options\] \[session\]|<or>/);
    expect(text).toMatch(/^ {2}ctx help lab +More commands/m);
    expect(lines.find((line) => line.startsWith('  '))).toMatch(/^ {2}ctx {2,}Show/);
    expect(lines.length).toBeLessThanOrEqual(64);
  });

  it('lists commands in groups, each with an imperative of at most 60 characters', async () => {
    const titles = (await help()).match(/^\w[\w ]+(?=:$)/gm);
    expect(titles).toEqual(['Look', 'Understand', 'Act', 'Check', 'Share', 'Set up']);
    const summaries = (await loadCommands()).map(({ summary }) => summary);
    expect(
      summaries.filter((summary) => !/^[A-Z][a-z]*[a-rt-z] .{1,55}[^.]$/.test(summary) || summary.length > 60),
    ).toEqual([]);
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  it('of a command shows its own flags before those that all commands share, in 80 columns', async () => {
    const text = await help('grep');
    expect(text).toMatch(/^Usage: ctx grep \[pattern\] \[session\] \[rev\] \[flags\]\n/);
    const [own = '', shared = ''] = text.slice(text.indexOf('\nFlags:\n')).split('\nOutput:\n');
    expect(own).toContain('--where');
    expect(own).not.toContain('--json');
    for (const flag of ['--format', '--json', '--no-pager', '-h, --help']) expect(shared).toContain(`  ${flag}`);
    for (const { name } of await loadCommands())
      expect(
        (await help(...name.split(' ')))
          .split('\n')
          .filter((line) => line.length > 80 && !/^ {2}(?:ctx|eval|source) /.test(line)),
        name,
      ).toEqual([]);
  });

  it('is short with -h: the use, up to three examples and eight flags, on one screen', async () => {
    const [short, long] = [(await ctx(['show', '-h'])).stdout, await help('show')];
    for (const flag of ['--each', '--lenient', '--ephemeral', '--implementations', '--no-pager', '--color'])
      expect([flag, long.includes(`  ${flag}`), short.includes(`  ${flag}`)]).toEqual([flag, true, false]);
    for (const flag of ['--json', '--redact', '--full']) expect(short).toContain(`  ${flag}`);
    for (const { name, examples, flags } of await loadCommands()) {
      const text = (await ctx([...name.split(' '), '-h'])).stdout;
      expect(text, name).toMatch(new RegExp(`^[A-Z].*\\.\\n\\nUsage: ctx ${name} .*\\n\\nExamples:\\n`));
      expect(text.endsWith(`\n\nctx ${name} --help has the rest.\n`), name).toBe(true);
      expect(text.split('\n').length, name).toBeLessThanOrEqual(26);
      const listed = text.match(/^ {2}(?:-\w, )?--[\w-]+/gm) ?? [];
      expect(listed.length, name).toBeLessThanOrEqual(8);
      expect(text.split('\nFlags:')[0]?.match(/^ {2}\S/gm)?.length, name).toBe(Math.min(3, examples.length));
      const rare = Object.keys(flags).filter((flag) => flags[flag]?.isRare || flags[flag]?.isHidden);
      for (const flag of rare)
        expect(
          listed.some((one) => one.endsWith(`--${flag}`)),
          `${name} ${flag}`,
        ).toBe(false);
    }
  });

  it('names no flag that only repeats an argument, which works all the same', async () => {
    expect(await help('show')).not.toContain('--at');
    expect(await help('check')).not.toMatch(/--(?:write-)?baseline\b/);
    expect((await ctx(['show', '--at'])).stderr).toContain("'--at <REV>' argument missing");
    expect((await ctx(['check', '--baseline'])).stderr).toContain("'--baseline <FILE>' argument missing");
  });

  it('of a command is what --help prints', async () => {
    expect(await help('log')).toBe((await ctx(['log', '--help'])).stdout);
  });

  it.each([
    [['help', 'revison'], 'ctx: no help on "revison": did you mean "revisions"?\n'],
    [['help', 'shwo'], 'ctx: no help on "shwo": did you mean "show"?\n'],
    [['help', 'quux'], 'ctx: no help on "quux": ctx help topics lists the topics\n'],
    [['shwo', 's.jsonl'], 'ctx: unknown command "shwo": did you mean "show"?\n'],
    [['conversatio'], 'ctx: unknown command "conversatio": did you mean "conversation"?\n'],
    [['quux'], 'ctx: unknown command "quux": ctx --help lists the commands\n'],
    [['show', '-C', '/tmp'], "ctx: unknown option '-C': write it before the command: ctx -C DIR COMMAND\n"],
    [['show', '--fulll'], "ctx: unknown option '--fulll': did you mean --full? see ctx show --help\n"],
    [
      ['show', '--at', 'HEAD', '--no-pagr'],
      "ctx: unknown option '--no-pagr': did you mean --no-pager? see ctx show --help\n",
    ],
  ])('%j is refused with a suggestion', async (argv, stderr) => {
    expect(await ctx(argv)).toMatchObject({ exitCode: 2, stdout: '', stderr });
  });
});

it('suggests a flag only if it is near the mistyped one', async () => {
  expect((await ctx(['show', 's.jsonl', '--nope'])).stderr).not.toContain('did you mean');
  expect((await ctx(['show', 's.jsonl', '--rol', 'user'])).stderr).toContain('did you mean --role?');
});
