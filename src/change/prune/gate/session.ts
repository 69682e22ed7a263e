import { asCount } from '#base/json.js';
import type { Session } from '#session/session.js';
import { modeIn } from '../policy.js';
import { type Recording, type Relief, type TurnEnd, turnEnds } from '../turn-ends.js';
import type { Zone } from '../zones.js';
import { gateStep, type GateRules, type GateState, OPEN, type Request, type Verdict } from './gate.js';

/** A turn end at which something was asked for. */
export interface Asked {
  readonly request: Request;
  readonly end: TurnEnd;
  /** Turn ends are counted from 1. */
  readonly number: number;
}

export interface GatedTurn {
  readonly kind: 'turn-end';
  readonly end: TurnEnd;
  readonly verdict: Verdict;
  /** The zone of the turn end before it. */
  readonly from: Zone;
  /** What a gate that says nothing is still waiting for; null: it waits for nothing, or only for the tokens to fall. */
  readonly waitsFor: Asked | null;
}

export interface GatedRelief {
  readonly kind: 'relief';
  readonly relief: Relief;
  /** Of the context, as recorded, else as at the turn end before it; null: there is none. */
  readonly tokensBefore: number | null;
  /** What the gate was waiting for; null: nothing. */
  readonly asked: Asked | null;
  /** How many turns had ended since that was asked for. */
  readonly turnEndsSince: number | null;
}

export type GateEvent = GatedTurn | GatedRelief;

/** What a gate would have said while a session was made, and how it stands in the end. */
export interface GateReport {
  readonly state: GateState;
  readonly waitsFor: Asked | null;
}

/** Replays what a path records. Returns what the gate remembers at its end. */
export function* gateSession(
  session: Session,
  recording: Recording,
  rules: GateRules,
): Generator<GateEvent, GateReport> {
  let state = OPEN;
  let from: Zone = 'green';
  let tokens: number | null = null;
  let asked: Open = {};
  for (const happening of turnEnds(session, recording)) {
    if (happening.kind === 'relief') {
      const { relief } = happening;
      const request = newest(asked);
      yield {
        kind: 'relief',
        relief,
        tokensBefore: recordedBefore(session, relief) ?? tokens,
        asked: request,
        turnEndsSince: request && state.ends - request.number,
      };
      ({ state } = gateStep(state, { kind: 'relief' }, rules));
      asked = {};
      continue;
    }
    const { end } = happening;
    const { state: next, verdict } = gateStep(state, { kind: 'turn-end', tokens: end.tokens }, rules);
    state = next;
    tokens = end.tokens;
    if (!verdict) continue;
    const { zone, asks } = verdict;
    asked = stillOpen(
      asks === null ? asked : { ...asked, [asks]: { request: asks, end, number: state.ends } },
      state,
      rules,
    );
    yield { kind: 'turn-end', end, verdict, from, waitsFor: newest(asked) };
    from = zone;
  }
  return { state, waitsFor: newest(asked) };
}

/** Requests that were not answered yet. */
type Open = Readonly<Partial<Record<Request, Asked>>>;

/** Those that the tokens have not fallen back from. */
function stillOpen({ prune, compact }: Open, { latch }: GateState, { policy }: GateRules): Open {
  if (latch === 'green') return {};
  return { ...(prune && { prune }), ...(compact && modeIn(policy, latch) === 'compact' && { compact }) };
}

/** A compaction is never followed by a request for less. */
function newest({ prune, compact }: Open): Asked | null {
  return compact ?? prune ?? null;
}

function recordedBefore(session: Session, { head }: Relief): number | null {
  const tokensBefore = asCount(session.entry(head)['tokensBefore']);
  return tokensBefore !== null && tokensBefore > 0 ? tokensBefore : null;
}
