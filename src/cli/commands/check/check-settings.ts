import { type Rule, RULE_GROUPS, type RuleGroup } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import type { CheckSettings, RuleSettings } from '#analysis/check/settings.js';
import { findComplaint } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { didYouMean } from '#base/suggestion.js';
import { splitNames } from '#base/text.js';
import { type ConfigFlags, readConfig, readConfigBaseline, resolveConfigName } from '#cli/config/read-config.js';
import { type Config, isOnlyOff, type Level, type RuleSetting } from '#cli/config/schema.js';
import { locateSession } from '#cli/locate.js';
import { openForCommand } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Session } from '#session/session.js';
import type { CheckConfig } from './document.js';

type RuleInForce = CheckConfig['rules'][number];

/** The origin of a setting: the program itself, the configuration, or the command line. */
type From = RuleInForce['from'];

interface RuleSelection {
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
async function readRuleSettings(selection: RuleSelection): Promise<RuleInForce[]> {
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
  const known = new Set(rules.map(({ name }) => name));
  const others = Object.keys(configured).filter((name) => !isGroup(name) && !known.has(name));
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
    for (const { name } of await loadRules([group])) if (left.delete(name)) groups.add(group);
  }
  const [unknown] = left;
  if (unknown !== undefined) throw buildUnknownRuleError(unknown, await loadRules());
  return [...groups];
}

function isGroup(name: string): boolean {
  return RULE_GROUPS.some((group) => group === name);
}

function buildUnknownRuleError(name: string, rules: readonly Rule[], where?: string): CtxError {
  const known = [...RULE_GROUPS, ...rules.map((rule) => rule.name)];
  return new CtxError('usage', `unknown rule "${name}"`, {
    ...(where === undefined ? {} : { where }),
    hint: didYouMean(name, known, 'ctx check --list-rules names them all'),
  });
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
  readonly from: From;
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
      ...(file === '' ? {} : { where: file }),
      hint: optionsFrom
        ? `leave it out, and run ${optionsFrom}`
        : `write them into the configuration, such as ${JSON.stringify({ rules: { [name]: ['error', example.options] } })}`,
    });
  throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
}

/** The flags of a check; one that was not given is undefined. */
export interface CheckFlags extends ConfigFlags {
  readonly rules?: string | undefined;
  readonly requests?: CheckSettings['requests'] | undefined;
  readonly limit?: number | undefined;
  readonly known?: string | undefined;
  readonly 'max-warnings'?: number | undefined;
}

/**
 * The settings of a check from all sources, and a plan with the origin of each. File names are relative to the working
 * directory. Loads only the needed groups of rules. Throws a CtxError (usage) for invalid values.
 */
export async function readCheckSettings(
  io: Io,
  flags: CheckFlags,
  knows: 'needed rules' | 'all rules' = 'needed rules',
): Promise<{ readonly settings: CheckSettings; readonly plan: Omit<CheckConfig, 'schema' | 'schemaVersion'> }> {
  const { file, config } = await readConfig(io, flags);
  const rules = await readRuleSettings({
    selected: flags.rules === undefined ? null : readRuleNames(flags.rules),
    configured: config.rules ?? {},
    file: file ?? '',
    knows,
  });
  const fromHere = (name: string): string => resolveConfigName(file, io, name);
  const contextBaseline = config.contextBaseline === undefined ? undefined : fromHere(config.contextBaseline);
  const requests = chooseSetting(flags.requests, config.requests, 'leaf' as const);
  return {
    settings: {
      rules: await prepareRules(io, file, rules),
      requests: requests.value,
      limit: flags.limit,
      configuredLimit: config.limit,
      baseline: contextBaseline === undefined ? undefined : await readConfigBaseline(io, contextBaseline),
    },
    plan: {
      file,
      files: chooseSetting(undefined, config.files?.map(fromHere), []),
      requests,
      limit: chooseSetting(flags.limit, config.limit, null),
      contextBaseline: chooseSetting(undefined, contextBaseline, null),
      baseline: chooseSetting(flags.known, config.known === undefined ? undefined : fromHere(config.known), null),
      maxWarnings: chooseSetting(flags['max-warnings'], config.maxWarnings, null),
      rules,
    },
  };
}

/** The rules that are on, with options that need another session completed. Throws a CtxError (input) if it cannot be read. */
async function prepareRules(
  io: Io,
  file: string | null,
  rules: readonly RuleInForce[],
): Promise<readonly RuleSettings[]> {
  const on = rules.flatMap(({ name, group, severity, options }) =>
    severity === 'off' ? [] : [{ name, group, severity, ...(options === null ? {} : { options }) }],
  );
  return Promise.all(on.map((wanted) => prepareRule(io, file, wanted)));
}

async function prepareRule(io: Io, file: string | null, wanted: RuleSettings): Promise<RuleSettings> {
  const rule = (await loadRules([wanted.group])).find(({ name }) => name === wanted.name);
  if (!rule?.prepare) return wanted;
  const open = async (name: string): Promise<Session> => {
    const beside = resolveConfigName(file, io, name);
    return openForCommand(io, await locateSession(io, io.files.exists(beside) ? beside : name));
  };
  return { ...wanted, options: await rule.prepare(wanted.options as never, open) };
}

function readRuleNames(list: string): readonly string[] {
  const names = splitNames(list);
  if (names.length > 0) return names;
  throw new CtxError('usage', 'no rules are named', { hint: 'name rules or groups, such as --rules file,tree' });
}

function chooseSetting<Value>(
  flag: Value | undefined,
  config: Value | undefined,
  otherwise: Value,
): { value: Value; from: From } {
  if (flag !== undefined) return { value: flag, from: 'flag' };
  return config === undefined ? { value: otherwise, from: 'default' } : { value: config, from: 'config' };
}
