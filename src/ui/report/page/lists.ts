import { diffList, type ItemChange } from '#analysis/diff/list-diff.js';
import type { ReportMessage, RequestColumns } from '../data.js';

/** The messages of a request, from the last one back to the first. */
export function listAt({ lasts, previous, messages }: RequestColumns, number: number): readonly number[] {
  const list: number[] = [];
  for (let at = lasts[number] ?? -1; at !== -1; at = previous[at] ?? -1) list.push(messages[at] ?? -1);
  return list.toReversed();
}

/** The changes from one list of numbers to another. Two numbers with one identity are two states of one item. */
export function changesBetween(
  before: readonly number[],
  after: readonly number[],
  identity: (number: number) => string | null,
): readonly ItemChange<number>[] {
  return diffList(before, after, { text: String, identity, isLike: () => false });
}

/** The identity of a message: its entry, whose message an edit may have changed. */
export function identityIn(messages: readonly ReportMessage[]): (number: number) => string | null {
  return (number) => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? null : `${entry} ${role}`;
  };
}
