import type { Zone } from './zones.js';

const SHORTEN = ['dedupe', 'errors', 'thinking', 'images'];

/** Whole turns go first, because what is dropped need not be shortened. */
function dropFirst(...dropping: readonly string[]): Readonly<Record<Zone, readonly string[]>> {
  return {
    green: dropping,
    yellow: [...dropping, ...SHORTEN, 'distill'],
    red: [...dropping, ...SHORTEN, 'compress', 'distill'],
    compact: [...dropping, ...SHORTEN, 'fold', 'compress', 'distill'],
  };
}

/** Summaries stay: one of a compaction or a branch is the only record of the messages that it replaced. */
const DROPPING = dropFirst('turns');

/** The policies that have a name. Each zone of one does what the zone before it does, and more. */
export const POLICIES = {
  shorten: {
    recentTurns: { green: 12, yellow: 8, red: 4, compact: 1 },
    zones: { ...DROPPING, green: [], yellow: [...SHORTEN, 'distill'] },
    compactFrom: 'red',
    pruneAt: 'zone',
    checkAt: 'turn',
  },
  turns: {
    recentTurns: { green: 8, yellow: 4, red: 2, compact: 1 },
    zones: { ...DROPPING, green: [] },
    compactFrom: 'red',
    pruneAt: 'zone',
    checkAt: 'turn',
  },
  'context-manager': {
    recentTurns: { green: 6, yellow: 3, red: 1, compact: 1 },
    // The extension of Pi that this policy follows replaces summaries by its packet. They go first: a summary of a
    // branch that
    // stays joins the turn after it.
    zones: dropFirst('summaries', 'turns'),
    compactFrom: 'red',
    pruneAt: 'turn',
    checkAt: 'answer',
  },
} as const satisfies Readonly<Record<string, NamedPolicy>>;

export type PolicyName = keyof typeof POLICIES;

export const POLICY_NAMES = Object.keys(POLICIES) as readonly PolicyName[];

export const DEFAULT_POLICY = 'turns' satisfies PolicyName;

/** The fields that depend on the name of a policy. */
interface NamedPolicy {
  readonly recentTurns: Readonly<Record<Zone, number>>;
  readonly zones: Readonly<Record<Zone, readonly string[]>>;
  readonly compactFrom: 'red' | 'compact';
  readonly pruneAt: 'zone' | 'turn';
  readonly checkAt: 'turn' | 'answer';
}

export const DEFAULTS: NamedPolicy = POLICIES[DEFAULT_POLICY];

/** Completes the settings of a user with those of a named policy. */
export function mergeSettings(name: PolicyName, { recentTurns, zones, ...others }: PolicySettings): object {
  const base: NamedPolicy = POLICIES[name];
  return {
    ...base,
    ...others,
    recentTurns: { ...base.recentTurns, ...recentTurns },
    zones: { ...base.zones, ...zones },
  };
}

/** Settings that the schema has checked. */
export interface PolicySettings {
  readonly policy?: PolicyName;
  readonly recentTurns?: object;
  readonly zones?: object;
}
