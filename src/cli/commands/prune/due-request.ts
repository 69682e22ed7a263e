import type { GateEvent } from '#change/prune/gate/document.js';
import type { GateRequest } from '#change/prune/gate/gate.js';
import { replayGateOnPath } from '#change/prune/gate/replay-gate.js';
import type { OpenSession } from '#context/open.js';
import type { Head } from '#session/heads/head.js';
import type { ActivePolicy } from './policy.js';

/** The open request of a policy at the end of a path. */
interface Due {
  /** null: the policy asks for nothing now. */
  readonly request: GateRequest | null;
  /** The reason in a few words, without a full stop. */
  readonly why: string;
}

interface DueQuery extends Pick<ActivePolicy, 'policy' | 'baseline'> {
  /** The context window in tokens. */
  readonly limit: number;
}

/** Replays the gate of a policy along a path, and returns the request that nothing has answered. */
export function findDueRequest(
  session: OpenSession,
  path: readonly Head[],
  { policy, baseline, limit }: DueQuery,
): Due {
  const recording = { path, baseline, every: policy.checkAt };
  const replay = replayGateOnPath(session, recording, { policy, limit });
  let last: GateEvent | null = null;
  for (;;) {
    const { done, value } = replay.next();
    if (!done) {
      last = value;
      continue;
    }
    const { waitsFor } = value;
    if (waitsFor === null) return { request: null, why: describeNothing(last) };
    const asked = waitsFor.request === 'prune' ? 'pruning' : 'a compaction';
    return { request: waitsFor.request, why: `the policy asked for ${asked} in turn ${waitsFor.turn}` };
  }
}

function describeNothing(last: GateEvent | null): string {
  if (last === null) return 'no turn has ended';
  if (last.schema === 'ctx/gate-relief')
    return `the context was ${last.by === 'prune' ? 'pruned' : 'compacted'} after the last turn`;
  return WHY[last.why];
}

const WHY = {
  crossed: 'the policy asks for nothing',
  every: 'the policy asks for nothing',
  watch: 'the policy asks for nothing in this zone',
  latched: 'the tokens are on their way down',
  cooldown: 'the policy asked a few turns ago and waits',
};
