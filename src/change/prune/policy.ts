import type * as z from 'zod/mini';
import type { DeepReadonly, JsonObject } from '#base/json.js';
import type { Strategy } from './define.js';
import { policy, type Zone } from './policy-schema.js';
import type { PruneStep } from './prune.js';
import { strategies } from './strategies/index.js';

/** A strategy as a policy names it: alone or with its options. */
export type StepSetting = string | readonly [string] | readonly [string, JsonObject];

/** When and how a context is pruned, and which parts are protected. */
export type Policy = Omit<DeepReadonly<z.infer<typeof policy>>, 'zones'> & {
  /** The strategies of each zone, in order. */
  readonly zones: Readonly<Record<Zone, readonly StepSetting[]>>;
};

/**
 * The mode of a policy in a zone: `watch` is nothing, `prune` makes messages shorter or leaves them out, `compact` asks
 * for a compaction.
 */
export type Mode = 'watch' | 'prune' | 'compact';

export function modeIn({ zones, compactFrom, pruneAt }: Policy, zone: Zone): Mode {
  if (zone === 'compact' || zone === compactFrom) return 'compact';
  // No turn end enters the first zone: only a policy that prunes at every turn end does so there.
  const isEntered = zone !== 'green' || pruneAt === 'turn';
  return isEntered && zones[zone].length > 0 ? 'prune' : 'watch';
}

/** The policy that holds where none is configured. */
export function defaultPolicy(): Policy {
  return policy.parse({});
}

/** The steps of a policy in a zone. Its strategies and their options are known: see `policyIn`. */
export function stepsFor(inForce: Policy, zone: Zone): readonly PruneStep[] {
  return inForce.zones[zone].flatMap((setting) => {
    const { strategy, options } = namedStepOf(setting, inForce, zone);
    return strategy ? [stepOf(strategy, options)] : [];
  });
}

/** A strategy as the user named it. */
export interface NamedStep {
  readonly name: string;
  /** null: there is none of that name. */
  readonly strategy: Strategy | null;
  /** Not read yet; undefined: none are given. */
  readonly options: unknown;
}

/** Resolves a step of a zone. The zone's `recentTurns` is the default of the strategy `turns`. */
export function namedStepOf(setting: StepSetting, { recentTurns }: Policy, zone: Zone): NamedStep {
  const name = nameIn(setting);
  const given = typeof setting === 'string' ? undefined : setting[1];
  const strategy = strategies.find((each) => each.name === name) ?? null;
  return { name, strategy, options: name === 'turns' ? { keep: recentTurns[zone], ...given } : given };
}

/** The name of the strategy. */
export function nameIn(setting: StepSetting): string {
  return typeof setting === 'string' ? setting : setting[0];
}

/** Options that the schema of the strategy takes. */
export function stepOf(strategy: Strategy, options: unknown): PruneStep {
  // Only what its own schema has read is given to a strategy; one without a schema is given undefined.
  return { strategy, options: strategy.options?.parse(options ?? {}) as never };
}
