import { modeIn, type Policy, type PolicyMode } from '../policy.js';
import { isFuller, type Zone, zoneOf, ZONES } from '../zones.js';
import type { GateTurn } from './document.js';

/** A request of a policy when a context gets too full. */
export type GateRequest = Exclude<PolicyMode, 'watch'>;

/** An event in a session: a turn ended with N tokens in the context, or an entry has made the context smaller. */
export type GateInput = { readonly kind: 'turn-end'; readonly tokens: number } | { readonly kind: 'relief' };

/** The decision of the gate at the end of a turn. */
export type GateVerdict = Readonly<Pick<GateTurn, 'zone' | 'mode' | 'asks' | 'why'>>;

/** The state of a gate between turns. */
export interface GateState {
  /** Turn ends so far. */
  readonly ends: number;
  /** Nothing is asked for in this zone and those before it; green: the gate is open. */
  readonly latch: Zone;
  /**
   * The last turn end with a request of the gate, by zone, counted from 1. A compaction counts for the mildest zone
   * that requires one.
   */
  readonly asked: Readonly<Partial<Record<Zone, number>>>;
  /** Something has made the context smaller since the newest turn end. */
  readonly isRelieved: boolean;
}

/** The state before the first turn. */
export const OPEN_GATE: GateState = { ends: 0, latch: 'green', asked: {}, isRelieved: false };

export interface GateRules {
  readonly policy: Policy;
  /** The model's context window in tokens. */
  readonly limit: number;
}

export interface GateResult {
  readonly state: GateState;
  /** null: no turn has ended. */
  readonly verdict: GateVerdict | null;
}

/** Advances a gate by one event. Start with `OPEN_GATE`. */
export function gateStep(state: GateState, happening: GateInput, rules: GateRules): GateResult {
  // The requested action was done, so the same pressure may be reported again.
  if (happening.kind === 'relief') return { state: { ...state, latch: 'green', isRelieved: true }, verdict: null };
  return judgeTurnEnd(state, happening.tokens, rules);
}

function judgeTurnEnd(before: GateState, tokens: number, { policy, limit }: GateRules): GateResult {
  const ends = before.ends + 1;
  const zone = zoneOf(tokens, limit, policy.thresholds);
  const mode = modeIn(policy, zone);
  const asked = listPendingRequests(before, zone);
  // Once the tokens have fallen back out of a zone, it may be asked about again.
  const latch = isFuller(before.latch, zone) ? zone : before.latch;
  const silent = (why: GateVerdict['why']): GateResult => ({
    state: { ends, latch, asked, isRelieved: false },
    verdict: { zone, mode, asks: null, why },
  });
  if (mode === 'watch') return silent('watch');
  if (mode === 'prune' && policy.pruneAt === 'turn')
    return { ...silent('every'), verdict: { zone, mode, asks: mode, why: 'every' } };
  // One compaction is enough for all zones that ask for one.
  if (!isFuller(zone, latch) || modeIn(policy, latch) === 'compact') return silent('latched');
  if (countCooldownTurns(before, zone, policy) > 0) return silent('cooldown');
  return {
    state: { ends, latch: zone, asked: { ...asked, [findRequestLevel(zone, policy)]: ends }, isRelieved: false },
    verdict: { zone, mode, asks: mode, why: 'crossed' },
  };
}

/**
 * Counts the turn ends until the gate may ask again in a zone, after a recent request for that zone or a fuller one.
 */
export function countCooldownTurns(state: GateState, zone: Zone, policy: Policy): number {
  const asked = listPendingRequests(state, zone);
  const level = findRequestLevel(zone, policy);
  const last = Math.max(...ZONES.map((each) => (isFuller(level, each) ? -Infinity : (asked[each] ?? -Infinity))));
  return Math.max(0, policy.cooldownTurns - (state.ends - last));
}

/** One compaction is as good as another, whatever zone calls for it. */
function findRequestLevel(zone: Zone, policy: Policy): Zone {
  return modeIn(policy, zone) === 'compact' ? policy.compactFrom : zone;
}

/** A request that was done and has helped needs no cooldown. One that has not would be repeated again and again. */
function listPendingRequests({ asked, isRelieved }: GateState, zone: Zone): GateState['asked'] {
  if (!isRelieved) return asked;
  const still = ZONES.filter((each) => !isFuller(each, zone));
  return Object.fromEntries(still.flatMap((each) => (asked[each] === undefined ? [] : [[each, asked[each]]])));
}
