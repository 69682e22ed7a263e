interface Placed {
  readonly index: number;
}

/** Puts slots that come back before the first one of the list that lies further down on the path. */
export function mergeByIndex<Slot extends Placed>(list: readonly Slot[], back: readonly Slot[]): Slot[] {
  const waiting = back.toSorted((a, b) => b.index - a.index);
  const merged: Slot[] = [];
  for (const slot of list) {
    for (let next = waiting.at(-1); next && next.index < slot.index; next = waiting.at(-1)) {
      merged.push(next);
      waiting.pop();
    }
    merged.push(slot);
  }
  return merged.concat(waiting.toReversed());
}
