interface Placed {
  readonly index: number;
}

/**
 * Where on the path the messages of a transform lie: each new one (null in `after`) takes the place of a message that it
 * replaces, so that a later compaction cuts a pruned result together with its call. `own` is the place of the transform.
 */
export function placesTaken<Slot extends Placed>(
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
    const end = endOfNew(after, start);
    const next = after[end];
    const replaced = before.slice(last + 1, next ? positions.get(next) : undefined).filter((each) => !kept.has(each));
    const isAppended = end === after.length || before.length === 0;
    const beside = isAppended ? own : (before[last]?.index ?? 0);
    for (let at = start; at < end; at += 1)
      places.push(replaced.at(Math.max(at - end, -replaced.length))?.index ?? beside);
  }
  return places;
}

function endOfNew(after: readonly unknown[], start: number): number {
  let end = start;
  while (end < after.length && after[end] === null) end += 1;
  return end;
}
