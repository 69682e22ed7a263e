import type { OutlineRow } from '#session/tree/forest.js';

const BELOW = '│ ';
const BLANK = '  ';
const NONE = -1;

const PLACES = ['only', 'last', 'not last'] as const;

/**
 * The rows of a listing by column, since there may be hundreds of thousands: what stands before a row is put together
 * when somebody looks at it.
 */
export class Rows {
  private constructor(
    readonly length: number,
    private readonly indices: Uint32Array,
    /** Of each entry of the file its row, NONE for one that is not listed. */
    private readonly rowsByIndex: Int32Array,
    private readonly places: Uint8Array,
    /** Of each row the nearest row at or above it that is a child of a fork; of such a row, the next one above. */
    private readonly forksAbove: Int32Array,
  ) {}

  /** `room`: how many entries the file has. */
  static of(rows: Iterable<OutlineRow>, room: number): Rows {
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
    return new Rows(length, indices, rowsByIndex, places, forksAbove);
  }

  /** Entries one after another, none beside another. */
  static inLine(path: Uint32Array, room: number): Rows {
    const rowsByIndex = new Int32Array(room).fill(NONE);
    for (let row = 0; row < path.length; row += 1) rowsByIndex[path[row] ?? 0] = row;
    const none = new Int32Array(path.length).fill(NONE);
    return new Rows(path.length, path, rowsByIndex, new Uint8Array(path.length), none);
  }

  indexAt(row: number): number {
    return this.indices[row] ?? 0;
  }

  /** The row of an entry, -1 where it has none. */
  rowOf(index: number): number {
    return this.rowsByIndex[index] ?? NONE;
  }

  /** What connects a row with its parent, the outer forks left out where there are more than `mostForks`. */
  connector(row: number, mostForks: number): string {
    const isForked = this.places[row] !== 0;
    let text = isForked ? (this.isLast(row) ? '└ ' : '├ ') : '';
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
