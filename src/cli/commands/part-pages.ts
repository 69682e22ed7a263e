import { toJSONSchema, type ZodMiniType } from 'zod/mini';
import type { Finding } from '#analysis/check/checked-file.js';
import { type Rule, RULE_GROUPS, type RuleGroup } from '#analysis/check/define.js';
import { buildExampleFile } from '#analysis/check/example.js';
import { loadRules } from '#analysis/check/index.js';
import { checkSession } from '#analysis/check/run.js';
import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { Strategy } from '#change/prune/define.js';
import { policySchema } from '#change/prune/policy-schema.js';
import { readStrategies } from '#change/prune/policy.js';
import { strategies } from '#change/prune/strategies/index.js';
import { type CheckFlags, loadRule, readCheckSettings } from '#cli/config/check-settings.js';
import type { CheckConfig, RulePage, StrategyPage } from '#cli/config/report-schemas.js';
import { openSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import {
  cell,
  type Doc,
  gap,
  heading,
  type Printable,
  proseRow,
  renderParagraphs,
  verbatim,
  type View,
} from '#ui/doc/doc.js';
import type { Outcome } from './define.js';

/** The manual page of a rule, or the list of a group's rules, for the terminal. */
export async function explainRule(name: string): Promise<Outcome> {
  const group = RULE_GROUPS.find((each) => each === name);
  if (group) return listRules([group]);
  const rule = await loadRule(name);
  const page: RulePage = { ...pageOf(rule), example: await exampleOf(rule) };
  return { kind: 'report', report: { data: page, doc: (view) => docOf(page, view) }, problems: [] };
}

/** The rules of some groups, a line for each. */
export async function listRules(groups: readonly RuleGroup[] = RULE_GROUPS): Promise<Outcome> {
  const pages = (await loadRules(groups)).map(pageOf);
  const items = pages.map((page) => ({
    data: page,
    doc: (): Doc => {
      const severity = page.severity ?? 'off';
      const tone = severity === 'error' || severity === 'warning' ? severity : 'faint';
      const name = cell(page.name, 24, 'strong');
      return [proseRow([cell(page.group, 8, 'faint'), cell(severity, 7, tone), name, cell(page.summary)])];
    },
  }));
  return { kind: 'stream', items, end: () => ({ problems: [] }) };
}

function pageOf(rule: Rule): RulePage {
  const { name, group, severity, summary, help } = rule;
  return { schema: 'ctx/rule', schemaVersion: 1, name, group, severity, summary, help, options: listOptions(rule) };
}

type ExampleOfRule = NonNullable<RulePage['example']>;

async function exampleOf(rule: Rule): Promise<ExampleOfRule> {
  const { fires, options = null } = rule.example;
  if (fires === null) return { session: null, options, findings: [] };
  const bytes = buildExampleFile(fires);
  const findings: Finding[] = [];
  checkSession({
    session: await openSession(bytes, undefined, { withoutHeader: true }),
    rules: [{ rule, severity: rule.severity ?? 'error', options: rule.options?.parse(options ?? {}) as never }],
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

function docOf(page: RulePage, view: View): Doc {
  const { name, group, severity, example } = page;
  const isOff = severity === null;
  const setting = isOff ? ['error', ...(example?.options ? [example.options] : [])] : 'off';
  return [
    ...beginningOf(page, ` Group ${group}, ${isOff ? 'off until it is configured' : severity}.`, view),
    ...(example?.session ? exampleBlocks(example, example.session, view) : []),
    gap,
    heading(2, isOff ? 'To switch it on' : 'To switch it off'),
    verbatim(JSON.stringify({ rules: { [name]: setting } }), 'json'),
  ];
}

/** The beginning of the page of a rule or a strategy: the summary with a remark, the help and the options. */
function beginningOf({ name, summary, help, options }: StrategyPage | RulePage, remark: string, view: View): Doc {
  return [
    heading(1, name),
    ...renderParagraphs(`${summary}.${remark}`, view),
    gap,
    ...renderParagraphs(help, view),
    ...optionsDoc(options, view),
  ];
}

type Option = StrategyPage['options'][number];

function optionsDoc(options: readonly Option[], view: View): Doc {
  if (options.length === 0) return [];
  return [gap, heading(2, 'Options'), ...renderParagraphs(options.map(optionWords).join('\n'), view)];
}

function optionWords({ name, type, default: fallback, isRequired, meaning }: Option): string {
  const without = fallback === null ? '' : ` (default: ${JSON.stringify(fallback)})`;
  return `"${name}": ${type}${isRequired ? ' (required)' : without}. ${meaning}`;
}

function exampleBlocks({ options, findings }: ExampleOfRule, session: string, view: View): Doc {
  const withOptions = options === null ? '' : `, with ${JSON.stringify(options)}`;
  const found = findings.flatMap(({ line: at, entryId, place, message, fix }) => {
    const where = [at === null ? [] : `line ${at}`, entryId ?? [], place ?? []].flat().join(', ');
    return [`${where === '' ? '' : `${where}: `}${message}`, ...(fix === null ? [] : [`fix: ${fix}`])];
  });
  return [
    gap,
    heading(2, `Example${withOptions}`),
    verbatim(session, 'jsonl'),
    gap,
    ...renderParagraphs(found.join('\n'), view),
  ];
}

/** The settings that result from the configuration and the flags, with every rule. */
export async function showCheckConfig(io: Io, flags: CheckFlags): Promise<Outcome> {
  const { plan } = await readCheckSettings(io, flags, 'all rules');
  const data: CheckConfig = { schema: 'ctx/check-config', schemaVersion: 1, ...plan };
  const text = JSON.stringify(data, null, 2);
  return {
    kind: 'report',
    report: { data, doc: ({ format }) => [format === 'text' ? { kind: 'whole', text } : verbatim(text, 'json')] },
    problems: [],
  };
}

/** All strategies, a line for each. */
export function listStrategies(): Outcome {
  const pages = strategies.map(strategyPageOf);
  const items = pages.map((page) => ({
    data: page,
    doc: (): Doc => [proseRow([cell(page.name, 10, 'strong'), cell(page.summary)])],
  }));
  return { kind: 'stream', items, end: () => ({ problems: [] }) };
}

/** The manual page of a strategy, with its options. Throws a CtxError (usage) for an unknown name. */
export function explainStrategy(name: string): Outcome {
  const [step] = readStrategies(name, policySchema.parse({}), 'green');
  if (!step) throw new CtxError('usage', 'no strategy is named', { hint: 'ctx prune --list' });
  const page = strategyPageOf(step.strategy);
  const doc: Printable['doc'] = (view) => beginningOf(page, '', view);
  return { kind: 'report', report: { data: page, doc }, problems: [] };
}

function strategyPageOf(strategy: Strategy): StrategyPage {
  const { name, summary, help } = strategy;
  return { schema: 'ctx/strategy', schemaVersion: 1, name, summary, help, options: listOptions(strategy) };
}

/** The options of a rule or strategy, read from its schema. This brings a big part of zod, so pages are loaded on demand. */
export function listOptions({ options }: { readonly options?: ZodMiniType }): Option[] {
  if (!options) return [];
  const schema: JsonObject = toJSONSchema(options, { io: 'input', unrepresentable: 'any' });
  const required: unknown = schema['required'];
  return Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, property]) => {
    const said = isObject(property) ? property : {};
    return {
      name,
      type: typeOf(said),
      default: said['default'] ?? null,
      isRequired: Array.isArray(required) && required.includes(name),
      meaning: typeof said['description'] === 'string' ? said['description'] : '',
    };
  });
}

const TYPES: Readonly<Record<string, string>> = { integer: 'whole number', string: 'text', boolean: 'true or false' };

function typeOf({ type, anyOf, items, enum: choices }: JsonObject): string {
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => (isObject(one) ? typeOf(one) : 'anything')).join(' or ');
  if (type === 'array') return isObject(items) ? `list of ${typeOf(items)}` : 'list';
  return typeof type === 'string' ? (TYPES[type] ?? type) : 'anything';
}
