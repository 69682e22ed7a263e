import type { ItemChange } from './list-diff.js';

/** The new list in order, with removed items at their former places. */
export type AlignedRun<Of extends ItemChange<unknown>> =
  | { readonly kind: 'kept'; readonly to: number; readonly count: number }
  | { readonly kind: 'change'; readonly change: Of };

/** Inserts the runs of kept items between the changes. Lengths are those of the two lists. */
export function* alignment<Of extends ItemChange<unknown>>(
  lengths: { readonly before: number; readonly after: number },
  changes: readonly Of[],
): Generator<AlignedRun<Of>> {
  const from = others(
    lengths.before,
    new Set(changes.flatMap((change) => (change.kind === 'added' ? [] : change.from))),
  );
  const to = others(lengths.after, new Set(changes.flatMap((change) => (change.kind === 'removed' ? [] : change.to))));
  const pairs = to.map((place, nth) => ({ from: from[nth] ?? 0, to: place }));
  let next = 0;
  for (const change of changes) {
    const start = next;
    for (let pair = pairs[next]; pair && isBefore(pair, change); pair = pairs[next]) next += 1;
    yield* kept(to.slice(start, next));
    yield { kind: 'change', change };
  }
  yield* kept(to.slice(next));
}

function* kept([to, ...more]: readonly number[]): Generator<{ kind: 'kept'; to: number; count: number }> {
  if (to !== undefined) yield { kind: 'kept', to, count: 1 + more.length };
}

function isBefore(pair: { readonly from: number; readonly to: number }, change: ItemChange<unknown>): boolean {
  return change.kind === 'removed' ? pair.from < change.from : pair.to < change.to;
}

function others(length: number, taken: ReadonlySet<number>): readonly number[] {
  const left: number[] = [];
  for (let at = 0; at < length; at += 1) if (!taken.has(at)) left.push(at);
  return left;
}
