import type { Head } from '../session/head.js';
import type { Session } from '../session/session.js';
import { isObject } from '../session/values.js';

/** What a compaction does to the question of who supplies the prompt: the session, or a baseline. */
export type PromptChange = 'none' | 'first declared' | 'forgotten';

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

/** Tells that of each compaction: a checkpoint declares a prompt, and without one Pi forgets what was declared above. */
export function promptChanges(session: Session): (compaction: Head) => PromptChange {
  const { heads } = session.tree;
  const states = new Uint8Array(heads.length);
  const hasCheckpoint = (compaction: Head): boolean => isObject(session.entry(compaction)['systemMessage']);
  const ownState = (head: Head): number => {
    if (head.type === 'compaction') return hasCheckpoint(head) ? YES : NO;
    return head.role === 'system' ? YES : UNKNOWN;
  };
  const isDeclaredAbove = ({ index }: Head): boolean => {
    const passed: number[] = [];
    let state = NO;
    for (let at = heads.parentAt(index); at !== -1; at = heads.parentAt(at)) {
      const head = heads.at(at);
      const known = states[at] || (head ? ownState(head) : NO);
      if (known !== UNKNOWN) {
        state = known;
        break;
      }
      // Ends the walk where parents lead in a circle.
      states[at] = NO;
      passed.push(at);
    }
    for (const at of passed) states[at] = state;
    return state === YES;
  };
  return (compaction) => {
    if (hasCheckpoint(compaction)) return isDeclaredAbove(compaction) ? 'none' : 'first declared';
    return isDeclaredAbove(compaction) ? 'forgotten' : 'none';
  };
}
