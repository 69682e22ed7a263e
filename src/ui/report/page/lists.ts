import diffSequences from '@jest/diff-sequences';
import type { RequestColumns } from '../data.js';

/** The package's types describe its CommonJS form; an ES module imports the function itself. */
const commonSequences = diffSequences as unknown as typeof diffSequences.default;

/** The messages of a request, assembled from its patch and those of the previous requests on its path. */
export function listAt({ before, keeps, ranges }: RequestColumns, number: number): readonly number[] {
  const pieces: (readonly number[])[] = [];
  let needed = Infinity;
  for (let at = number; at !== -1 && needed > 0; at = before[at] ?? -1) {
    const keep = keeps[at] ?? 0;
    if (keep >= needed) continue;
    pieces.push(expanded(ranges[at] ?? [], needed - keep));
    needed = keep;
  }
  return pieces.toReversed().flat();
}

function expanded(ranges: readonly number[], most: number): readonly number[] {
  const list: number[] = [];
  for (let at = 0; at < ranges.length && list.length < most; at += 2) {
    const [start = 0, count = 0] = [ranges[at], ranges[at + 1]];
    for (let next = 0; next < count && list.length < most; next += 1) list.push(start + next);
  }
  return list;
}

/** A difference between the message lists of two requests, in the order of both. */
export interface ListChange {
  readonly kind: 'same' | 'removed' | 'added';
  readonly message: number;
}

export function changesBetween(before: readonly number[], after: readonly number[]): readonly ListChange[] {
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  const kept = aligned(
    before.filter((message) => inAfter.has(message)),
    after.filter((message) => inBefore.has(message)),
  );
  const changes: ListChange[] = [];
  let [a, b] = [0, 0];
  for (const message of [...kept, null]) {
    for (; a < before.length && before[a] !== message; a += 1)
      changes.push({ kind: 'removed', message: before[a] ?? 0 });
    for (; b < after.length && after[b] !== message; b += 1) changes.push({ kind: 'added', message: after[b] ?? 0 });
    if (message !== null) changes.push({ kind: 'same', message });
    a += 1;
    b += 1;
  }
  return changes;
}

/** The longest common subsequence of two lists, by identity. */
export function aligned<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  if (a.length === b.length && a.every((item, at) => item === b[at])) return a;
  const common: Item[] = [];
  commonSequences(
    a.length,
    b.length,
    (atA, atB) => a[atA] === b[atB],
    (length, fromA) => {
      for (const item of a.slice(fromA, fromA + length)) common.push(item);
    },
  );
  return common;
}
