import type { Row } from '#session/tree/outline.js';

const BELOW = '│  ';
const BLANK = '   ';
/** Longer runs of forks are counted, since a line could hold nothing else. */
const FEWEST_FORKS = 4;
const CELLS_OF_A_FORK = 3;
const OTHERS = 2;

/** How many forks beside one another leave half of a line for what is on it. */
export function forksThatFit(columns: number): number {
  return Math.max(FEWEST_FORKS, Math.floor(columns / OTHERS / CELLS_OF_A_FORK));
}

/**
 * What stands before each row, given in order: `├─ ` and `└─ ` at children of a fork, `│  ` above the ones that
 * follow. Beyond `mostForks`, the outer forks are left out and counted: `…12 ├─ `.
 */
export function connectors(mostForks: number): (row: Row) => string {
  /** Of the row above at each fork, whether it is the last there. */
  let isLastAt = new Uint8Array(16);
  let above: { readonly place: Row['place']; readonly text: string } | null = null;
  return (row) => {
    const { place } = row;
    // An only child stands as far from the margin as its parent, if that is one too.
    above = { place, text: place === 'only' && above?.place === 'only' ? above.text : textBefore(row) };
    return above.text;
  };

  function textBefore({ forks, place }: Row): string {
    if (forks >= isLastAt.length) isLastAt = withRoom(isLastAt, forks * 2);
    if (place !== 'only') isLastAt[forks] = place === 'last' ? 1 : 0;
    const first = Math.max(1, forks - mostForks + 1);
    let text = first === 1 ? '' : `…${first - 1} `;
    const ends = place === 'only' ? forks : forks - 1;
    for (let fork = first; fork <= ends; fork += 1) text += isLastAt[fork] === 1 ? BLANK : BELOW;
    return place === 'only' ? text : `${text}${place === 'last' ? '└─ ' : '├─ '}`;
  }
}

function withRoom(values: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(length);
  room.set(values);
  return room;
}
