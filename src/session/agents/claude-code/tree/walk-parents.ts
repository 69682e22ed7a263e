import { NONE } from '../../../heads/id-index.js';

/** A walk from a record to its root, which ends where a cycle would repeat. */
export function* walkParents(from: number, parentOf: (line: number) => number): Generator<number> {
  const seen = new Set<number>();
  for (let next = from; next !== NONE && !seen.has(next); next = parentOf(next)) {
    seen.add(next);
    yield next;
  }
}
