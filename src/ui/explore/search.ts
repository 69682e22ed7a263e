import { placesOfEntry } from '#analysis/search/entry-places.js';
import { entryName } from '#context/words/entry-text.js';
import { idText } from '#session/table/head.js';
import type { Known } from './known.js';
import type { Rows } from './rows.js';

/** Where a search begins, and which way it goes. */
export interface SearchWish {
  readonly pattern: RegExp;
  readonly from: number;
  readonly step: 1 | -1;
}

/**
 * The entry of the next row that matches by its id, its name, its label or any of its texts, from the end on to the
 * beginning; null where there is none. Gives how much was searched after each row.
 */
export function* matchInList(
  { rows, known }: { readonly rows: Rows; readonly known: Known },
  { pattern, from, step }: SearchWish,
): Generator<number, number | null> {
  const { length } = rows;
  for (let count = 1; count <= length; count += 1) {
    const index = rows.indexAt((from + step * count + length * 2) % length);
    if (matches(known, index, pattern)) return index;
    yield count / length;
  }
  return null;
}

function matches({ session, labels }: Known, index: number, pattern: RegExp): boolean {
  const head = session.tree.heads.at(index);
  if (!head) return false;
  const names = [idText(head.id) ?? '', entryName(head), labels.get(index) ?? ''];
  if (names.some((name) => pattern.test(name))) return true;
  for (const { text } of placesOfEntry(session.entry(head))) if (pattern.test(text)) return true;
  return false;
}
