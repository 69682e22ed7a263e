import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Command, usageOf } from '#cli/commands/define.js';
import { commandGroups, loadCommands } from '#cli/commands/index.js';
import { ops } from '#context/ops/index.js';
import { renderers } from '#ui/doc/index.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';

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
  const { name, summary, description, args, flags, formats: own, placeholders, examples } = command;
  const rows = Object.entries(flags).map(([flag, { placeholder, help, choices, short }]) => {
    const value = placeholder === null ? '' : ` ${placeholder}`;
    return `| \`${short === undefined ? '' : `-${short}, `}--${flag}${value}\` | ${help.replaceAll('<', '\\<')}${choices ? ` (${choices.join(', ')})` : ''} |`;
  });
  for (const format of own ?? []) rows.push(`| \`--format ${format.name}\` | ${format.summary} |`);
  if (placeholders)
    rows.push(
      `| \`--format TEMPLATE\` | one line per item, by a template: ${placeholders.map((word) => `\`{${word}}\``).join(' ')} |`,
    );
  return [
    `### ctx ${name}`,
    `${summary}.`,
    description,
    `\`\`\`text\n${usageOf(command)}\n\`\`\``,
    args.map((arg) => `- \`${arg.name}\`: ${arg.help}`).join('\n'),
    ...(rows.length === 0 ? [] : [['| Flag | Meaning |', '| --- | --- |', ...rows].join('\n')]),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
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
  return `## Output\n\nFlags that all commands share:\n\n${table.join('\n')}`;
}

it('docs/commands.md is generated from the definitions', () => {
  expectGenerated('docs/commands.md', reference());
});

it.each(ops)('docs/ops.md explains $name', ({ name, summary }) => {
  expect(readFileSync(path.join(projectFolder, 'docs/ops.md'), 'utf8')).toContain(`## \`${name}\`\n\n${summary}.`);
});
