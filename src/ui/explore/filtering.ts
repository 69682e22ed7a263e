import { type TreeFilter, treeFilter } from '#analysis/listing/tree-filter.js';
import type { Session } from '#session/session.js';

const UNREAD = 0;
const PASSES = 1;
const IS_LEFT_OUT = 2;

/**
 * Which entries a filter lets through, as far as that is known. Two filters look into every answer of a model: those
 * that nobody has read yet pass until somebody has.
 */
export class Filtering {
  private readonly answers: Uint8Array;
  private next = 0;

  /** `before`: what was known of the same file when it was shorter. */
  constructor(
    private readonly session: Session,
    private readonly labels: ReadonlyMap<number, string>,
    before?: Filtering,
  ) {
    this.answers = new Uint8Array(session.tree.heads.length);
    if (!before) return;
    this.answers.set(before.answers.subarray(0, this.answers.length));
    // What was the leaf then was passed over.
    this.next = Math.max(0, Math.min(before.next, before.answers.length - 1, this.answers.length));
  }

  /** How much of the session was read for it, from 0 to 1. */
  share(filter: TreeFilter): number {
    const { length } = this.answers;
    return length === 0 || !READS.has(filter) ? 1 : this.next / length;
  }

  /** Reads on for `READS` filters, an answer a step. */
  *read(): Generator<void> {
    const { heads } = this.session.tree;
    const passes = treeFilter(this.session, 'default', this.labels);
    for (; this.next < heads.length; this.next += 1) {
      const index = this.next;
      if (heads.roleAt(index) !== 'assistant' || this.answers[index] !== UNREAD) continue;
      // The leaf passes whatever it holds, and may not be the leaf for long.
      if (index === this.session.tree.leaf?.index) continue;
      this.answers[index] = passes(index) ? PASSES : IS_LEFT_OUT;
      yield;
    }
  }

  passing(filter: TreeFilter): (index: number) => boolean {
    const passes = treeFilter(this.session, filter, this.labels);
    if (!READS.has(filter)) return passes;
    const { heads, leaf } = this.session.tree;
    return (index) =>
      heads.roleAt(index) === 'assistant'
        ? index === leaf?.index || this.answers[index] !== IS_LEFT_OUT
        : passes(index);
  }
}

const READS: ReadonlySet<TreeFilter> = new Set(['default', 'no-tools']);
