import { asCount } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import { findSettings } from '#context/replay/settings.js';
import { formatId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
import { defaultPolicy, modeIn, type Policy } from '../policy.js';
import {
  type AskedDocument,
  type GateEvent,
  type GateRelief,
  type GateSummary,
  type GateTurn,
  toPressure,
} from './document.js';
import { GateTally } from './gate-tally.js';
import { type GateRequest, type GateRules, type GateState, gateStep, type GateVerdict, OPEN_GATE } from './gate.js';
import { type GatePath, listPathEvents, type Relief, type TurnEnd } from './path-events.js';

/** The state of a gate at the end of a path. */
export interface GateOutcome {
  readonly state: GateState;
  /** The newest request that is still open; null: the gate waits for nothing, or only for the tokens to fall. */
  readonly waitsFor: AskedDocument | null;
}

/** Replays a gate along what a path records. Returns its state at the end. */
export function* replayGateOnPath(
  session: OpenSession,
  recording: GatePath,
  rules: GateRules,
): Generator<GateEvent, GateOutcome> {
  let state = OPEN_GATE;
  let last: GateTurn | null = null;
  let open: OpenRequests = {};
  for (const happening of listPathEvents(session, recording)) {
    if (happening.kind === 'relief') {
      const { relief } = happening;
      const tokensBefore = readTokensBefore(session, relief) ?? last?.tokens.total ?? null;
      yield buildReliefEvent(relief, { tokensBefore, request: findNewestRequest(open), ends: state.ends });
      ({ state } = gateStep(state, { kind: 'relief' }, rules));
      open = {};
      continue;
    }
    const { end } = happening;
    const { state: next, verdict } = gateStep(state, { kind: 'turn-end', tokens: end.tokens }, rules);
    state = next;
    if (!verdict) continue;
    const { asks } = verdict;
    const all = asks === null ? open : { ...open, [asks]: { asked: buildAsked(end, asks), number: state.ends } };
    open = filterOpenRequests(all, state, rules);
    // A prune at every turn end is open whatever the latch.
    if (verdict.why === 'every' && all.prune) open = { ...open, prune: all.prune };
    last = buildTurnEvent(end, verdict, {
      zoneBefore: last?.zone ?? 'green',
      waitsFor: findNewestRequest(open)?.asked ?? null,
    });
    yield last;
  }
  return { state, waitsFor: findNewestRequest(open)?.asked ?? null };
}

type EarlierState = Pick<GateTurn, 'zoneBefore' | 'waitsFor'>;

function buildTurnEvent(
  end: TurnEnd,
  { zone, ...verdict }: GateVerdict,
  { zoneBefore, waitsFor }: EarlierState,
): GateTurn {
  return {
    schema: 'ctx/gate-turn',
    schemaVersion: 1,
    entryId: formatId(end.head.id),
    line: end.head.line,
    turn: end.turn,
    tokens: toPressure(end),
    zone,
    zoneBefore,
    ...verdict,
    waitsFor,
  };
}

/** `ends`: turn ends so far. */
interface BeforeRelief extends Pick<GateState, 'ends'> {
  readonly tokensBefore: number | null;
  readonly request: OpenRequest | null;
}

function buildReliefEvent({ head, by }: Relief, { tokensBefore, request, ends }: BeforeRelief): GateRelief {
  return {
    schema: 'ctx/gate-relief',
    schemaVersion: 1,
    entryId: formatId(head.id),
    line: head.line,
    by,
    tokensBefore,
    asked: request && request.asked,
    tokensEarlier: request === null || tokensBefore === null ? null : tokensBefore - request.asked.tokens.total,
    turnEndsEarlier: request && ends - request.number,
  };
}

function buildAsked(end: TurnEnd, request: GateRequest): AskedDocument {
  return { request, entryId: formatId(end.head.id), turn: end.turn, tokens: toPressure(end) };
}

interface OpenRequest {
  readonly asked: AskedDocument;
  /** The turn end, counted from 1. */
  readonly number: number;
}

/** Requests that were not answered yet. */
type OpenRequests = Partial<Record<GateRequest, OpenRequest>>;

/** Keeps the requests that are still open: the tokens have not fallen since. */
function filterOpenRequests(
  { prune, compact }: OpenRequests,
  { latch }: GateState,
  { policy }: GateRules,
): OpenRequests {
  if (latch === 'green') return {};
  const open: OpenRequests = {};
  if (prune) open.prune = prune;
  if (compact && modeIn(policy, latch) === 'compact') open.compact = compact;
  return open;
}

/** A compaction is never followed by a request for less. */
function findNewestRequest({ prune, compact }: OpenRequests): OpenRequest | null {
  return compact ?? prune ?? null;
}

function readTokensBefore(session: Session, { head }: Relief): number | null {
  // A transform that replaces a compaction has this field too.
  const { tokensBefore } = session.entry(head);
  const count = asCount(tokensBefore);
  return count !== null && count > 0 ? count : null;
}

interface GateOptions {
  /** The context window in tokens. */
  readonly limit: number;
  readonly policy?: Policy;
  /** The end of the replay (default: the leaf). */
  readonly revision?: string;
  /**
   * The moments at which the gate checks: the ends of turns (the default), or after each answer and its tool results.
   */
  readonly every?: GatePath['every'];
  /** Values that the session does not record. */
  readonly baseline?: Baseline;
}

/** The events of a gate along a path, and their sums. */
export interface GateReplay {
  readonly events: readonly GateEvent[];
  readonly summary: GateSummary;
}

/**
 * Replays a policy at every turn end, as `ctx status --history --json` does: where it would have asked for pruning or
 * compaction. Throws a CtxError: usage for an unknown revision, input for a transform that breaks a rule.
 */
export function replayGate(session: OpenSession, options: GateOptions): GateReplay {
  const { limit, policy = defaultPolicy(), revision, every = 'turn', baseline = {} } = options;
  const { path } = resolvePath(session, revision);
  const events = [...replayGateOnPath(session, { path, baseline, every }, { policy, limit })];
  const tally = new GateTally();
  for (const event of events) tally.add(event);
  const model = findSettings(session, path).model?.modelId ?? null;
  return { events, summary: tally.buildSummary(session, policy, { tokens: limit, source: 'supplied', model }, every) };
}
