import { RECORD_WORD } from '../scan/line-scanner.js';
import type { HeadRows } from './head-rows.js';
import { ID_KIND, NONE } from './id-index.js';

/** The targets of the links of all entries. */
export interface ResolvedLinks {
  /** The parent of each entry, NONE for a root. */
  readonly parents: Int32Array;
  /** The entries whose parent is missing. */
  readonly lost: readonly number[];
  readonly areParentsAbove: boolean;
}

/** Most entries follow the previous one in the file: the others are looked up. */
export function resolveParents(rows: HeadRows): ResolvedLinks {
  const { ids, length } = rows;
  const parents = new Int32Array(length);
  for (let index = 0; index < length; index += 1) parents[index] = index - 1;
  const lost: number[] = [];
  let areParentsAbove = true;
  // The id of the previous row may belong to a later entry too.
  for (const index of ids.areUnique ? rows.nonSequential : parents.keys()) {
    const parent = findParent(rows, index);
    parents[index] = parent ?? NONE;
    if (parent === NONE) lost.push(index);
    else if (parent !== null && parent >= index) areParentsAbove = false;
  }
  return { parents, lost, areParentsAbove };
}

/** The parent of an entry, NONE if it is missing; null for a root. Pi follows only ids that are truthy. */
function findParent(rows: HeadRows, index: number): number | null {
  const kind = rows.idKind(index, 'parentId');
  const word = rows.word(index, RECORD_WORD.parentId);
  return kind === ID_KIND.digits || rows.ids.value(kind, word) ? rows.ids.entryOf(kind, word) : null;
}
