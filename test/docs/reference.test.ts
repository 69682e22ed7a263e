import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Rule, RULE_GROUPS, type RuleGroup } from '#analysis/check/define.js';
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
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map((cells) => cells.map(inCell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function names(parts: readonly Named[]): string {
  return parts.map(({ name }) => `\`${name}\``).join(', ');
}

function countRules(rules: readonly Rule[], group: RuleGroup): string {
  return `${rules.filter((rule) => rule.group === group).length} of \`${group}\``;
}

/** The topics of the help that a page of the manual explains in more words. */
const TOPICS_WITH_A_PAGE: ReadonlySet<string> = new Set(['agents', 'config', 'lab']);

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
    '## Parts',
    table(
      ['Part', 'Used by', 'Names'],
      [
        ['[rules](../rules/README.md)', '`ctx check`', RULE_GROUPS.map((group) => countRules(rules, group)).join(', ')],
        ['[strategies](strategies.md)', '`ctx prune --strategy`', names(strategies)],
        ['[patch operations](ops.md)', '`ctx apply`, hooks', names(ops)],
        ['[summarisers](../use/compaction.md#the-summary)', '`ctx compact --summarizer`', names(summarizers)],
        ['[reports](../use/check.md)', '`ctx check --format`', names(reporters)],
        ['[export formats](../use/export.md)', '`ctx export --format`', names(exportFormats)],
        ['[output formats](commands.md#output)', '`--format` of every command', names(renderers)],
        ['[engines](../lab/engines.md)', '`ctx engine`, `ctx simulate`', names(engines)],
        ['[injectors](../lab/three-phase.md)', 'the engine `three-phase`', names(injectors)],
      ],
    ),
    '## Tokenizers',
    'Of `--tokenizer`: [stats](../use/stats.md).',
    table(
      ['Name', 'What it is'],
      tokenizers.map(({ name, summary }) => [`\`${name}\``, summary]),
    ),
    '## Zones',
    'The share of the limit at which each zone begins; a [policy](configuration.md#the-policy-for-pruning) can change it.',
    table(['Zone', 'From', 'What is done', 'Strategies'], zones),
    ...helpTopics
      .filter(({ name }) => !TOPICS_WITH_A_PAGE.has(name))
      .flatMap(({ name, summary, text }) => [
        `## ${capital(name.replaceAll('-', ' '))}`,
        `${capital(summary)}.`,
        ...text.map(piece),
      ]),
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
