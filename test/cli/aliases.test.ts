import { describe, expect, it } from 'vitest';
import { SYNONYMS } from '#cli/aliases.js';
import { commandNames } from '#cli/commands/index.js';
import { compactedWork } from '../support/compacted-work.js';
import { guestsHere } from '../support/guests.js';
import { ctx, type Ran } from '../support/memory-io.js';

const TEXT = compactedWork();
const CONFIG = '/home/ada/weather/ctx.config.json';

function run(line: string, files: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const startGuest = guestsHere({ 'h.ts': () => {} });
  return ctx(line.split(' '), { files: { 's.jsonl': TEXT, ...files }, startGuest });
}

describe('a former name of a command', () => {
  it.each([
    ['restore s.jsonl @{compaction}', 'revert s.jsonl @{compaction}', '"restore" is now "revert"'],
    ['restore s.jsonl @{compaction} --dry-run --json', 'revert s.jsonl @{compaction} --dry-run --json', '"restore"'],
    [
      'gate s.jsonl --limit 9k --each',
      'status --history s.jsonl --limit 9k --each',
      '"gate" is now "status --history"',
    ],
    [
      'gate s.jsonl --limit 9k --json',
      'status s.jsonl --history --limit 9k --json',
      '"gate" is now "status --history"',
    ],
    ['assemble s.jsonl --budget 9k', 'engine run s.jsonl --budget 9k', '"assemble" is now "engine run"'],
    ['ledger s.jsonl --full', 'facts s.jsonl --full', '"ledger" is now "facts"'],
    ['check s.jsonl --fix --dry-run', 'repair s.jsonl --dry-run', '"check --fix" is now "repair"'],
    ['check --fix s.jsonl --output n.jsonl', 'repair s.jsonl -o n.jsonl', '"check --fix" is now "repair"'],
    ['ledger none.jsonl', 'facts none.jsonl', '"ledger" is now "facts"'],
    ['help gate', 'help status', '"gate" is now "status --history"'],
    ['restore --help', 'revert --help', '"restore" is now "revert"'],
  ])('%s does what %s does, and names it on standard error', async (former, current, note) => {
    const { stderr, ...rest } = await run(former);
    const { stderr: expected, ...others } = await run(current);
    expect(rest).toEqual(others);
    expect(stderr.startsWith(`ctx: ${note}`)).toBe(true);
    expect(stderr.slice(stderr.indexOf('\n') + 1)).toBe(expected);
  });

  it.each([
    ['undo s.jsonl @{compaction} --dry-run', 'revert s.jsonl @{compaction} --dry-run'],
    ['hooks run s.jsonl --hook h.ts', 'hooks s.jsonl --hook h.ts'],
    ['help undo', 'help revert'],
  ])('%s stays, so it does what %s does and says nothing', async (other, current) => {
    expect(await run(other)).toEqual(await run(current));
  });

  it('leaves an error in JSON as the only thing on standard error', async () => {
    const { stderr } = await run('ledger none.jsonl --json');
    expect(JSON.parse(stderr)).toMatchObject({ schema: 'ctx/error' });
  });

  it.each([
    ['ledger', 'facts s.jsonl', { packet: true }],
    ['facts', 'ledger s.jsonl', { packet: true }],
    ['assemble', 'engine run s.jsonl', { budget: 9000 }],
    ['engine', 'engine run s.jsonl', { limit: 9000 }],
    ['gate', 'status s.jsonl --history', { limit: 9000, each: true }],
    ['restore', 'revert s.jsonl @{compaction} --dry-run', { as: 'branch' }],
  ])('has its defaults under %s for ctx %s', async (key, line, flags) => {
    const written = Object.entries(flags).map(([name, value]) => (value === true ? `--${name}` : `--${name} ${value}`));
    const { stdout } = await run(line, { [CONFIG]: JSON.stringify({ defaults: { [key]: flags } }) });
    expect(stdout).toBe((await run([line, ...written].join(' '))).stdout);
    expect(stdout).not.toBe((await run(line)).stdout);
  });

  it('has no defaults for a command without the flag that replaces it', async () => {
    const files = { [CONFIG]: JSON.stringify({ defaults: { gate: { limit: 9000, each: true } } }) };
    expect(await run('status s.jsonl', files)).toMatchObject({
      exitCode: 0,
      stdout: (await run('status s.jsonl')).stdout,
    });
  });
});

describe('a word that names no command', () => {
  it.each(Object.entries(SYNONYMS))('%s suggests %s, which exists', async (word, name) => {
    expect(commandNames).toContain(name);
    expect(await run(word)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `ctx: unknown command "${word}": did you mean "${name}"?\n`,
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

describe('ctx engine', () => {
  it.each(['engine', 'engine --help', 'help engine'])('%s lists the subcommands', async (line) => {
    const { exitCode, stdout } = await run(line);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ {2}engine run .+\n {2}engine check /m)]);
  });

  it('has no other subcommand', async () => {
    expect((await run('engine foo')).stderr).toBe('ctx: unknown subcommand "engine foo": choose run or check\n');
  });
});
