import type { HeadRows } from './head-rows.js';
import { KIND, NONE } from './ids.js';
import { flagsOf, RECORD_WORDS, WORD } from './line-scanner.js';

/** What the links of all entries lead to. */
export interface Links {
  /** Of each entry its parent, NONE for a root. */
  readonly parents: Int32Array;
  /** The entries whose parent is not there. */
  readonly lost: readonly number[];
  readonly areParentsAbove: boolean;
}

/** Pi follows only ids that JavaScript takes for true. Most entries follow the one before them in the file. */
export function linksOf({ ids, words, length }: HeadRows): Links {
  const { areUnique } = ids;
  const parents = new Int32Array(length);
  const lost: number[] = [];
  let areParentsAbove = true;
  /** The digits of the id in the row above. */
  let above = NONE;
  for (let index = 0; index < length; index += 1) {
    const at = index * RECORD_WORDS;
    const flags = words[at + WORD.flags] ?? 0;
    const kind = flagsOf.parentId(flags);
    const word = words[at + WORD.parentId] ?? 0;
    let parent = NONE;
    if (kind === KIND.digits && areUnique && word === above) parent = index - 1;
    else if (kind === KIND.digits || ids.value(kind, word)) {
      parent = ids.entryOf(kind, word);
      if (parent === NONE) lost.push(index);
      else if (parent >= index) areParentsAbove = false;
    }
    parents[index] = parent;
    above = flagsOf.id(flags) === KIND.digits ? (words[at + WORD.id] ?? 0) : NONE;
  }
  return { parents, lost, areParentsAbove };
}
