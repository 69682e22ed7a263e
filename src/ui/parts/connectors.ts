import type { OutlineRow } from '#session/tree/outline.js';

const BELOW = '│  ';
const BLANK = '   ';
/** Longer runs of forks are counted, since a line could hold nothing else. */
const FEWEST_FORKS = 4;
const CELLS_OF_A_FORK = 3;
const OTHERS = 2;

/** The number of nested forks that leave half of a line for its text. */
export function countFittingForks(columns: number): number {
  return Math.max(FEWEST_FORKS, Math.floor(columns / OTHERS / CELLS_OF_A_FORK));
}

/**
 * The connectors before each row, which is passed in order: `├─ ` and `└─ ` at children of a fork, `│  ` next to their
 * descendants. Beyond `mostForks`, the outer forks are omitted and counted: `…12 ├─ `.
 */
export function createConnectors(mostForks: number): (row: OutlineRow) => string {
  /** For each fork of the previous row, whether that row is the fork's last child. */
  let isLastAt = new Uint8Array(16);
  let above: { readonly place: OutlineRow['place']; readonly text: string } | null = null;
  return (row) => {
    const { place } = row;
    // An only child is indented like its parent, if that is one too.
    above = { place, text: place === 'only' && above?.place === 'only' ? above.text : textBefore(row) };
    return above.text;
  };

  function textBefore({ forks, place }: OutlineRow): string {
    if (forks >= isLastAt.length) isLastAt = withRoom(isLastAt, forks * 2);
    if (place !== 'only') isLastAt[forks] = place === 'last' ? 1 : 0;
    const first = Math.max(1, forks - mostForks + 1);
    let line = first === 1 ? '' : `…${first - 1} `;
    const ends = place === 'only' ? forks : forks - 1;
    for (let fork = first; fork <= ends; fork += 1) line += isLastAt[fork] === 1 ? BLANK : BELOW;
    return place === 'only' ? line : `${line}${place === 'last' ? '└─ ' : '├─ '}`;
  }
}

function withRoom(values: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(length);
  room.set(values);
  return room;
}
