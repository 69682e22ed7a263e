import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Command, usageOf } from '#cli/commands/define.js';
import { commandGroups, loadCommands } from '#cli/commands/index.js';
import { ops } from '#context/ops/index.js';
import { renderers } from '#ui/doc/index.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated, expectGeneratedPart } from '../support/generated.js';

const commands = await loadCommands();

function reference(): string {
  return (
    [
      '# Commands',
      'Generated from the definitions of the commands. `ctx help COMMAND` and the [manual page](man/ctx.1) print the same text.',
      ...commandGroups.flatMap(({ title, names }) => [
        `## ${title}`,
        ...commands.filter(({ name }) => names.includes(name)).map(section),
      ]),
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
    `\`\`\`text\n${usageOf(command)}\n\`\`\``,
    args.map((arg) => `- \`${arg.name}\`: ${arg.help}`).join('\n'),
    ...flagTable(command),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

/** The table of a command's flags; nothing for a command without flags. */
function flagTable({ flags, formats: own = [], placeholders }: Command): readonly string[] {
  const rows = [
    ...Object.entries(flags).map(([flag, { placeholder, help, choices, short }]) => {
      const names = `${short === undefined ? '' : `-${short}, `}--${flag}${placeholder === null ? '' : ` ${placeholder}`}`;
      return `| \`${names}\` | ${help.replaceAll('<', '\\<')}${choices ? ` (${choices.join(', ')})` : ''} |`;
    }),
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
    '| `--no-pager` | do not use a [pager](completions.md#the-pager) for long output on a terminal |',
    '| `--no-config` | ignore [configuration files](configuration.md), including their [defaults](configuration.md#defaults-for-commands) |',
    '| `-C DIR` | before the command: run in this folder |',
  ];
  const without = commands.filter(({ hasOneForm }) => hasOneForm).map(({ name }) => `\`${name}\``);
  const about = `Flags that all commands share. ${without.join(', ')} have no \`--format\`, \`--json\` and \`--fields\`.`;
  return `## Output\n\n${about}\n\n${table.join('\n')}`;
}

it('docs/commands.md is generated from the definitions', () => {
  expectGenerated('docs/commands.md', reference());
});

it.each(ops)('docs/ops.md explains $name', ({ name, summary }) => {
  expect(readFileSync(path.join(projectFolder, 'docs/ops.md'), 'utf8')).toContain(`## \`${name}\`\n\n${summary}.`);
});

/** The page with the flags of a command, by the mark `<!-- flags COMMAND -->`. */
function pageWithFlags(name: string): string {
  const found = readdirSync(path.join(projectFolder, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .filter((file) => readFileSync(path.join(projectFolder, 'docs', file), 'utf8').includes(`<!-- flags ${name} -->`));
  expect(found, `one page of docs/ must have the line <!-- flags ${name} -->`).toHaveLength(1);
  return `docs/${found[0]}`;
}

/** The sentence after the table: a command whose output has one form does not share every flag. */
function shared({ hasOneForm }: Command): string {
  return hasOneForm
    ? 'It also has [`--color`, `--no-color` and `--no-pager`](commands.md#output).'
    : 'All commands also have [the flags of the output](commands.md#output).';
}

it.each(commands.filter((command) => flagTable(command).length > 0))(
  'the list of the flags of ctx $name on its page is generated',
  (command) => {
    const content = [...flagTable(command), shared(command)].join('\n\n');
    expectGeneratedPart(pageWithFlags(command.name), `flags ${command.name} `, `\n${content}\n`);
  },
);
