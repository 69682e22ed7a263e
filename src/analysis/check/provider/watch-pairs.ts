import type { SentMessage } from '#context/replay/message-list.js';
import type { Session } from '#session/session.js';
import type { Hit } from '../define.js';
import { type PairFault, ToolPairs } from './tool-pairs.js';

/** What has been found between calls and results so far: each rule reads it at its own pace. */
interface Tape {
  readonly pairs: ToolPairs;
  /** Messages and ends that were looked at. */
  steps: number;
  readonly faults: { readonly step: number; readonly fault: PairFault }[];
}

const tapes = new WeakMap<Session, Tape>();

/**
 * A watcher of tool calls and results. All rules about them read one tape, since the ids of all calls of a long
 * session take some memory. `hitOf` says what a fault is to the rule, null for nothing.
 */
export function watchPairs(
  session: Session,
  hitOf: (fault: PairFault) => Hit | null,
): { see(sent: SentMessage): Iterable<Hit>; end(): Iterable<Hit> } {
  const tape = tapeOf(session);
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
  return { see: (sent) => next((pairs) => pairs.see(sent)), end: () => next((pairs) => pairs.end()) };
}

const NO_HITS: readonly Hit[] = [];

/** A tape that nobody has begun to read, so that the rules that start together share one. */
function tapeOf(session: Session): Tape {
  const there = tapes.get(session);
  if (there?.steps === 0) return there;
  const tape: Tape = { pairs: new ToolPairs(session), steps: 0, faults: [] };
  tapes.set(session, tape);
  return tape;
}
