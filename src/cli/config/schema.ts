import * as z from 'zod/mini';
import type { Rule } from '#analysis/check/define.js';
import { findComplaint } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import type { DeepReadonly, JsonObject } from '#base/json.js';
import { readConfiguredCount } from '#base/numbers.js';
import { omitUndefined } from '#base/omit-undefined.js';
import { optionalField } from '#base/schema.js';
import type { Strategy } from '#change/prune/define.js';
import { buildPolicySchema, policySchema } from '#change/prune/policy-schema.js';
import { liveSchema } from '#live/settings.js';
import { isConfigProgram } from '#platform/files/load-config.js';
import { THEMES } from '#ui/doc/style.js';
import { assemblySchema } from './assembly-schema.js';

const LEVELS = ['off', 'note', 'warning', 'error'] as const;

const level = z.enum(LEVELS).check(z.meta({ id: 'level' }));

/** The severity of a rule's findings, alone or with the rule's options. */
const ruleSetting = z.union(
  [level, z.tuple([level]), z.tuple([level, z.record(z.string(), z.unknown())])],
  `must be ${LEVELS.map((name) => `"${name}"`).join(', ')}, or a list of one of them and the options`,
);

const path = z.string().check(z.minLength(1));

/** The value of a flag; true for a flag without one. */
const flagValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const flagValues = z.record(z.string(), flagValue).check(z.meta({ id: 'flags' }));
const ABOUT_DEFAULTS = 'Flags of commands, by the name of the command, for where the command line says nothing.';

const LIMIT_DEMAND = 'must be a number of tokens, such as 200000 or "200k"';

const fields = {
  $schema: optionalField(z.string(), 'Where the JSON Schema of this file is, for editors.'),
  files: optionalField(
    z.array(path),
    'Files, folders and patterns that are checked where the command line names none.',
  ),
  rules: z.optional(z.record(z.string(), ruleSetting)),
  requests: optionalField(
    z.enum(['leaf', 'all']),
    'Look at what would be sent next, or at every request of the active path.',
  ),
  limit: optionalField(
    z
      .union([z.number(), z.string()], LIMIT_DEMAND)
      .check(z.refine((value) => readConfiguredCount(value) !== null, LIMIT_DEMAND)),
    'The context window of the model in tokens: 200000, or "200k".',
  ),
  contextBaseline: optionalField(path, 'A file with parts, tools and options that sessions do not record.'),
  known: optionalField(path, 'A file of recorded findings, which do not count any more.'),
  baseline: optionalField(path, 'An earlier name of `known`.'),
  maxWarnings: optionalField(z.int().check(z.nonnegative()), 'How many warnings are too many for an exit code of 0.'),
  archive: optionalField(path, 'The folder in which ctx archive keeps sessions.'),
  theme: optionalField(z.enum(THEMES), 'The colours on a terminal: without red and green, or for a light background.'),
  defaults: optionalField(z.record(z.string(), flagValues), ABOUT_DEFAULTS),
  prune: z.optional(policySchema),
  assembly: z.optional(assemblySchema),
  live: optionalField(liveSchema, 'How the extension of Pi works: see docs/use/live.md.'),
};

/** The schema of a configuration. Paths and patterns are relative to its file. */
export const configSchema = z.strictObject(fields);

export type Level = (typeof LEVELS)[number];
export type RuleSetting = Level | readonly [Level] | readonly [Level, JsonObject];
/** A configuration as a file has it. */
export type WrittenConfig = Omit<DeepReadonly<z.input<typeof configSchema>>, 'rules'> & {
  readonly rules?: Readonly<Record<string, RuleSetting>> | undefined;
};

/** A configuration with current names, and the limit as a number. */
export type Config = Omit<WrittenConfig, 'limit' | 'baseline'> & { readonly limit?: number | undefined };

/** The setting of a rule without options. */
const plainSetting = z.union([level, z.tuple([level])]).check(z.meta({ id: 'setting' }));

/** The names that a configuration may use. */
export interface KnownNames {
  readonly rules: readonly Rule[];
  readonly groups: readonly string[];
  readonly strategies: readonly Strategy[];
  /** Names of commands, and the words that subcommands share. */
  readonly commands: readonly string[];
}

/** The schema of a configuration with the options of each rule and strategy, for editors. */
export function buildConfigSchema({ rules, groups, strategies, commands }: KnownNames): z.ZodMiniType {
  const settings: Record<string, z.ZodMiniType> = {};
  for (const name of groups) {
    const setting = isOnlyOff(name, rules) ? z.literal('off') : level;
    settings[name] = z.optional(setting).check(z.describe(`All rules of the group ${name} that are on.`));
  }
  for (const { name, summary, options } of rules) {
    const setting = options ? buildSettingSchema(options) : plainSetting;
    settings[name] = z.optional(setting).check(z.describe(`${summary}.`));
  }
  const about = z.describe('How bad the findings of a rule or a group of rules are; a rule counts before its group.');
  const ofPrune = buildPolicySchema(strategies).check(
    z.describe('How ctx prune, ctx status and ctx status --history work.'),
  );
  return z.strictObject({
    ...fields,
    rules: z.optional(z.strictObject(settings).check(about)),
    defaults: optionalField(
      z.strictObject(Object.fromEntries(commands.map((name) => [name, z.optional(flagValues)]))),
      ABOUT_DEFAULTS,
    ),
    prune: z.optional(ofPrune),
  });
}

/** The setting of a rule with options. One that needs them can only be turned off without. */
function buildSettingSchema(options: NonNullable<Rule['options']>): z.ZodMiniType {
  const alone = options.safeParse({}).success ? level : z.literal('off');
  return z.union([alone, z.tuple([alone]), z.tuple([level, options])]);
}

/** Whether the rules of a group are off until they are set one by one, so that the group has nothing to turn on. */
export function isOnlyOff(group: string, rules: readonly Rule[]): boolean {
  const members = rules.filter((rule) => rule.group === group);
  return members.length > 0 && members.every(({ severity }) => severity === null);
}

/** Parses a configuration. Throws a CtxError (usage) for invalid values. */
export function parseConfig(value: unknown, file: string): Config {
  if (value === undefined || value === null) {
    const hint = file.endsWith('package.json') ? 'add the key "ctx"' : 'an empty configuration is {}';
    throw new CtxError('usage', 'there is no configuration', { where: file, hint });
  }
  try {
    return validateConfig(value, file);
  } catch (error) {
    if (error instanceof CtxError) throw error;
    // A program may export a getter that throws.
    const what = `cannot read the configuration: ${error instanceof Error ? error.message : String(error)}`;
    throw new CtxError('usage', what, { where: file, hint: 'repair the file, or pass --no-config to ignore it' });
  }
}

function validateConfig(value: unknown, file: string): Config {
  const complaint = findComplaint(configSchema, value);
  if (complaint !== null) throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
  const { prune } = value as WrittenConfig;
  const read = configSchema.parse(value);
  // The fields of a policy that are left out are those of the policy that it names: see `readPolicy`.
  return refuseDefaultsInProgram(toCurrent(prune ? { ...read, prune } : read), file);
}

/** A configuration with current names. A key that is undefined would hide that of the user's own configuration. */
function toCurrent({ limit, baseline, known = baseline, ...config }: WrittenConfig): Config {
  return { ...config, ...omitUndefined({ limit: readConfiguredCount(limit) ?? undefined, known }) };
}

/** Refuses defaults in a configuration that is a program: every command reads defaults, but few may run code. */
function refuseDefaultsInProgram(read: Config, file: string): Config {
  if (read.defaults === undefined || !isConfigProgram(file)) return read;
  throw new CtxError('usage', '"defaults" is allowed in JSON only: ctx runs no program to read it', {
    where: file,
    hint: 'put it into the key "ctx" of a package.json, or write ctx.config.json instead of this file',
  });
}
