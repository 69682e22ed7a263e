interface PathItem {
  readonly index: number;
}

/** Inserts returning slots before the first slot of the list that is later on the path. */
export function mergeByIndex<Item extends PathItem>(list: readonly Item[], back: readonly Item[]): Item[] {
  const waiting = back.toSorted((a, b) => a.index - b.index);
  const merged: Item[] = [];
  let at = 0;
  for (const slot of list) {
    for (let next = waiting[at]; next && next.index < slot.index; next = waiting[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(slot);
  }
  return merged.concat(waiting.slice(at));
}

/**
 * The places on the path of a transform's messages: each new one (null in `after`) gets the place of a message that it
 * replaces, so that a later compaction cuts a pruned result together with its call. `own` is the place of the
 * transform.
 */
export function findPlaces<Slot extends PathItem>(
  before: readonly Slot[],
  after: readonly (Slot | null)[],
  own: number,
): readonly number[] {
  const positions = new Map(before.map((slot, at) => [slot, at]));
  const kept = new Set(after);
  const places: number[] = [];
  let last = -1;
  for (let start = 0; start < after.length; start = places.length) {
    const slot = after[start];
    if (slot) {
      last = positions.get(slot) ?? last;
      places.push(slot.index);
      continue;
    }
    const end = findEndOfNew(after, start);
    const next = after[end];
    const replaced = before.slice(last + 1, next ? positions.get(next) : undefined).filter((each) => !kept.has(each));
    const isAppended = end === after.length || before.length === 0;
    const beside = isAppended ? own : (before[last]?.index ?? 0);
    for (let at = start; at < end; at += 1)
      places.push(replaced.at(Math.max(at - end, -replaced.length))?.index ?? beside);
  }
  return places;
}

function findEndOfNew(after: readonly unknown[], start: number): number {
  let end = start;
  while (end < after.length && after[end] === null) end += 1;
  return end;
}
