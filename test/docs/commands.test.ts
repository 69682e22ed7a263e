import { expect, it } from 'vitest';
import { type Command, formatUsage, listOwnFlags } from '#cli/commands/define.js';
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
    args.map((arg) => `- \`${arg.name}\`: ${arg.help}`).join('\n'),
    ...flagTable(command),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

/** The table of a command's flags; nothing for a command without flags. */
function flagTable(command: Command): readonly string[] {
  const { formats: own = [], placeholders } = command;
  const rows = [
    ...listOwnFlags(command).map(({ name, placeholder, help, choices, short }) => {
      const names = `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === null ? '' : ` ${placeholder}`}`;
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

it.each(commands.filter((command) => flagTable(command).length > 0))(
  'a page of the manual leads to the flags of ctx $name',
  ({ name }) => {
    const link = `commands.md#ctx-${name.replace(' ', '-')})`;
    const leading = manualPages.filter(
      (page) => page !== 'docs/reference/reference.md' && readPage(page).includes(link),
    );
    expect(leading, `a page of docs/ must link to ${link}`).not.toEqual([]);
  },
);
