import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** Finds the entries at which a path turns off from other branches. */
export class BranchPoints {
  /** The position of an entry of the file on the path, counted from 1; 0 for one outside the path. */
  private readonly places: Uint32Array;
  /** The place on the path at which the branch of an entry leaves it, from 1; -1 if not yet computed. */
  private readonly joints: Int32Array;

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
  ) {
    const { heads } = session.tree;
    this.places = new Uint32Array(heads.length);
    for (const [at, { index }] of path.entries()) this.places[index] = at + 1;
    this.joints = new Int32Array(heads.length).fill(-1);
  }

  /**
   * If another request, by the index of its answer, is on another branch: the first entry of the path that this branch
   * does not share. null if it is on the path, or there is none.
   */
  findTurnOff(answer: number | null): Head | null {
    if (answer === null || this.places[answer] !== 0) return null;
    return this.path[this.findJoint(answer)] ?? null;
  }

  /** Walks towards the root until it meets the path, and stores the result for all visited entries. */
  private findJoint(start: number): number {
    const { heads } = this.session.tree;
    const passed: number[] = [];
    let joint = 0;
    for (let at = start; at !== -1; at = heads.parentAt(at)) {
      const place = this.places[at] || this.joints[at];
      if (place !== undefined && place >= 0) {
        joint = place;
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
