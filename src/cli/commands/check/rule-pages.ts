import { checkSession } from '#analysis/check/check-session.js';
import { type Rule, RULE_GROUPS, type RuleGroup } from '#analysis/check/define.js';
import { buildExampleFile } from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import { openSession } from '#context/open.js';
import { cell, type Doc, gap, heading, proseRow, verbatim } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import type { Outcome } from '../define.js';
import { listOptions, renderPartPage } from '../part-options.js';
import type { RulePage } from './document.js';
import { loadRule } from './rule-settings.js';

/** The manual page of a rule, or the list of a group's rules, for the terminal. */
export async function explainRule(name: string): Promise<Outcome> {
  const group = RULE_GROUPS.find((each) => each === name);
  if (group) return listRules([group]);
  const rule = await loadRule(name);
  const page: RulePage = { ...buildRulePage(rule), example: await buildExample(rule) };
  return { kind: 'single', item: { data: page, doc: (view) => renderRulePage(page, rule, view) }, problems: [] };
}

/** The rules of some groups, a line for each. */
export async function listRules(groups: readonly RuleGroup[] = RULE_GROUPS): Promise<Outcome> {
  const pages = (await loadRules(groups)).map(buildRulePage);
  const items = pages.map((page) => ({
    data: page,
    doc: (): Doc => {
      const severity = page.severity ?? 'off';
      const tone = severity === 'error' || severity === 'warning' ? severity : 'faint';
      const name = cell(page.name, 24, 'strong');
      return [proseRow([cell(page.group, 8, 'faint'), cell(severity, 7, tone), name, cell(page.summary)])];
    },
  }));
  return { kind: 'stream', batches: [items], end: () => ({ problems: [] }) };
}

function buildRulePage(rule: Rule): RulePage {
  const { name, group, severity, summary, help } = rule;
  return { schema: 'ctx/rule', schemaVersion: 1, name, group, severity, summary, help, options: listRuleOptions(rule) };
}

/** The options that a configuration may set. */
export function listRuleOptions(rule: Rule): RulePage['options'] {
  return rule.optionsFrom === undefined ? listOptions(rule) : [];
}

type RuleExample = NonNullable<RulePage['example']>;

async function buildExample(rule: Rule): Promise<RuleExample> {
  const { fires } = rule.example;
  const options = rule.optionsFrom === undefined ? (rule.example.options ?? null) : null;
  if (fires === null) return { session: null, options, findings: [] };
  const bytes = buildExampleFile(fires);
  const findings: Finding[] = [];
  checkSession({
    session: await openSession(bytes, undefined, { withoutHeader: true }),
    rules: [{ rule, severity: rule.severity ?? 'error', options: rule.options?.parse(rule.example.options ?? {}) }],
    requests: 'leaf',
    envelope: {},
    report: (finding) => void findings.push(finding),
  });
  return {
    session: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
    options,
    findings: findings.map(({ line, entryId, place, message, fix }) => ({ line, entryId, place, message, fix })),
  };
}

function renderRulePage(page: RulePage, { optionsFrom }: Rule, view: View): Doc {
  const { name, group, severity, example } = page;
  const isOff = severity === null;
  const setting = isOff ? ['error', ...(example?.options ? [example.options] : [])] : 'off';
  return [
    ...renderPartPage(page, ` Group ${group}, ${isOff ? 'off until it is configured' : severity}.`, view),
    ...(example?.session ? renderExample(example, example.session, view) : []),
    gap,
    heading(2, isOff ? 'To switch it on' : 'To switch it off'),
    isOff && optionsFrom !== undefined
      ? verbatim(optionsFrom, 'sh')
      : verbatim(JSON.stringify({ rules: { [name]: setting } }), 'json'),
  ];
}

function renderExample({ options, findings }: RuleExample, session: string, view: View): Doc {
  const withOptions = options === null ? '' : `, with ${JSON.stringify(options)}`;
  const descriptions = findings.flatMap(({ line: lineNumber, entryId, place, message, fix }) => {
    const where = [lineNumber === null ? [] : `line ${lineNumber}`, entryId ?? [], place ?? []].flat().join(', ');
    return [`${where === '' ? '' : `${where}: `}${message}`, ...(fix === null ? [] : [`fix: ${fix}`])];
  });
  return [
    gap,
    heading(2, `Example${withOptions}`),
    verbatim(session, 'jsonl'),
    gap,
    ...renderParagraphs(descriptions.join('\n'), view),
  ];
}
