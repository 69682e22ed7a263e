import { type Rule, RULE_GROUPS, type RuleGroup } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { findComplaint } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { didYouMean } from '#base/suggestion.js';
import { type Config, isOnlyOff, type Level, type RuleSetting } from '#cli/config/schema.js';
import type { CheckConfig } from './document.js';

/** A rule with its severity and options, and where they come from. */
export type RuleInForce = CheckConfig['rules'][number];

/** The rules that a check runs, and their settings in the configuration. */
export interface RuleSelection {
  /** Names of rules and groups: only these run. */
  readonly selected: readonly string[] | null;
  readonly configured: NonNullable<Config['rules']>;
  /** The file of the configuration, for errors. */
  readonly file: string;
  /** Whether rules of groups that are not needed are listed too. */
  readonly knows: 'needed rules' | 'all rules';
}

/**
 * The severity and options of each rule in the needed groups. Throws a CtxError (usage) for unknown names and invalid
 * options.
 */
export async function readRuleSettings(selection: RuleSelection): Promise<RuleInForce[]> {
  const rules = await loadNeededRules(selection);
  for (const [name, setting] of Object.entries(selection.configured)) {
    if (isGroup(name)) assertGroupSetting(name, setting, rules, selection.file);
  }
  return rules.map((rule) => toRuleSetting(rule, selection));
}

/** Throws a CtxError (usage) for a setting of a group that has options, or that sets no rule. */
function assertGroupSetting(name: string, setting: RuleSetting, rules: readonly Rule[], where: string): void {
  const [level, options] = typeof setting === 'string' ? [setting] : setting;
  if (options !== undefined) {
    const hint = 'give them to the rules';
    throw new CtxError('usage', `the group "${name}" takes no options`, { where, hint });
  }
  if (level === 'off' || !isOnlyOff(name, rules)) return;
  const members = rules.filter(({ group }) => group === name);
  const hint = `set its rules one by one: ${members.map((rule) => rule.name).join(', ')}`;
  throw new CtxError('usage', `the group "${name}" has only rules that are off until you set them`, { where, hint });
}

/** The rule of a name. Throws a CtxError (usage) that names the nearest. */
export async function loadRule(name: string): Promise<Rule> {
  const rules = await loadRules();
  const found = rules.find((rule) => rule.name === name);
  if (!found) throw buildUnknownRuleError(name, rules);
  return found;
}

async function loadNeededRules({ selected, configured, file, knows }: RuleSelection): Promise<readonly Rule[]> {
  const needed = selected === null ? RULE_GROUPS : await findGroups(selected);
  const rules = await loadRules(knows === 'all rules' ? RULE_GROUPS : needed);
  const names = new Set(rules.map(({ name }) => name));
  const others = Object.keys(configured).filter((name) => !isGroup(name) && !names.has(name));
  if (others.length === 0) return rules;
  const all = await loadRules();
  const unknown = others.find((name) => !all.some((rule) => rule.name === name));
  if (unknown !== undefined) throw buildUnknownRuleError(unknown, all, file);
  return all;
}

/** The groups of some rules. Groups are loaded one by one, until all names are found. */
async function findGroups(names: readonly string[]): Promise<readonly RuleGroup[]> {
  const groups = new Set<RuleGroup>(RULE_GROUPS.filter((group) => names.includes(group)));
  const left = new Set(names.filter((name) => !isGroup(name)));
  for (const group of RULE_GROUPS) {
    if (left.size === 0) break;
    for (const { name } of await loadRules([group])) {
      if (left.delete(name)) groups.add(group);
    }
  }
  const [unknown] = left;
  if (unknown !== undefined) throw buildUnknownRuleError(unknown, await loadRules());
  return [...groups];
}

function isGroup(name: string): boolean {
  return RULE_GROUPS.some((group) => group === name);
}

function buildUnknownRuleError(name: string, rules: readonly Rule[], where?: string): CtxError {
  const names = [...RULE_GROUPS, ...rules.map((rule) => rule.name)];
  const hint = didYouMean(name, names, 'ctx check --list-rules names them all');
  return new CtxError('usage', `unknown rule "${name}"`, { where, hint });
}

function toRuleSetting(rule: Rule, selection: RuleSelection): RuleInForce {
  const { name, group } = rule;
  const { level, given, from } = decideLevel(rule, selection);
  const options = level === 'off' && given === undefined ? null : readRuleOptions(rule, given, selection.file);
  return { name, group, severity: level, options: level === 'off' ? null : options, from };
}

interface Decision {
  readonly level: Level;
  readonly given?: JsonObject | undefined;
  readonly from: RuleInForce['from'];
}

function decideLevel(rule: Rule, { selected, configured }: RuleSelection): Decision {
  const setting = findSetting(rule, configured);
  if (selected === null) return setting;
  if (!selected.includes(rule.name) && !selected.includes(rule.group))
    return { ...setting, level: 'off', from: 'flag' };
  // A rule that --rule names runs even if it is off.
  if (setting.level !== 'off' || !selected.includes(rule.name)) return setting;
  return { ...setting, level: rule.severity ?? 'error', from: 'flag' };
}

/** A rule's setting overrides that of its group, which does not apply to rules that are off by default. */
function findSetting({ name, group, severity }: Rule, configured: RuleSelection['configured']): Decision {
  const own = readSetting(configured, name);
  if (own !== undefined) return { ...own, from: 'config' };
  const ofGroup = readSetting(configured, group);
  if (ofGroup !== undefined && severity !== null) return { level: ofGroup.level, from: 'config' };
  return { level: severity ?? 'off', from: 'default' };
}

function readSetting(configured: RuleSelection['configured'], name: string): Omit<Decision, 'from'> | undefined {
  const setting: RuleSetting | undefined = Object.hasOwn(configured, name) ? configured[name] : undefined;
  if (setting === undefined) return undefined;
  if (typeof setting === 'string') return { level: setting };
  const [level, given] = setting;
  return { level, given };
}

function readRuleOptions(
  { name, options, optionsFrom, example }: Rule,
  given: JsonObject | undefined,
  file: string,
): unknown {
  if (!options) {
    if (given === undefined || Object.keys(given).length === 0) return null;
    throw new CtxError('usage', `the rule "${name}" takes no options`, { where: file, hint: 'leave them out' });
  }
  const complaint = findComplaint(options, given ?? {}, ['rules', name, 1]);
  if (complaint === null) return options.parse(given ?? {});
  if (given === undefined)
    throw new CtxError('usage', `the rule "${name}" needs options`, {
      where: file === '' ? undefined : file,
      hint: optionsFrom
        ? `leave it out, and run ${optionsFrom}`
        : `write them into the configuration, such as ${JSON.stringify({ rules: { [name]: ['error', example.options] } })}`,
    });
  throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
}
