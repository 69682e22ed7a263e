import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Example, type RuleGroup, RULE_GROUPS, type Rule } from '#analysis/check/define.js';
import { buildExampleFile } from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import { toVisible } from '#base/visible.js';
import { listRuleOptions } from '#cli/commands/check/rule-pages.js';
import { check } from '../support/check.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated, expectGeneratedPart } from '../support/generated.js';

const rules = await loadRules();
const folder = path.join(projectFolder, 'docs/rules');

/** The titles of the groups in the index, and what each is about where a rule is added. */
const ABOUT: Readonly<Record<RuleGroup, string>> = {
  file: 'the lines of the file',
  tree: 'the links between entries',
  schema: 'the fields of entries',
  context: 'the context that replay builds',
  provider: 'messages that a provider rejects',
  cache: 'changes that invalidate the prompt cache',
  policy: 'limits of a team; each rule is off until it is configured',
  secrets: 'keys and passwords in plain text',
};

function index(): string {
  const sections = RULE_GROUPS.flatMap((group) => {
    const own = rules.filter((rule) => rule.group === group);
    const isOff = own.every(({ severity }) => severity === null);
    const rows = own.map((rule) => {
      const { name, severity, summary } = rule;
      return `| [${name}](${name}.md) | ${isOff ? nameOptions(rule) : (severity ?? 'off')} | ${inCell(summary)} |`;
    });
    if (rows.length === 0) return [];
    return [
      `## ${group}: ${ABOUT[group]}`,
      [`| Rule | ${isOff ? 'Options' : 'Severity'} | Finding |`, '| --- | --- | --- |', ...rows].join('\n'),
    ];
  });
  const intro =
    'Generated from the definitions of the rules. `ctx check --explain RULE` prints the same text. ' +
    'An `error` loses context or makes the next request fail, a `warning` may do so, a `note` is informative. ' +
    '`{"rules":{"unknown-entry":"off"}}` in [the configuration](../reference/configuration.md) switches a rule off.';
  return `${['# Rules', intro, ...sections].join('\n\n')}\n`;
}

/** The groups for who adds a rule, with what their rules look at. */
function tabulateGroups(): string {
  const rows = RULE_GROUPS.map((group) => {
    const inputs = new Set(rules.filter((rule) => rule.group === group).map(({ looksAt }) => `\`${looksAt}\``));
    return `| [\`${group}/\`](../../src/analysis/check/${group}/index.ts) | ${ABOUT[group]} | ${[...inputs].toSorted().join(', ')} |`;
  });
  return ['', '| Folder | Its rules are about | They look at |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function nameOptions(rule: Rule): string {
  return listRuleOptions(rule)
    .map(({ name }) => `\`${name}\``)
    .join(', ');
}

async function page(rule: Rule): Promise<string> {
  const { name, group, severity, summary, help } = rule;
  const parts = [
    `# ${name}`,
    `${summary}.`,
    `Group \`${group}\`, severity \`${severity ?? 'off'}\`${severity === null ? ' until the configuration enables it' : ''}.`,
    help,
    ...(await optionsPart(rule)),
    ...(await examplePart(rule)),
    ...enablingPart(rule),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** How to switch on a rule that is off; the index tells how to switch off the others. */
function enablingPart({ name, severity, optionsFrom, example }: Rule): readonly string[] {
  if (severity !== null) return [];
  if (optionsFrom !== undefined) return ['## Enable it', fenced('sh', optionsFrom)];
  const setting = example.options === undefined ? 'error' : ['error', example.options];
  return ['## Enable it', 'In the configuration:', fenced('json', JSON.stringify({ rules: { [name]: setting } }))];
}

async function optionsPart(rule: Rule): Promise<readonly string[]> {
  const options = listRuleOptions(rule);
  if (options.length === 0) return [];
  const rows = options.map(({ name, type, default: fallback, isRequired, meaning }) => {
    const without = isRequired ? 'needed' : fallback === null ? '' : `\`${JSON.stringify(fallback)}\``;
    return `| \`${name}\` | ${inCell(type)} | ${without} | ${inCell(meaning)} |`;
  });
  return ['## Options', ['| Option | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')];
}

/** The smallest session with a finding, and the finding. */
async function examplePart({ name, optionsFrom, example: { fires, options } }: Rule): Promise<readonly string[]> {
  if (fires === null) return [];
  const findings = await check(fires, { rules: [name], options: { [name]: options } });
  const given =
    options === undefined || optionsFrom !== undefined
      ? []
      : ['With these options:', fenced('json', JSON.stringify(options))];
  return [
    '## Example',
    ...given,
    fenced('jsonl', shown(fires)),
    '`ctx check` reports:',
    fenced('text', findings.map(worded).join('\n')),
  ];
}

/** Its lines, with invisible characters made visible, and a long repeated text once. */
function shown(example: Example): string {
  const text = toVisible(new TextDecoder('utf-8', { ignoreBOM: true }).decode(buildExampleFile(example)));
  return text
    .replaceAll(REPEATED, (all, once: string) => `${once}[and ${all.length / once.length - 1} times more]`)
    .replace(/\n$/, '');
}

/** A sentence that follows itself nine times or more. */
const REPEATED = /([A-Z][^"\\.]{20,200}\. )\1{9,}/g;

function worded({ line, entryId, severity, message, place, fix, related }: Finding): string {
  const where = [line === null ? [] : `line ${line}`, entryId ?? [], place ?? []].flat().join(', ');
  const others = related.length === 0 ? [] : `  see also: ${related.join(', ')}`;
  return [`${where === '' ? '' : `${where}: `}${severity}: ${message}`, others, fix === null ? [] : `  fix: ${fix}`]
    .flat()
    .map(toVisible)
    .join('\n');
}

/** The text may contain fences itself. */
function fenced(language: string, text: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

it.each(rules.map((rule) => [rule.name, rule] as const))('docs/rules/%s.md is generated', async (name, rule) => {
  expectGenerated(`docs/rules/${name}.md`, await page(rule));
});

it('docs/rules/README.md is generated', () => {
  expectGenerated('docs/rules/README.md', index());
});

it('the groups in docs/contributing/add-a-rule.md: the table is generated', () => {
  expectGeneratedPart('docs/contributing/add-a-rule.md', 'groups', tabulateGroups());
});

it('there is no page of a rule that is gone', () => {
  const known = new Set(['README', ...rules.map(({ name }) => name)].map((name) => `${name}.md`));
  expect(readdirSync(folder).filter((name) => !known.has(name))).toEqual([]);
});
