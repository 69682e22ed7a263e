import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import { settingsOf } from '#context/replay/settings.js';
import { resolvePath } from '#session/tree/revision.js';
import { defaultPolicy, type Policy } from '../policy.js';
import type { GateRecording } from '../turn-ends.js';
import { type GateEvent, type GateSummary, GateTally } from './document.js';
import { gateSession } from './gate.js';

/** The options of `replayGate`. */
export interface GateOptions {
  /** The context window in tokens. */
  readonly limit: number;
  readonly policy?: Policy;
  /** The end of the replay (default: the leaf). */
  readonly revision?: string;
  /** The moments at which the gate checks: the ends of turns (the default), or after each answer and its tool results. */
  readonly every?: GateRecording['every'];
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
  const events = [...gateSession(session, { path, readPatch: session.readPatch, baseline, every }, { policy, limit })];
  const tally = new GateTally();
  for (const event of events) tally.add(event);
  const model = settingsOf(session, path).model?.modelId ?? null;
  return { events, summary: tally.summary(session, policy, { tokens: limit, source: 'supplied', model }, every) };
}
