import { countCommon } from './lists.js';

/** Folds lists that mostly begin like the one before: only the items after the common beginning are taken. */
export class GrowingFold<Item, State> {
  private readonly items: Item[] = [];
  private readonly states: State[] = [];

  /** `next`: the state after an item; `before` is undefined at the first one. */
  constructor(private readonly next: (before: State | undefined, item: Item) => State) {}

  /** The state after the last item; undefined for an empty list. */
  fold(list: readonly Item[]): State | undefined {
    const { items, states } = this;
    const same = countCommon(list, items);
    items.length = same;
    states.length = same;
    for (const item of list.slice(same)) {
      items.push(item);
      states.push(this.next(states.at(-1), item));
    }
    return states.at(-1);
  }
}
