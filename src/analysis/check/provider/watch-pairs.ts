import type { Session } from '#session/session.js';
import type { Hit, RequestWatch } from '../define.js';
import { type PairFault, ToolPairs } from './tool-pairs.js';

/** The faults between calls and results so far. Each rule reads them at its own position. */
interface Tape {
  readonly pairs: ToolPairs;
  /** The number of messages and ends that were processed. */
  steps: number;
  readonly faults: { readonly step: number; readonly fault: PairFault }[];
}

const tapes = new WeakMap<Session, Tape>();

/**
 * A watcher of tool calls and results. All rules about them share one tape, since the ids of all calls of a long
 * session need some memory. `hitOf` returns the rule's hit for a fault, or null.
 */
export function watchPairs(session: Session, hitOf: (fault: PairFault) => Hit | null): Required<RequestWatch> {
  const tape = findTape(session);
  let step = 0;
  let read = 0;
  const next = (look: (pairs: ToolPairs) => readonly PairFault[]): readonly Hit[] => {
    if (step === tape.steps) {
      for (const fault of look(tape.pairs)) tape.faults.push({ step, fault });
      tape.steps += 1;
    }
    step += 1;
    if (read === tape.faults.length) return NO_HITS;
    const hits: Hit[] = [];
    for (let at = tape.faults[read]; at && at.step < step; at = tape.faults[read]) {
      read += 1;
      const hit = hitOf(at.fault);
      if (hit) hits.push(hit);
    }
    return hits;
  };
  return { see: (sent) => next((pairs) => pairs.take(sent)), end: () => next((pairs) => pairs.end()) };
}

const NO_HITS: readonly Hit[] = [];

/** A tape at its start, so that rules that start together share one. */
function findTape(session: Session): Tape {
  const newest = tapes.get(session);
  if (newest?.steps === 0) return newest;
  const tape: Tape = { pairs: new ToolPairs(session), steps: 0, faults: [] };
  tapes.set(session, tape);
  return tape;
}
