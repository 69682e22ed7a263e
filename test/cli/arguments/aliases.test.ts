import { describe, expect, it } from 'vitest';
import { COMMAND_SYNONYMS } from '#cli/arguments/aliases.js';
import { commandNames } from '#cli/commands/index.js';
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
  it.each(Object.entries(COMMAND_SYNONYMS))('%s suggests %s, which exists', async (word, meant) => {
    const names = [meant].flat();
    for (const name of names) expect(commandNames).toContain(name.replace(/ --.*/, ''));
    expect(await run(word)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `ctx: unknown command "${word}": did you mean ${names.map((name) => `"${name}"`).join(' or ')}?\n`,
    });
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
