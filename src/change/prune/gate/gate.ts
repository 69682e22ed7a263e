import { type Mode, modeIn, type Policy } from '../policy.js';
import { isWorse, type Zone, zoneOf, ZONES } from '../zones.js';

/** What a policy asks for when a context gets too full. */
export type Request = Exclude<Mode, 'watch'>;

/** What happened in a session: a turn ended with so many tokens in the context, or something has made that smaller. */
export type Happening = { readonly kind: 'turn-end'; readonly tokens: number } | { readonly kind: 'relief' };

/**
 * Why something is asked for or not. `crossed`: the context has got into a worse zone than before, or is in one still
 * and may be asked about again. `watch`: the policy does nothing in this zone. `latched`: it was asked for before, and
 * since then it was not done and the tokens have not fallen back. `cooldown`: it was asked for too few turns ago.
 */
export const WHYS = ['crossed', 'watch', 'latched', 'cooldown'] as const;

/** What the gate says at the end of a turn. */
export interface Verdict {
  readonly zone: Zone;
  /** What the policy does in this zone. */
  readonly mode: Mode;
  /** null: nothing. */
  readonly asks: Request | null;
  readonly why: (typeof WHYS)[number];
}

/** What is remembered from one turn to the next. */
export interface GateState {
  /** Turn ends so far. */
  readonly ends: number;
  /** Nothing is asked for in this zone and those before it; green: the gate is open. */
  readonly latch: Zone;
  /** By zone, the turn end at which something was asked for last, counted from 1. A compaction stands at the mildest zone that calls for one. */
  readonly asked: Readonly<Partial<Record<Zone, number>>>;
  /** Something has made the context smaller since the newest turn end. */
  readonly isRelieved: boolean;
}

export const OPEN: GateState = { ends: 0, latch: 'green', asked: {}, isRelieved: false };

/** What a gate decides by. */
export interface GateRules {
  readonly policy: Policy;
  /** The model's context window in tokens. */
  readonly limit: number;
}

export interface GateStep {
  readonly state: GateState;
  /** null: no turn has ended. */
  readonly verdict: Verdict | null;
}

/** What a gate does when something happens. Start with `OPEN`. */
export function gateStep(state: GateState, happening: Happening, rules: GateRules): GateStep {
  // What was asked for was done, so that the same pressure may be complained of again.
  if (happening.kind === 'relief') return { state: { ...state, latch: 'green', isRelieved: true }, verdict: null };
  return afterTurn(state, happening.tokens, rules);
}

function afterTurn(before: GateState, tokens: number, { policy, limit }: GateRules): GateStep {
  const ends = before.ends + 1;
  const zone = zoneOf(tokens, limit, policy.thresholds);
  const mode = modeIn(policy, zone);
  const asked = askedStill(before, zone);
  // Once the tokens have fallen back out of a zone, it may be asked about again.
  const latch = isWorse(before.latch, zone) ? zone : before.latch;
  const silent = (why: Verdict['why']): GateStep => ({
    state: { ends, latch, asked, isRelieved: false },
    verdict: { zone, mode, asks: null, why },
  });
  if (mode === 'watch') return silent('watch');
  // One compaction is enough for all zones that ask for one.
  if (!isWorse(zone, latch) || modeIn(policy, latch) === 'compact') return silent('latched');
  if (cooldownLeft(before, zone, policy) > 0) return silent('cooldown');
  return {
    state: { ends, latch: zone, asked: { ...asked, [levelOf(zone, policy)]: ends }, isRelieved: false },
    verdict: { zone, mode, asks: mode, why: 'crossed' },
  };
}

/** For how many turn ends to come nothing is asked for in a zone, as it or more was asked for not long ago. */
export function cooldownLeft(state: GateState, zone: Zone, policy: Policy): number {
  const asked = askedStill(state, zone);
  const level = levelOf(zone, policy);
  const last = Math.max(...ZONES.map((each) => (isWorse(level, each) ? -Infinity : (asked[each] ?? -Infinity))));
  return Math.max(0, policy.cooldownTurns - (state.ends - last));
}

/** One compaction is as good as another, whatever zone calls for it. */
function levelOf(zone: Zone, policy: Policy): Zone {
  return modeIn(policy, zone) === 'compact' ? policy.compactFrom : zone;
}

/** What was done and has helped needs no cooldown. What has not would be asked for again and again. */
function askedStill({ asked, isRelieved }: GateState, zone: Zone): GateState['asked'] {
  if (!isRelieved) return asked;
  const still = ZONES.filter((each) => !isWorse(each, zone));
  return Object.fromEntries(still.flatMap((each) => (asked[each] === undefined ? [] : [[each, asked[each]]])));
}
