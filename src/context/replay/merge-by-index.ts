interface Placed {
  readonly index: number;
}

/** Puts slots that come back before the first one of the list that lies further down on the path. */
export function mergeByIndex<Slot extends Placed>(list: readonly Slot[], back: readonly Slot[]): Slot[] {
  const waiting = back.toSorted((a, b) => a.index - b.index);
  const merged: Slot[] = [];
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
