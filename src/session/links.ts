import type { HeadRows } from './head-rows.js';
import { KIND, NONE } from './ids.js';
import { flagsOf, packed, RECORD_WORDS, WORD } from './line-scanner.js';

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
    const word = words[at + WORD.parentId] ?? 0;
    let parent = NONE;
    if (word === above && (flags & PARENT_KIND) === PARENT_DIGITS && areUnique) parent = index - 1;
    else {
      const kind = flagsOf.parentId(flags);
      if (kind === KIND.digits || ids.value(kind, word)) {
        parent = ids.entryOf(kind, word);
        if (parent === NONE) lost.push(index);
        else if (parent >= index) areParentsAbove = false;
      }
    }
    parents[index] = parent;
    above = (flags & ID_KIND) === ID_DIGITS ? (words[at + WORD.id] ?? 0) : NONE;
  }
  return { parents, lost, areParentsAbove };
}

/** Most of the loop runs before it has been compiled, and a call costs more there than all else. */
const NOTHING = { type: 0, role: 0, id: 0, parentId: 0, target: 0, hasSummary: 0 };
const PARENT_KIND = packed({ ...NOTHING, parentId: KIND.strange });
const PARENT_DIGITS = packed({ ...NOTHING, parentId: KIND.digits });
const ID_KIND = packed({ ...NOTHING, id: KIND.strange });
const ID_DIGITS = packed({ ...NOTHING, id: KIND.digits });
