import type * as z from 'zod/mini';
import { findComplaint } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import type { DeepReadonly, JsonObject } from '#base/json.js';
import { didYouMean } from '#base/suggestion.js';
import { splitNames } from '#base/text.js';
import type { Strategy } from './define.js';
import { DEFAULT_POLICY, mergeSettings, type PolicyName, type PolicySettings } from './named-policies.js';
import { policySchema } from './policy-schema.js';
import type { ConfiguredStrategy } from './prune.js';
import { strategies } from './strategies/index.js';
import { type Zone, ZONES } from './zones.js';

/** A strategy as a policy names it: alone or with its options. */
export type StrategySetting = string | readonly [string] | readonly [string, JsonObject];

/** When and how a context is pruned, and which parts are protected. */
export type Policy = Omit<DeepReadonly<z.infer<typeof policySchema>>, 'zones'> & {
  /** The strategies of each zone, in order. */
  readonly zones: Readonly<Record<Zone, readonly StrategySetting[]>>;
};

/**
 * The mode of a policy in a zone: `watch` is nothing, `prune` makes messages shorter or leaves them out, `compact` asks
 * for a compaction.
 */
export type PolicyMode = 'watch' | 'prune' | 'compact';

export function modeIn({ zones, compactFrom, pruneAt }: Policy, zone: Zone): PolicyMode {
  if (zone === 'compact' || zone === compactFrom) return 'compact';
  // No turn end enters the first zone: only a policy that prunes at every turn end does so there.
  const isEntered = zone !== 'green' || pruneAt === 'turn';
  return isEntered && zones[zone].length > 0 ? 'prune' : 'watch';
}

export function defaultPolicy(): Policy {
  return policySchema.parse({});
}

/** The strategies of a policy in a zone. `readPolicy` has checked them. */
export function listZoneStrategies(policy: Policy, zone: Zone): readonly ConfiguredStrategy[] {
  return policy.zones[zone].flatMap((setting) => {
    const { strategy, options } = resolveStrategy(setting, policy, zone);
    return strategy ? [configureStrategy(strategy, options)] : [];
  });
}

/** A strategy as the user named it. */
export interface StrategyRequest {
  readonly name: string;
  /** null: no strategy has this name. */
  readonly strategy: Strategy | null;
  /** The options before they are checked; undefined if there are none. */
  readonly options: unknown;
}

/** Resolves a strategy of a zone. The zone's `recentTurns` is the default of the strategy `turns`. */
export function resolveStrategy(setting: StrategySetting, { recentTurns }: Policy, zone: Zone): StrategyRequest {
  const name = nameStrategy(setting);
  const own = typeof setting === 'string' ? undefined : setting[1];
  const strategy = strategies.find((each) => each.name === name) ?? null;
  return { name, strategy, options: name === 'turns' ? { keep: recentTurns[zone], ...own } : own };
}

export function nameStrategy(setting: StrategySetting): string {
  return typeof setting === 'string' ? setting : setting[0];
}

/** Reads the options of a strategy by its schema, which has to accept them; undefined for one without a schema. */
export function configureStrategy(strategy: Strategy, options: unknown): ConfiguredStrategy {
  return { strategy, options: strategy.options?.parse(options ?? {}) };
}

/**
 * Parses a policy; `{}` is the default one. `file` holds it; `name` is the policy that it changes, instead of the one
 * that it names. Throws a CtxError (usage) for invalid values, unknown strategies and options that a strategy does not
 * accept.
 */
export function readPolicy(value: unknown, file: string, name?: PolicyName): Policy {
  const complaint = findComplaint(policySchema, value, ['prune']);
  if (complaint !== null) throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
  // The schema above has checked the form.
  const settings = value as PolicySettings;
  const policy = policySchema.parse(mergeSettings(name ?? settings.policy ?? DEFAULT_POLICY, settings));
  for (const zone of ZONES)
    for (const [at, setting] of policy.zones[zone].entries())
      checkStrategy(resolveStrategy(setting, policy, zone), { file, place: ['prune', 'zones', zone, at, 1] });
  return policy;
}

/**
 * The strategies of a list such as `turns,distill`, in its order, with the options that a policy gives them in a zone.
 * Throws a CtxError (usage) for unknown names.
 */
export function readStrategies(list: string, policy: Policy, zone: Zone): readonly ConfiguredStrategy[] {
  const names = [...new Set(splitNames(list))];
  if (names.length === 0)
    throw new CtxError('usage', 'no strategies are named', { hint: `name some of ${listStrategyNames().join(', ')}` });
  return names.map((name) => {
    const setting = policy.zones[zone].find((each) => nameStrategy(each) === name);
    return checkStrategy(resolveStrategy(setting ?? name, policy, zone), { place: [name] });
  });
}

interface OptionsPlace {
  readonly file?: string;
  /** The place of the options. */
  readonly place: readonly PropertyKey[];
}

function checkStrategy(
  { name, strategy, options }: StrategyRequest,
  { file, place }: OptionsPlace,
): ConfiguredStrategy {
  const where = file === undefined ? {} : { where: file };
  if (!strategy) {
    const hint = didYouMean(name, listStrategyNames(), `the strategies are ${listStrategyNames().join(', ')}`);
    throw new CtxError('usage', `unknown strategy "${name}"`, { ...where, hint });
  }
  if (!strategy.options && options !== undefined)
    throw new CtxError('usage', `the strategy "${name}" takes no options`, { ...where, hint: 'leave them out' });
  const complaint = strategy.options ? findComplaint(strategy.options, options ?? {}, place) : null;
  if (complaint !== null) throw new CtxError('usage', complaint.what, { ...where, hint: complaint.hint });
  return configureStrategy(strategy, options);
}

function listStrategyNames(): readonly string[] {
  return strategies.map(({ name }) => name);
}
