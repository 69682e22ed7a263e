import diffSequences from '@jest/diff-sequences';
import type { ReportMessage, RequestColumns } from '../data.js';

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

/** A difference between two lists, in the order of both. */
export interface ListChange<Item = number> {
  readonly kind: 'same' | 'removed' | 'added';
  readonly item: Item;
}

/** An item of no list. */
const NONE = Symbol('none');

/** The items of two lists, with their differences. */
export function changesBetween<Item>(before: readonly Item[], after: readonly Item[]): readonly ListChange<Item>[] {
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  const kept = aligned(
    before.filter((item) => inAfter.has(item)),
    after.filter((item) => inBefore.has(item)),
  );
  const changes: ListChange<Item>[] = [];
  let [a, b] = [0, 0];
  for (const item of [...kept, NONE]) {
    for (; a < before.length && before[a] !== item; a += 1) changes.push({ kind: 'removed', item: before[a] as Item });
    for (; b < after.length && after[b] !== item; b += 1) changes.push({ kind: 'added', item: after[b] as Item });
    if (item !== NONE) changes.push({ kind: 'same', item: item as Item });
    a += 1;
    b += 1;
  }
  return changes;
}

/** The longest common subsequence of two lists, by identity. */
function aligned<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
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

/** A message that only one of two requests has, or that differs between them. */
export interface MessageChange {
  readonly kind: 'removed' | 'added' | 'changed';
  readonly before: number | null;
  readonly after: number | null;
}

/** The changes in order. Two versions of the message of one entry are one change. */
export function paired(messages: readonly ReportMessage[], changes: readonly ListChange[]): readonly MessageChange[] {
  const keyOf = (number: number): string => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? `${number}` : `entry ${entry} ${role}`;
  };
  const removed = new Map<string, number>();
  for (const { kind, item } of changes) if (kind === 'removed') removed.set(keyOf(item), item);
  const added = new Set(changes.flatMap(({ kind, item }) => (kind === 'added' ? keyOf(item) : [])));
  return changes.flatMap(({ kind, item }): readonly MessageChange[] => {
    const key = keyOf(item);
    if (kind === 'same' || (kind === 'removed' && added.has(key))) return [];
    if (kind === 'removed') return [{ kind, before: item, after: null }];
    const before = removed.get(key) ?? null;
    return [{ kind: before === null ? 'added' : 'changed', before, after: item }];
  });
}

/** The maximum lines to compare. Longer texts are shown one after the other. */
const MOST_LINES = 20_000;

/** The lines of two texts, with their differences. */
export function lineChanges(before: string, after: string): readonly ListChange<string>[] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  if (was.length + is.length <= MOST_LINES) return changesBetween(was, is);
  return [
    ...was.map((item) => ({ kind: 'removed', item }) as const),
    ...is.map((item) => ({ kind: 'added', item }) as const),
  ];
}
