import diffSequences from '@jest/diff-sequences';
import { findFirstPast } from '#base/lists.js';
import { addTo } from '#base/maps.js';

/** The package's types describe its CommonJS form; an ES module imports the function itself. */
const commonSequences = diffSequences as unknown as typeof diffSequences.default;

/** The change of one item of a list. `from` and `to` count from 0 in the list before and the list after. */
export type ItemChange<Item> =
  | { readonly kind: 'added'; readonly to: number; readonly after: Item }
  | { readonly kind: 'removed'; readonly from: number; readonly before: Item }
  /** An unchanged item, in another order relative to its neighbours. */
  | { readonly kind: 'moved'; readonly from: number; readonly to: number; readonly item: Item }
  | {
      readonly kind: 'changed';
      readonly from: number;
      readonly to: number;
      readonly before: Item;
      readonly after: Item;
      readonly isMoved: boolean;
    };

/** The item of a change: the new one, or the removed one. */
export function itemOf<Item>(change: ItemChange<Item>): Item {
  if (change.kind === 'moved') return change.item;
  return change.kind === 'removed' ? change.before : change.after;
}

/** The criteria that identify items. */
export interface Sameness<Item> {
  /** Equal for identical items. */
  text(item: Item): string;
  /** Equal for two states of one item; null if unknown. `side` is the list of the item. */
  identity(item: Item, at: number, side: 'before' | 'after'): unknown;
  /** Whether an item that was removed and one that was added at the same place are two states of one item. */
  isLike(before: Item, after: Item): boolean;
}

/** A pair of items that are the same one in both lists. */
interface Pair {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the changes that turn one list into another, in the order of the new one, with removed items at their former places.
 * Items that are not listed are unchanged, in their order. Equal items are found by a longest common subsequence.
 */
export function diffList<Item>(
  before: readonly Item[],
  after: readonly Item[],
  sameness: Sameness<Item>,
): readonly ItemChange<Item>[] {
  const pairing = new Pairing(before, after, sameness);
  pairing.pairEqualInOrder();
  pairing.pairBy((item, at, side) => sameness.identity(item, at, side));
  pairing.pairBy((_, at, side) => pairing.textAt(side, at));
  pairing.pairLike();
  return listChanges(pairing);
}

/** Makes the new list of the old one and the changes that `diffList` found. */
export function applyList<Item>(before: readonly Item[], changes: readonly ItemChange<Item>[]): readonly Item[] {
  const taken = new Set(changes.flatMap((change) => (change.kind === 'added' ? [] : [change.from])));
  const placed = new Map<number, Item>();
  for (const change of changes) {
    if (change.kind !== 'removed') placed.set(change.to, change.kind === 'moved' ? change.item : change.after);
  }
  const kept = before.filter((_, at) => !taken.has(at));
  const waiting = kept.values();
  const result: Item[] = [];
  while (result.length < kept.length + placed.size) {
    const item = placed.get(result.length) ?? waiting.next().value;
    if (item === undefined) break;
    result.push(item);
  }
  return result;
}

/** The items that both lists have, found step by step: each item of one list has at most one partner in the other. */
class Pairing<Item> {
  /** The place in `after` of the partner of each paired item of `before`, and the reverse. */
  readonly toOf = new Map<number, number>();
  private readonly fromOf = new Map<number, number>();
  private readonly texts: Readonly<Record<'before' | 'after', readonly string[]>>;

  constructor(
    readonly before: readonly Item[],
    readonly after: readonly Item[],
    private readonly sameness: Sameness<Item>,
  ) {
    this.texts = { before: before.map(sameness.text), after: after.map(sameness.text) };
  }

  textAt(side: 'before' | 'after', at: number): string | undefined {
    return this.texts[side][at];
  }

  isEqual({ from, to }: Pair): boolean {
    return this.texts.before[from] === this.texts.after[to];
  }

  isAdded(to: number): boolean {
    return !this.fromOf.has(to);
  }

  /** Excludes items that only one list has: many of them would make the search very slow. */
  pairEqualInOrder(): void {
    const { before, after } = this.texts;
    const from = findPlaces(before, new Set(after));
    const to = findPlaces(after, new Set(before));
    const isCommon = (a: number, b: number): boolean => before[from[a] ?? -1] === after[to[b] ?? -1];
    commonSequences(from.length, to.length, isCommon, (count, a, b) => {
      for (let step = 0; step < count; step += 1) this.pair({ from: from[a + step] ?? 0, to: to[b + step] ?? 0 });
    });
  }

  /** Pairs the remaining items by a key; of several items with one key the first with the first. */
  pairBy(keyOf: (item: Item, at: number, side: 'before' | 'after') => unknown): void {
    const waiting = new Map<unknown, number[]>();
    for (const [from, item] of this.before.entries()) {
      if (this.toOf.has(from)) continue;
      const key = keyOf(item, from, 'before');
      if (key === null || key === undefined) continue;
      addTo(waiting, key, from);
    }
    if (waiting.size === 0) return;
    for (const [to, item] of this.after.entries()) {
      if (this.fromOf.has(to)) continue;
      const from = waiting.get(keyOf(item, to, 'after'))?.shift();
      if (from !== undefined) this.pair({ from, to });
    }
  }

  /** Pairs the removed and added items between the same neighbours, in order. */
  pairLike(): void {
    for (let from = 0; from < this.before.length; from += 1) {
      if (this.toOf.has(from)) continue;
      const to = from === 0 ? 0 : (this.toOf.get(from - 1) ?? -2) + 1;
      const before = this.before[from];
      const after = this.after[to];
      if (before === undefined || after === undefined || !this.isAdded(to)) continue;
      if (this.sameness.isLike(before, after)) this.pair({ from, to });
    }
  }

  private pair({ from, to }: Pair): void {
    this.toOf.set(from, to);
    this.fromOf.set(to, from);
  }
}

/** The places of the texts that the other list has too. */
function findPlaces(texts: readonly string[], others: ReadonlySet<string>): readonly number[] {
  return texts.flatMap((text, at) => (others.has(text) ? [at] : []));
}

function listChanges<Item>(pairing: Pairing<Item>): readonly ItemChange<Item>[] {
  const { before, after, toOf } = pairing;
  const inOrder = findLongestRise([...toOf].map(([from, to]) => ({ from, to })).toSorted((a, b) => a.from - b.from));
  const placed: { readonly at: number; readonly change: ItemChange<Item> }[] = [];
  let at = 0;
  for (const [from, item] of before.entries()) {
    const to = toOf.get(from);
    if (to === undefined) {
      placed.push({ at, change: { kind: 'removed', from, before: item } });
      continue;
    }
    const isMoved = !inOrder.has(from);
    if (!isMoved) at = to + 1;
    const isEqual = pairing.isEqual({ from, to });
    if (isEqual && !isMoved) continue;
    const now = after[to];
    if (isEqual || now === undefined) placed.push({ at: to, change: { kind: 'moved', from, to, item } });
    else placed.push({ at: to, change: { kind: 'changed', from, to, before: item, after: now, isMoved } });
  }
  for (const [to, item] of after.entries()) {
    if (pairing.isAdded(to)) placed.push({ at: to, change: { kind: 'added', to, after: item } });
  }
  return placed.toSorted((a, b) => a.at - b.at || rankKind(a.change) - rankKind(b.change)).map(({ change }) => change);
}

/** Ranks a removed item before its replacement. */
function rankKind<Item>({ kind }: ItemChange<Item>): number {
  return kind === 'removed' ? 0 : 1;
}

/** The `from` values of the longest subsequence, of pairs sorted by `from`, in which `to` rises: all others moved. */
function findLongestRise(pairs: readonly Pair[]): ReadonlySet<number> {
  /** The last pair of the best subsequence of each length. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length);
  for (const [at, { to }] of pairs.entries()) {
    const length = findFirstPast(ends.length, (index) => (pairs[ends[index] ?? 0]?.to ?? 0) >= to);
    previous[at] = ends[length - 1] ?? -1;
    ends[length] = at;
  }
  const rise = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at !== -1; at = previous[at] ?? -1) rise.add(pairs[at]?.from ?? -1);
  return rise;
}
