import type { ItemChange } from './list-diff.js';

/** A step through the new list, with removed items at their former places. */
type AlignedRun<Of extends ItemChange<unknown>> =
  | { readonly kind: 'kept'; readonly to: number; readonly count: number }
  | { readonly kind: 'change'; readonly change: Of };

/** Inserts the runs of kept items between the changes. Lengths are those of the two lists. */
export function* alignChanges<Of extends ItemChange<unknown>>(
  lengths: { readonly before: number; readonly after: number },
  changes: readonly Of[],
): Generator<AlignedRun<Of>> {
  const changedFrom = new Set(changes.flatMap((change) => (change.kind === 'added' ? [] : change.from)));
  const changedTo = new Set(changes.flatMap((change) => (change.kind === 'removed' ? [] : change.to)));
  const from = listOthers(lengths.before, changedFrom);
  const to = listOthers(lengths.after, changedTo);
  const pairs = to.map((place, nth) => ({ from: from[nth] ?? 0, to: place }));
  let next = 0;
  for (const change of changes) {
    const start = next;
    for (let pair = pairs[next]; pair && isBefore(pair, change); pair = pairs[next]) next += 1;
    yield* buildKeptRun(to.slice(start, next));
    yield { kind: 'change', change };
  }
  yield* buildKeptRun(to.slice(next));
}

/** One run of kept items; none for no places. */
function* buildKeptRun([to, ...more]: readonly number[]): Generator<{ kind: 'kept'; to: number; count: number }> {
  if (to !== undefined) yield { kind: 'kept', to, count: 1 + more.length };
}

function isBefore(pair: { readonly from: number; readonly to: number }, change: ItemChange<unknown>): boolean {
  return change.kind === 'removed' ? pair.from < change.from : pair.to < change.to;
}

/** The places of a list of this length that are not among some. */
function listOthers(length: number, some: ReadonlySet<number>): readonly number[] {
  return Array.from({ length }, (_, at) => at).filter((at) => !some.has(at));
}
