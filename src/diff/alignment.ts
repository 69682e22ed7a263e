import type { Change } from './list-diff.js';

/** The new list from its beginning to its end, with what was removed where it stood. */
export type Step<Of extends Change<unknown>> =
  | { readonly kind: 'kept'; readonly from: number; readonly to: number; readonly count: number }
  | { readonly kind: 'change'; readonly change: Of };

/** Puts changes between the runs of items that were kept. Lengths are those of the two lists. */
export function* alignment<Of extends Change<unknown>>(
  lengths: { readonly before: number; readonly after: number },
  changes: readonly Of[],
): Generator<Step<Of>> {
  const from = others(
    lengths.before,
    new Set(changes.flatMap((change) => (change.kind === 'added' ? [] : change.from))),
  );
  const to = others(lengths.after, new Set(changes.flatMap((change) => (change.kind === 'removed' ? [] : change.to))));
  let next = 0;
  for (const change of changes) {
    const start = next;
    while (next < to.length && isBefore(from[next] ?? 0, to[next] ?? 0, change)) next += 1;
    yield* kept(start, next);
    yield { kind: 'change', change };
  }
  yield* kept(next, to.length);

  function* kept(start: number, end: number): Generator<Step<Of>> {
    if (end > start) yield { kind: 'kept', from: from[start] ?? 0, to: to[start] ?? 0, count: end - start };
  }
}

function isBefore(from: number, to: number, change: Change<unknown>): boolean {
  return change.kind === 'removed' ? from < change.from : to < change.to;
}

function others(length: number, taken: ReadonlySet<number>): readonly number[] {
  const left: number[] = [];
  for (let at = 0; at < length; at += 1) if (!taken.has(at)) left.push(at);
  return left;
}
