import * as z from 'zod/mini';
import type { Strategy } from './define.js';
import { DEFAULT_POLICY, DEFAULTS, POLICIES, type PolicyName } from './named-policies.js';
import { ZONES } from './zones.js';

/** A strategy by its name, alone or with options. */
const strategySetting = z.union(
  [z.string(), z.tuple([z.string()]), z.tuple([z.string(), z.record(z.string(), z.unknown())])],
  'must be a strategy name, or a list of the name and its options',
);

const strategySettings = z.array(strategySetting);

const share = z.number().check(z.positive(), z.maximum(1));

const turns = z.int().check(z.positive());

/** A shorter packet would say nothing: see `LEAST_PACKET_TOKENS`. */
const packetTokens = z.int().check(z.minimum(64));

const names = z.array(z.string().check(z.minLength(1), z.maxLength(1000)));

/** The names of the kinds of messages that can be protected: those of `ItemKind` that prune itself does not write. */
const role = z.enum(['user', 'bash', 'custom', 'branch-summary', 'compaction-summary', 'assistant', 'toolResult']);

const zoneThresholds = z
  .strictObject({
    yellow: z._default(share, 0.5),
    red: z._default(share, 0.7),
    compact: z._default(share, 0.85),
  })
  .check(
    z.refine(({ yellow, red, compact }) => yellow <= red && red <= compact, {
      error: 'must increase from yellow to red to compact (defaults: 0.5, 0.7 and 0.85)',
    }),
    z.describe('Shares of the context window at which the zones begin.'),
  );

const ABOUT_ZONES = 'Strategies of each zone, in order.';

const fields = {
  policy: z
    ._default(z.enum(Object.keys(POLICIES) as [PolicyName]), DEFAULT_POLICY)
    .check(z.describe('The policy whose values the other fields change.')),
  thresholds: z.prefault(zoneThresholds, {}),
  recentTurns: z.prefault(
    z
      .strictObject({
        green: z._default(turns, DEFAULTS.recentTurns.green),
        yellow: z._default(turns, DEFAULTS.recentTurns.yellow),
        red: z._default(turns, DEFAULTS.recentTurns.red),
        compact: z._default(turns, DEFAULTS.recentTurns.compact),
      })
      .check(z.describe('Number of newest turns that the strategy `turns` keeps in each zone.')),
    {},
  ),
  zones: z.prefault(
    z
      .strictObject({
        green: z._default(strategySettings, [...DEFAULTS.zones.green]),
        yellow: z._default(strategySettings, [...DEFAULTS.zones.yellow]),
        red: z._default(strategySettings, [...DEFAULTS.zones.red]),
        compact: z._default(strategySettings, [...DEFAULTS.zones.compact]),
      })
      .check(z.describe(ABOUT_ZONES)),
    {},
  ),
  packetTokens: z
    ._default(packetTokens, 2000)
    .check(z.describe('Maximum tokens of the packet that replaces dropped turns.')),
  compactFrom: z
    ._default(z.enum(['red', 'compact']), DEFAULTS.compactFrom)
    .check(z.describe('First zone in which the policy requests a compaction; in earlier zones it requests pruning.')),
  pruneAt: z
    ._default(z.enum(['zone', 'turn']), DEFAULTS.pruneAt)
    .check(z.describe('When the policy requests pruning: when a zone begins, or at the end of every turn.')),
  checkAt: z
    ._default(z.enum(['turn', 'answer']), DEFAULTS.checkAt)
    .check(
      z.describe('When the policy looks at the context: at turn ends, or after each answer and its tool results.'),
    ),
  cooldownTurns: z
    ._default(z.int().check(z.nonnegative()), 3)
    .check(z.describe('Number of turns before the policy repeats a request of the same kind.')),
  protect: z.prefault(
    z
      .strictObject({
        tools: z._default(names, []).check(z.describe('Tool name patterns.')),
        paths: z._default(names, []).check(z.describe('Path patterns of files that a tool read or wrote.')),
        roles: z._default(z.array(role), []),
        labels: z._default(names, []).check(z.describe('Label patterns.')),
      })
      .check(z.describe('Messages that are never pruned.')),
    {},
  ),
};

/** When and how a context is pruned, and which parts are protected. Every field has a default. */
export const policySchema = z.strictObject(fields);

/** The policy's schema with the strategies that there are and their options, for editors. */
export function buildPolicySchema(strategies: readonly Strategy[]): z.ZodMiniType {
  const steps = strategies.flatMap(({ name, options }) => {
    const alone = z.literal(name);
    return options ? [alone, z.tuple([alone]), z.tuple([alone, options])] : [alone, z.tuple([alone])];
  });
  const list = z.array(z.union(steps).check(z.meta({ id: 'step' })));
  const zones = ZONES.map((zone) => [zone, z._default(list, [...DEFAULTS.zones[zone]])] as const);
  const about = z.describe(ABOUT_ZONES);
  return z.strictObject({ ...fields, zones: z.prefault(z.strictObject(Object.fromEntries(zones)).check(about), {}) });
}
