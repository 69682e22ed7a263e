import { loadRules } from '#analysis/check/index.js';
import type { CheckSettings, RuleSettings } from '#analysis/check/settings.js';
import { CtxError } from '#base/errors.js';
import { splitNames } from '#base/text.js';
import { type ConfigFlags, readConfig, readConfigBaseline, resolveConfigName } from '#cli/config/read-config.js';
import { locateSession } from '#cli/locate.js';
import { openForCommand } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { Session } from '#session/session.js';
import type { CheckConfig } from './document.js';
import { readRuleSettings, type RuleInForce, type RuleSelection } from './rule-settings.js';

/** The flags of a check; one that was not given is undefined. */
export interface CheckFlags extends ConfigFlags {
  readonly rules?: string | undefined;
  readonly requests?: CheckSettings['requests'] | undefined;
  readonly limit?: number | undefined;
  readonly known?: string | undefined;
  readonly 'max-warnings'?: number | undefined;
}

/** The settings of a check, and a plan that names the source of each. */
interface PlannedCheck {
  readonly settings: CheckSettings;
  readonly plan: Omit<CheckConfig, 'schema' | 'schemaVersion'>;
}

/**
 * The settings of a check from all sources, and a plan with the origin of each. File names are relative to the working
 * directory. Loads only the needed groups of rules. Throws a CtxError (usage) for invalid values.
 */
export async function readCheckSettings(
  io: Io,
  flags: CheckFlags,
  knows: RuleSelection['knows'] = 'needed rules',
): Promise<PlannedCheck> {
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

/**
 * The rules that are on, with options that need another session completed. Throws a CtxError (input) if it cannot be
 * read.
 */
async function prepareRules(
  io: Io,
  file: string | null,
  rules: readonly RuleInForce[],
): Promise<readonly RuleSettings[]> {
  const wanted = rules.flatMap(({ name, group, severity, options }) =>
    severity === 'off' ? [] : [{ name, group, severity, options: options ?? undefined }],
  );
  return Promise.all(wanted.map((rule) => prepareRule(io, file, rule)));
}

async function prepareRule(io: Io, file: string | null, wanted: RuleSettings): Promise<RuleSettings> {
  const rule = (await loadRules([wanted.group])).find(({ name }) => name === wanted.name);
  if (!rule?.prepare) return wanted;
  const open = async (name: string): Promise<Session> => {
    const beside = resolveConfigName(file, io, name);
    return openForCommand(io, await locateSession(io, io.files.exists(beside) ? beside : name));
  };
  return { ...wanted, options: await rule.prepare(wanted.options, open) };
}

function readRuleNames(list: string): readonly string[] {
  const names = splitNames(list);
  if (names.length > 0) return names;
  throw new CtxError('usage', 'no rules are named', { hint: 'name rules or groups, such as --rules file,tree' });
}

/** A setting with its source. */
interface SourcedSetting<Value> {
  value: Value;
  from: RuleInForce['from'];
}

/** The setting of a flag, else that of the configuration, else the default. */
function chooseSetting<Value>(
  flag: Value | undefined,
  config: Value | undefined,
  otherwise: Value,
): SourcedSetting<Value> {
  if (flag !== undefined) return { value: flag, from: 'flag' };
  return config === undefined ? { value: otherwise, from: 'default' } : { value: config, from: 'config' };
}
