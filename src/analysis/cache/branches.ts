import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';

/** Finds requests of other branches between the requests of a path, in the order of the file. */
export class Branches {
  /** The position of an entry of the file on the path, counted from 1; 0 for one outside the path. */
  private readonly places: Uint32Array;
  /** The place on the path at which the branch of an entry leaves it, from 1; -1 if not yet computed. */
  private readonly joints: Int32Array;
  private readonly answers: Int32Array;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
  ) {
    const { heads } = session.tree;
    this.places = new Uint32Array(heads.length);
    for (const [at, { index }] of path.entries()) this.places[index] = at + 1;
    this.joints = new Int32Array(heads.length).fill(-1);
    this.answers = answersBefore(session);
  }

  /**
   * If the previous request in time is on another branch: the first entry of the path that the other branch
   * does not share. null if it is on the path, or there is none.
   */
  turnOff(head: Head): Head | null {
    const before = this.answers[head.index] ?? -1;
    if (before === -1 || this.places[before] !== 0) return null;
    return this.path[this.jointOf(before)] ?? null;
  }

  /** Walks towards the root until it meets the path, and stores the result for all visited entries. */
  private jointOf(start: number): number {
    const { heads } = this.session.tree;
    const passed: number[] = [];
    let joint = 0;
    for (let at = start; at !== -1; at = heads.parentAt(at)) {
      const known = this.places[at] || this.joints[at];
      if (known !== undefined && known >= 0) {
        joint = known;
        break;
      }
      // A cycle never meets the path.
      this.joints[at] = 0;
      passed.push(at);
    }
    for (const at of passed) this.joints[at] = joint;
    return joint;
  }
}

/** The newest answer before each entry in the file; -1 for none. */
function answersBefore({ tree: { heads } }: Session): Int32Array {
  const before = new Int32Array(heads.length);
  let newest = -1;
  for (let index = 0; index < heads.length; index += 1) {
    before[index] = newest;
    if (heads.roleAt(index) === 'assistant') newest = index;
  }
  return before;
}
