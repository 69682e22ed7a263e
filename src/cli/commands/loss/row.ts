import type { LostEntry } from '#analysis/loss/document.js';
import { type Block, type Cell, cell, proseRow } from '#ui/doc/doc.js';

/**
 * Files that were only read, other results, images and thoughts are not expected in a summary: only `--full` lists
 * them.
 */
export const LISTED_LOSSES: ReadonlySet<string> = new Set([
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
]);

/** A line for an entry, or for a fact in it. */
export function renderLossRow(
  { entryId, line: place }: Pick<LostEntry, 'entryId' | 'line'>,
  kind: Cell,
  what: string,
): Block {
  return proseRow([cell('', 1), cell(entryId ?? `line ${place}`, 8, 'id'), kind, cell(what)]);
}
