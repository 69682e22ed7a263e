import { flagsOf, WORD } from '../scan/line-scanner.js';
import type { HeadRows } from './head-rows.js';
import { KIND, NONE } from './ids.js';

/** What the links of all entries lead to. */
export interface Links {
  /** Of each entry its parent, NONE for a root. */
  readonly parents: Int32Array;
  /** The entries whose parent is not there. */
  readonly lost: readonly number[];
  readonly areParentsAbove: boolean;
}

/** Most entries follow the one before them in the file: the others are looked up. */
export function linksOf(rows: HeadRows): Links {
  const { ids, length } = rows;
  const parents = new Int32Array(length);
  for (let index = 0; index < length; index += 1) parents[index] = index - 1;
  const lost: number[] = [];
  let areParentsAbove = true;
  // The id of the row above may lead to a later entry that has it too.
  for (const index of ids.areUnique ? rows.jumps : parents.keys()) {
    const parent = parentOf(rows, index);
    parents[index] = parent ?? NONE;
    if (parent === NONE) lost.push(index);
    else if (parent !== null && parent >= index) areParentsAbove = false;
  }
  return { parents, lost, areParentsAbove };
}

/** The parent of an entry, NONE where it is not there; null for a root. Pi follows only ids that JavaScript takes for true. */
function parentOf(rows: HeadRows, index: number): number | null {
  const kind = flagsOf.parentId(rows.flags(index));
  const word = rows.word(index, WORD.parentId);
  return kind === KIND.digits || rows.ids.value(kind, word) ? rows.ids.entryOf(kind, word) : null;
}
