import type { Session } from '#session/session.js';
import type { OutlineRow } from '#session/tree/outline.js';
import { buildTreeFilter, type TreeFilter } from './tree-filter.js';

const BELOW = '│ ';
const BLANK = '  ';
const NONE = -1;

const PLACES = ['only', 'last', 'not last'] as const;

/**
 * The rows of a listing, stored by column because there may be hundreds of thousands. The connector of a row is built
 * only when the row is drawn.
 */
export class ListingRows {
  private constructor(
    readonly length: number,
    private readonly indices: Uint32Array,
    /** The row of each entry of the file; NONE if the entry is not listed. */
    private readonly rowsByIndex: Int32Array,
    private readonly places: Uint8Array,
    /**
     * The nearest row, at or above each row, that is a child of a fork. For such a row itself, the next one above it.
     */
    private readonly forksAbove: Int32Array,
  ) {}

  /** `room`: the number of entries of the file. */
  static ofTree(rows: Iterable<OutlineRow>, room: number): ListingRows {
    const indices = new Uint32Array(room);
    const rowsByIndex = new Int32Array(room).fill(NONE);
    const places = new Uint8Array(room);
    const forksAbove = new Int32Array(room).fill(NONE);
    const lastAtFork: number[] = [];
    let length = 0;
    for (const { index, forks, place } of rows) {
      const isForked = place !== 'only';
      indices[length] = index;
      rowsByIndex[index] = length;
      places[length] = PLACES.indexOf(place);
      forksAbove[length] = lastAtFork[isForked ? forks - 1 : forks] ?? NONE;
      if (isForked) lastAtFork[forks] = length;
      length += 1;
    }
    return new ListingRows(length, indices, rowsByIndex, places, forksAbove);
  }

  static ofPath(path: Uint32Array, room: number): ListingRows {
    const rowsByIndex = new Int32Array(room).fill(NONE);
    for (let row = 0; row < path.length; row += 1) rowsByIndex[path[row] ?? 0] = row;
    const none = new Int32Array(path.length).fill(NONE);
    return new ListingRows(path.length, path, rowsByIndex, new Uint8Array(path.length), none);
  }

  indexAt(row: number): number {
    return this.indices[row] ?? 0;
  }

  /** The row of an entry, or -1. */
  rowOf(index: number): number {
    return this.rowsByIndex[index] ?? NONE;
  }

  /** The lines that connect a row with its parent. Omits the outer forks if there are more than `mostForks`. */
  drawConnector(row: number, mostForks: number): string {
    const isForked = this.places[row] !== 0;
    const corner = this.isLast(row) ? '└ ' : '├ ';
    let text = isForked ? corner : '';
    let forks = isForked ? 1 : 0;
    let above = this.forksAbove[row] ?? NONE;
    for (; above !== NONE && forks < mostForks; above = this.forksAbove[above] ?? NONE) {
      text = (this.isLast(above) ? BLANK : BELOW) + text;
      forks += 1;
    }
    return above === NONE ? text : `…${text}`;
  }

  private isLast(row: number): boolean {
    return PLACES[this.places[row] ?? 0] === 'last';
  }
}

const UNREAD = 0;
const PASSES = 1;
const IS_LEFT_OUT = 2;

/**
 * Decides which entries pass a filter. Two filters need the content of every answer: an answer that has not been read
 * yet passes until it is read.
 */
export class ListingFilter {
  private readonly answers: Uint8Array;
  private next = 0;

  /** `before`: the filtering of the same file when it was shorter, whose results are kept. */
  constructor(
    private readonly session: Session,
    private readonly labels: ReadonlyMap<number, string>,
    before?: ListingFilter,
  ) {
    this.answers = new Uint8Array(session.tree.heads.length);
    if (!before) return;
    this.answers.set(before.answers.subarray(0, this.answers.length));
    // The old leaf was skipped.
    this.next = Math.max(0, Math.min(before.next, before.answers.length - 1, this.answers.length));
  }

  /** The share of the session that has been read for a filter, from 0 to 1. */
  share(filter: TreeFilter): number {
    const { length } = this.answers;
    return length === 0 || !READS.has(filter) ? 1 : this.next / length;
  }

  /** Continues reading for the filters in `READS`, one answer per step. */
  *read(): Generator<void> {
    const { heads } = this.session.tree;
    const passes = buildTreeFilter(this.session, 'default', this.labels);
    for (; this.next < heads.length; this.next += 1) {
      const index = this.next;
      if (heads.roleAt(index) !== 'assistant' || this.answers[index] !== UNREAD) continue;
      // The leaf always passes, and may soon no longer be the leaf.
      if (index === this.session.tree.leaf?.index) continue;
      this.answers[index] = passes(index) ? PASSES : IS_LEFT_OUT;
      yield;
    }
  }

  passing(filter: TreeFilter): (index: number) => boolean {
    const passes = buildTreeFilter(this.session, filter, this.labels);
    if (!READS.has(filter)) return passes;
    const { heads, leaf } = this.session.tree;
    return (index) =>
      heads.roleAt(index) === 'assistant'
        ? index === leaf?.index || this.answers[index] !== IS_LEFT_OUT
        : passes(index);
  }
}

const READS: ReadonlySet<TreeFilter> = new Set(['default', 'no-tools']);
