import { expect, it } from 'vitest';
import { sortLargestFirst } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { formatUsage, listOwnFlags } from '#cli/arguments/command-flags.js';
import type { Command } from '#cli/commands/define.js';
import { commandGroups, loadCommands } from '#cli/commands/index.js';
import { ops } from '#context/ops/index.js';
import { renderers } from '#ui/doc/index.js';
import { expectGenerated } from '../support/generated.js';
import { manualPages, readPage } from '../support/manual.js';

const commands = await loadCommands();

function reference(): string {
  return (
    [
      '# Commands',
      'Generated from the definitions of the commands. `ctx help COMMAND` and the [manual page](../man/ctx.1) print the same text.',
      ...commandGroups.flatMap(({ title, names }) => [
        `## ${title}`,
        ...commands.filter(({ name }) => names.includes(name)).map(section),
      ]),
      sharedPart(),
      formats(),
    ].join('\n\n') + '\n'
  );
}

function section(command: Command): string {
  const { name, summary, description, args, examples } = command;
  return [
    `### ctx ${name}`,
    `${summary}.`,
    description,
    `\`\`\`text\n${formatUsage(command)}\n\`\`\``,
    ...argumentList(args),
    ...flagTable(command),
    ...sharedNames(command),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

/** The number of commands from which on an argument or a flag is described once for all. */
const MANY = 3;

/** The meanings of each argument and flag, with the number of commands that have them. */
const meanings = new Map<string, Map<string, number>>();
for (const command of commands)
  for (const [name, help] of listWords(command)) {
    const counts = meanings.get(name) ?? new Map<string, number>();
    incrementCount(counts, help);
    meanings.set(name, counts);
  }

/** The meaning of a word in most commands, for those that have it in many. */
const shared = new Map(
  [...meanings].flatMap(([name, counts]) => {
    const [most] = sortLargestFirst([...counts], ([, count]) => count);
    return most && most[1] >= MANY ? [[name, most[0]] as const] : [];
  }),
);

function listWords(command: Command): readonly (readonly [name: string, help: string])[] {
  return [
    ...command.args.map(({ name, help }) => [name, help] as const),
    ...listOwnFlags(command).map((flag) => [nameFlag(flag), describeFlag(flag)] as const),
  ];
}

function sharedPart(): string {
  const rows = [...shared].map(([name, help]) => `| \`${name}\` | ${help} |`);
  const table = ['| Argument, flag | Meaning |', '| --- | --- |', ...rows].join('\n');
  return `## Shared\n\nArguments and flags of ${MANY} or more commands, which name them below their own.\n\n${table}`;
}

/** The names of the arguments and flags of a command that are described once for all. */
function sharedNames(command: Command): readonly string[] {
  const names = listWords(command).flatMap(([name, help]) => (shared.get(name) === help ? [`\`${name}\``] : []));
  return names.length === 0 ? [] : [`[Shared](#shared): ${names.join(', ')}.`];
}

type OwnFlag = ReturnType<typeof listOwnFlags>[number];

function nameFlag({ name, placeholder, short }: OwnFlag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === null ? '' : ` ${placeholder}`}`;
}

function describeFlag({ help, choices }: OwnFlag): string {
  return `${help.replaceAll('<', '\\<')}${choices ? ` (${choices.join(', ')})` : ''}`;
}

/** The arguments of a command that others do not share. */
function argumentList(args: Command['args']): readonly string[] {
  const own = args.filter(({ name, help }) => shared.get(name) !== help);
  return own.length === 0 ? [] : [own.map(({ name, help }) => `- \`${name}\`: ${help}`).join('\n')];
}

/** The table of a command's flags; nothing for a command without flags of its own. */
function flagTable(command: Command): readonly string[] {
  const { formats: own = [], placeholders } = command;
  const rows = [
    ...listOwnFlags(command)
      .filter((flag) => shared.get(nameFlag(flag)) !== describeFlag(flag))
      .map((flag) => `| \`${nameFlag(flag)}\` | ${describeFlag(flag)} |`),
    ...own.map(({ name, summary }) => `| \`--format ${name}\` | ${summary} |`),
    ...(placeholders
      ? [
          `| \`--format TEMPLATE\` | one line per item, by a template: ${placeholders.map((word) => `\`{${word}}\``).join(' ')} |`,
        ]
      : []),
  ];
  return rows.length === 0 ? [] : [['| Flag | Meaning |', '| --- | --- |', ...rows].join('\n')];
}

function formats(): string {
  const rows = renderers.map(({ name, summary }) => `| \`--format ${name}\` | ${summary} |`);
  const table = [
    '| Flag | Meaning |',
    '| --- | --- |',
    ...rows,
    '| `--json` | short for `--format json` |',
    '| `--color=WHEN` | colours `auto` (on a terminal, the default), `always` (also without WHEN) or `never` |',
    '| `--no-color` | short for `--color=never` |',
    '| `--fields LIST` | JSON with these members alone, such as `meta.size,messages.cached.role` |',
    '| `--max-tokens N` | no more than N tokens, estimated; a larger JSON document is refused |',
    '| `--plain` | texts of a session as they are stored, neither rendered nor wrapped (commands with `--redact`) |',
    '| `--no-pager` | do not use a [pager](../use/completions.md#the-pager) for long output on a terminal |',
    '| `--no-config` | ignore [configuration files](configuration.md), including their [defaults](configuration.md#defaults-for-commands) |',
    '| `-C DIR` | before the command: run in this folder |',
  ];
  const without = commands.filter(({ hasOneForm }) => hasOneForm).map(({ name }) => `\`${name}\``);
  const about = `Flags that all commands share. ${without.join(', ')} have no \`--format\`, \`--json\` and \`--fields\`.`;
  return `## Output\n\n${about}\n\n${table.join('\n')}`;
}

it('docs/reference/commands.md is generated from the definitions', () => {
  expectGenerated('docs/reference/commands.md', reference());
});

it.each(ops)('docs/reference/ops.md explains $name', ({ name, summary }) => {
  expect(readPage('docs/reference/ops.md')).toContain(`## \`${name}\`\n\n${summary}.`);
});

it.each(commands.filter((command) => listOwnFlags(command).length > 0))(
  'a page of the manual leads to the flags of ctx $name',
  ({ name }) => {
    const link = `commands.md#ctx-${name.replace(' ', '-')})`;
    const leading = manualPages.filter(
      (page) => page !== 'docs/reference/reference.md' && readPage(page).includes(link),
    );
    expect(leading, `a page of docs/ must link to ${link}`).not.toEqual([]);
  },
);
