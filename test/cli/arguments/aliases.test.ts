import { describe, expect, it } from 'vitest';
import { readCall } from '#cli/arguments/read-call.js';
import { commandNames } from '#cli/commands/index.js';
import { helpTopics } from '#cli/help/topics.js';
import { knownWords, suggestCommands } from '#cli/help/words.js';
import { compactedWork } from '../../support/compacted-work.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const TEXT = compactedWork();
const CONFIG = '/home/ada/weather/ctx.config.json';

function run(line: string, files: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const startPlugin = pluginsHere({ 'h.ts': () => {} });
  return ctx(line.split(' '), { files: { 's.jsonl': TEXT, ...files }, startPlugin });
}

describe('another name of a command', () => {
  it.each([
    ['undo s.jsonl @{compaction} --dry-run', 'revert s.jsonl @{compaction} --dry-run'],
    ['hooks run s.jsonl --hook h.ts', 'hooks s.jsonl --hook h.ts'],
    ['help undo', 'help revert'],
  ])('%s does what %s does', async (other, current) => {
    expect(await run(other)).toEqual(await run(current));
  });
});

describe('defaults', () => {
  it.each([
    ['facts', 'facts s.jsonl', { packet: true }],
    ['engine', 'engine run s.jsonl', { budget: 9000 }],
    ['engine run', 'engine run s.jsonl', { budget: 9000 }],
  ])('under %s are those of ctx %s', async (key, line, flags) => {
    const written = Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`));
    const { stdout } = await run(line, { [CONFIG]: JSON.stringify({ defaults: { [key]: flags } }) });
    expect(stdout).toBe((await run([line, ...written].join(' '))).stdout);
    expect(stdout).not.toBe((await run(line)).stdout);
  });
});

describe('a word that names no command', () => {
  it.each(knownWords)('%s names command lines that exist, in an error and in the help', async (word) => {
    const { exitCode, stdout, stderr } = await run(`${word} s.jsonl`);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`ctx: unknown command "${word}": ${suggestCommands(word, 's.jsonl')}\n`);
    const lines = [...stderr.matchAll(/ctx (?!: )([a-z][^()]*|--version) \(/g)].map(([, line = '']) => line);
    expect(lines).not.toEqual([]);
    const isTopic = helpTopics.some(({ name }) => name === word);
    const help = await run(`help ${word}`);
    for (const line of lines) {
      const argv = line.replaceAll(/\b(?:WORDS|PATTERN|PATCH|NEW)\b/g, 'word').split(' ');
      expect((await readCall(argv, '1.0.0')).kind).toBe(/^(?:help|--version)/.test(line) ? 'print' : 'run');
      expect([help.exitCode, isTopic || help.stdout.includes(line.replace(' s.jsonl', ''))]).toEqual([0, true]);
    }
  });

  it('names the commands that users mean, with the session that was typed', async () => {
    const meant = async (word: string): Promise<string> => (await run(`${word} s.jsonl`)).stderr;
    expect(await meant('share')).toContain('ctx report s.jsonl --redact (');
    expect(await meant('conversation')).toContain('ctx show s.jsonl --conversation (');
    expect(await meant('top')).toContain('ctx show s.jsonl --sort tokens (');
    expect(await meant('cost')).toContain('ctx stats s.jsonl (');
    expect(await meant('context')).toContain('ctx show s.jsonl (');
    expect(await meant('size')).toContain('ctx status s.jsonl (');
    expect(await meant('mcp-cost')).toContain('write ctx overhead s.jsonl (');
    expect(await meant('memory')).toContain('write ctx overhead s.jsonl (');
    for (const word of ['slow', 'why-slow']) expect(await meant(word)).toContain('write ctx cache s.jsonl (');
    expect(await meant('cheaper')).toContain('write ctx stats s.jsonl --cheaper (');
    expect(await meant('export-html')).toContain('write ctx report s.jsonl --open (');
    expect(await meant('rewind')).toContain('write ctx extract s.jsonl --output NEW (');
    expect(await meant('export-md')).toContain('ctx export s.jsonl --format markdown (');
    expect((await run('resume')).stderr).toContain('ctx find WORDS (');
    expect((await run('usage')).stderr).toContain('ctx stats (');
    expect((await ctx(['share', "it's"])).stderr).toContain(`ctx report 'it'\\''s' --redact`);
  });

  it.each([
    ['inspect', 'ctx show s.jsonl ('],
    ['less', 'ctx show s.jsonl --conversation ('],
    ['cp', 'ctx extract s.jsonl --output NEW ('],
    ['cut', 'ctx prune s.jsonl --dry-run ('],
    ['who', 'ctx why WORDS s.jsonl ('],
    ['patch', 'ctx apply s.jsonl PATCH --dry-run ('],
    ['ps', 'ctx ls ('],
  ])('%s is no mistyped name of another command', async (word, line) => {
    expect((await run(`${word} s.jsonl`)).stderr).toContain(`write ${line}`);
  });

  it.each(['rename', 'switch', 'uninstall'])('%s suggests nothing, as no command does it', async (word) => {
    expect((await run(`${word} s.jsonl`)).stderr).toBe(
      `ctx: unknown command "${word}": ctx --help lists the commands\n`,
    );
  });

  it('is no name of a command', () => {
    const names = new Set(commandNames.flatMap((name) => name.split(' ')[0] ?? []));
    expect(knownWords.filter((word) => names.has(word))).toEqual([]);
    expect(new Set(knownWords).size).toBe(knownWords.length);
  });

  it.each(['s.jsonl', 'sessions/s', 'a b.jsonl'])('%s suggests ctx show', async (file) => {
    const { exitCode, stderr } = await ctx([file]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^ctx: unknown command ".+": did you mean ctx show .+\?\n$/),
    ]);
  });

  it.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
    expect(await run(flag)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
    });
  });
});

describe('a flag of another program', () => {
  it.each([
    ['check s.jsonl --fix', 'write a repaired copy: ctx repair SESSION --output NEW'],
    ['grep -E isoDate s.jsonl', 'leave it out: every pattern is an extended one'],
    ['grep -l isoDate s.jsonl', 'write --count: it prints each session with its matches'],
    ['grep -A3 isoDate s.jsonl', 'write -C N: it prints lines before and after'],
    ['log s.jsonl -SisoDate', 'search with: ctx grep PATTERN SESSION'],
    ['log s.jsonl --grep=isoDate', 'search with: ctx grep PATTERN SESSION'],
    ['log s.jsonl --max-count 3', 'write -n NUMBER'],
    ['ls --limit 3', 'write -n NUMBER; --limit is the context window, in other commands'],
    ['check s.jsonl --redact', 'write a redacted copy first: ctx redact SESSION --output NEW'],
    ['check s.jsonl --explian', 'did you mean --explain? see ctx check --help'],
  ])('ctx %s: %s', async (line, hint) => {
    const { exitCode, stderr } = await run(line);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^ctx: unknown option '.+': .+\n$/)]);
    expect(stderr.endsWith(`: ${hint}\n`)).toBe(true);
  });
});

describe('ctx engine', () => {
  it.each(['engine', 'engine --help', 'help engine'])('%s lists the subcommands', async (line) => {
    const { exitCode, stdout } = await run(line);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ {2}engine run .+\n {2}engine check /m)]);
  });

  it('has no other subcommand', async () => {
    expect((await run('engine foo')).stderr).toBe('ctx: unknown subcommand "engine foo": choose run or check\n');
  });
});
