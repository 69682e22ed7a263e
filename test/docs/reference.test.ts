import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { EXIT_CODES } from '#base/errors.js';
import { summarizers } from '#change/compact/summarizers/index.js';
import { defaultPolicy, listZoneStrategies, modeIn } from '#change/prune/policy.js';
import { strategies } from '#change/prune/strategies/index.js';
import { ZONES } from '#change/prune/zones.js';
import { reporters } from '#cli/commands/check/reporters/index.js';
import { exportFormats } from '#cli/commands/export/formats/index.js';
import { commandGroups, loadCommands } from '#cli/commands/index.js';
import { helpTopics, type TopicPiece } from '#cli/help/topics.js';
import { schemas } from '#cli/schemas.js';
import { ops } from '#context/ops/index.js';
import { TOKENIZER_NAMES, findTokenizer } from '#context/tokenizers/index.js';
import { engines } from '#lab/index.js';
import { injectors } from '#lab/injectors/index.js';
import { renderers } from '#ui/doc/index.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { linkBetween, manualPages, readPage } from '../support/manual.js';

const PAGE = 'docs/reference/reference.md';

interface Named {
  readonly name: string;
  readonly summary: string;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(inCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function listed(title: string, parts: readonly Named[], more: string): readonly string[] {
  return [
    `## ${title}`,
    more,
    table(
      ['Name', 'What it is'],
      parts.map(({ name, summary }) => [`\`${name}\``, summary]),
    ),
  ];
}

/** The names of parts that a page of their own describes. */
function named(title: string, parts: readonly Named[], more: string): readonly string[] {
  return [`## ${title}`, `${more}. ${parts.map(({ name }) => `\`${name}\``).join(', ')}.`];
}

const pages = manualPages.filter((page) => page !== PAGE).map((page) => [page, readPage(page)] as const);

/** The pages of the manual with details of a schema. */
function pagesOf(schema: string): string {
  const those = pages.filter(([, text]) => text.includes(`schema/${schema}.json)`));
  return those.map(([page]) => `[${path.basename(page, '.md')}](${linkBetween(PAGE, page)})`).join(', ');
}

function piece(text: TopicPiece): string {
  if (typeof text === 'string') return text;
  if ('lines' in text) return `\`\`\`text\n${text.lines.join('\n')}\n\`\`\``;
  return table(
    ['', ''],
    text.terms.map(([term, meaning]) => [`\`${term}\``, meaning]),
  );
}

async function reference(): Promise<string> {
  const rules = await loadRules();
  const commands = await loadCommands();
  const tokenizers = TOKENIZER_NAMES.map(findTokenizer);
  const policy = defaultPolicy();
  const zones = ZONES.map((zone) => [
    `\`${zone}\``,
    zone === 'green' ? '0 %' : `${Math.round(policy.thresholds[zone] * 100)} %`,
    modeIn(policy, zone),
    listZoneStrategies(policy, zone)
      .map(({ strategy }) => strategy.name)
      .join(', '),
  ]);
  const parts = [
    '# Reference',
    'All names of the product. Generated from the definitions.',
    '## Commands',
    table(
      ['Group', 'Command', 'What it does'],
      commandGroups.flatMap(({ title, names }) =>
        commands
          .filter(({ name }) => names.includes(name))
          .map(({ name, summary }, at) => [
            at === 0 ? title : '',
            `[ctx ${name}](commands.md#ctx-${name.replace(' ', '-')})`,
            summary,
          ]),
      ),
    ),
    '## Rules of ctx check',
    table(
      ['Group', 'Rules'],
      RULE_GROUPS.map((group) => {
        const own = rules.filter((rule) => rule.group === group);
        return [group, own.map(({ name }) => `[${name}](../rules/${name}.md)`).join(', ')];
      }),
    ),
    ...named('Patch operations', ops, 'What a `context_transform` can do: [patch operations](ops.md)'),
    ...named('Strategies', strategies, 'Of `ctx prune`, with their options: [strategies](strategies.md)'),
    '## Zones',
    'The share of the limit at which each zone begins; a [policy](configuration.md#the-policy-for-pruning) can change it.',
    table(['Zone', 'From', 'What is done', 'Strategies'], zones),
    ...listed(
      'Summarisers',
      summarizers,
      'Of `ctx compact --summarizer`: [summarisers](../use/compaction.md#the-summary).',
    ),
    ...listed('Engines', engines, 'Of `ctx engine run` and `ctx simulate`: [context engines](../lab/engines.md).'),
    ...listed(
      'Injectors',
      injectors,
      'Parts of the engine `three-phase`: [three-phase assembly](../lab/three-phase.md).',
    ),
    ...listed('Tokenizers', tokenizers, 'Of `--tokenizer`: [stats](../use/stats.md).'),
    ...listed('Output formats', renderers, 'Of `--format`, for every command.'),
    ...listed('Reports of ctx check', reporters, 'Of `ctx check --format`: [check](../use/check.md).'),
    ...listed('Export formats', exportFormats, 'Of `ctx export --format`: [export](../use/export.md).'),
    ...helpTopics
      .filter(({ name }) => name !== 'agents')
      .flatMap(({ name, summary, text }) => [
        `## ${capital(name.replaceAll('-', ' '))}`,
        `${capital(summary)}.`,
        ...text.map(piece),
      ]),
    '## Agents',
    'The commands for coding agents, as `ctx help agents` prints them: [for coding agents](../use/agents.md).',
    '## JSON Schemas',
    table(
      ['Schema', 'More'],
      Object.keys(schemas).map((name) => [`[${name}](../schema/${name}.json)`, pagesOf(name)]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

it('docs/reference/reference.md is generated from the definitions', async () => {
  expectGenerated(PAGE, await reference());
});

it('every schema is explained by a page of the manual', () => {
  const missing = Object.keys(schemas).filter((name) => pagesOf(name) === '');
  expect(missing, 'a page of docs/ must link to schema/NAME.json').toEqual([]);
});

it.each(engines)('docs/lab/engines.md lists $name', ({ name }) => {
  expect(readPage('docs/lab/engines.md')).toContain(`\n| \`${name}\` | `);
});

it.each(summarizers)('docs/use/compaction.md explains $name', ({ name }) => {
  expect(readPage('docs/use/compaction.md')).toContain(`\`${name}\``);
});

/** Variables that the system sets, which no user sets for `ctx`. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['HOME', 'PATH', 'SSH_CONNECTION', 'SSH_TTY']);
const READ = /\benv\['([A-Z_]+)'\]|\{([^{}]*)\}(?: = (?:io\.)?env;|: Io\['env'\])/g;

it('every environment variable that the source reads is explained', () => {
  const source = path.join(projectFolder, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const names = files.flatMap((file) =>
    [...readFileSync(path.join(source, file), 'utf8').matchAll(READ)].flatMap(
      ([, name, several = '']) => name ?? several.match(/\b[A-Z][A-Z_]+\b/g) ?? [],
    ),
  );
  const explained = JSON.stringify(helpTopics.find(({ name }) => name === 'environment'));
  const unexplained = names.filter((name) => !OF_THE_SYSTEM.has(name) && !explained.includes(name));
  expect(names.length).toBeGreaterThan(20);
  expect([...new Set(unexplained)]).toEqual([]);
});

it.each([0, 1, 130, ...Object.values(EXIT_CODES)])('the exit code %d is explained', (code) => {
  expect(readPage(PAGE)).toContain(`\n| \`${code}\` | `);
});
