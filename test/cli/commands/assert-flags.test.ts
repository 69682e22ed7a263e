import { describe, expect, it } from 'vitest';
import { listFormats } from '#cli/arguments/command-flags.js';
import type { Command } from '#cli/commands/define.js';
import { loadCommands } from '#cli/commands/index.js';
import { ctx } from '../../support/memory-io.js';

const commands = await loadCommands();

describe.each(commands)('the rules of the flags of ctx $name', (command) => {
  const flags = Object.entries(command.flags);
  const rules = flags.flatMap(([name, { excludes = [], needs = [], requiredUnless = [] }]) =>
    [...excludes, ...needs, ...requiredUnless].map((other) => [name, other] as const),
  );
  const exclusions = flags.flatMap(([name, { excludes = [] }]) => excludes.map((other) => [name, other] as const));
  const needy = flags.filter(([, { needs }]) => needs).map(([name]) => name);

  it('name flags, arguments and formats that there are', () => {
    const known = new Set([
      ...flags.map(([name]) => name),
      ...command.args.map(({ name }) => `[${name}]`),
      ...[...listFormats(command), ...(command.placeholders ? ['TEMPLATE'] : [])].map((format) => `format ${format}`),
    ]);
    expect(rules.map(([, other]) => other).filter((other) => !known.has(other))).toEqual([]);
  });

  it('name in the help of a flag the other letter that it has', () => {
    for (const [, { alias, help }] of flags) if (alias?.length === 1) expect(help).toContain(`also -${alias}`);
  });

  it.each(exclusions)('refuse --%s beside %s', async (name, other) => {
    const { exitCode, stdout, stderr } = await ctx(
      [...command.name.split(' '), ...words(command, other), ...words(command, name)],
      {
        files: { 'c.json': '{}' },
      },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    // One of the two may also need a third flag, which is then what is missing.
    expect(stderr).toMatch(/cannot be used together|--[a-z-]+ needs --/);
  });

  it.each(needy)('refuse --%s alone', async (name) => {
    const { exitCode, stdout, stderr } = await ctx([...command.name.split(' '), ...words(command, name)]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    // A flag may also exclude the default format, which is refused first.
    expect(stderr).toMatch(new RegExp(`^ctx: --${name} (needs (--|\\[)[^:]+: add (--|\\[)[^:]+\n$|and --format )`));
  });
});

const VALUES: Readonly<Record<string, string>> = {
  config: 'c.json',
  policy: 'turns',
  since: '1d',
  until: '1d',
  by: 'day',
  'fail-on': 'instructions',
  'base-url': 'https://localhost/',
};

/** How a flag, an argument or a format is written on the command line. */
function words({ args, flags }: Command, name: string): readonly string[] {
  if (name === 'format TEMPLATE') return ['--format', '{id}'];
  if (name.startsWith('format ')) return ['--format', name.slice('format '.length)];
  if (name.startsWith('[')) return args.slice(0, args.findIndex((arg) => `[${arg.name}]` === name) + 1).map(String);
  const { placeholder, choices = [] } = flags[name]!;
  return placeholder === null ? [`--${name}`] : [`--${name}`, choices[0] ?? VALUES[name] ?? '1'];
}

it.each([
  [
    ['redact', 's.jsonl'],
    'ctx redact needs --output or --install or --dry-run: add --output FILE or --install or --dry-run',
  ],
  [
    ['extract', 's.jsonl'],
    'ctx extract needs --output or --install or --dry-run: add --output FILE or --install or --dry-run',
  ],
  [
    ['facts', '--tokens', '900'],
    '--tokens needs --packet or --resume or --format json: add --packet or --resume or --format json',
  ],
  [
    ['show', '--json', '--full'],
    '--full and --format json cannot be used together: leave --full out, or choose another format',
  ],
  [
    ['log', '--json', '--format', 'text'],
    '--json and --format text cannot be used together: leave --json out, or choose another format',
  ],
])('%j is refused before a file is read', async (argv, message) => {
  const { stderr } = await ctx(argv);
  expect(stderr.startsWith('{') ? (JSON.parse(stderr) as { what: string }).what : stderr).toBe(
    stderr.startsWith('{') ? message.split(': ')[0] : `ctx: ${message}\n`,
  );
});

it('flags of the configuration are checked as well', async () => {
  const files = { '/home/ada/weather/ctx.config.json': '{"defaults":{"log":{"reverse":true}}}' };
  const { exitCode, stderr } = await ctx(['log', '--graph'], { files });
  expect([exitCode, stderr]).toEqual([
    2,
    'ctx: --graph and --reverse cannot be used together: leave one of them out\n',
  ]);
});

it.each([
  ['at', ['apply', 'check', 'compact', 'prune']],
  ['baseline', ['check']],
  ['limit', ['diff']],
  ['lenient', []],
  ['dry-run', ['mcp']],
  ['force', ['cat', 'apply', 'compact', 'prune', 'revert', 'hooks', 'engine run']],
  ['time-limit', []],
  ['config', []],
  ['since', ['log', 'find', 'overhead', 'stats']],
  ['retention', []],
])('--%s has one description, but in %j, where it means something else', (name, others) => {
  const helps = commands.flatMap(({ name: command, flags }) =>
    flags[name] && !others.includes(command) ? flags[name].help : [],
  );
  expect(new Set(helps).size).toBe(1);
});
