import { pluralize } from '#base/numbers.js';
import type { Head } from '#session/heads/head.js';
import type { PreparedHistory } from './prepare-history.js';

/**
 * The summaries that a prune drops, in words: each is the only record of the messages that it replaced. null for none. `path`:
 * to the entry at which the context is pruned.
 */
export function describeDroppedSummaries({ before, pruned }: PreparedHistory, path: readonly Head[]): string | null {
  const dropped = pruned.decisions.filter(({ message }) => message === null).map(({ item }) => item);
  const compactions = dropped.filter(({ kind }) => kind === 'compaction-summary');
  const branches = dropped.filter(({ kind }) => kind === 'branch-summary').length;
  const newest = Math.max(...compactions.map(({ from }) => from.line ?? 0));
  const shown = new Set(before.items.map(({ from }) => from.line));
  const replaced = path.filter(({ line, role }) => role !== null && line < newest && !shown.has(line)).length;
  const ofMessages = replaced === 0 ? 'a compaction' : pluralize(replaced, 'earlier message');
  const parts = [
    ...(compactions.length > 0 ? [ofMessages] : []),
    ...(branches > 0 ? [branches === 1 ? 'a branch' : `${branches} branches`] : []),
  ];
  return parts.length === 0 ? null : `drops the summary of ${parts.join(' and of ')}`;
}
