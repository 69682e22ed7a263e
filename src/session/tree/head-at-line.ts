import { findFirstPast } from '#base/lists.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';

/** The entry at a line. Entries are in the order of their lines. `entryId`: for another agent's line with several. */
export function findHeadAtLine(
  { agent, tree: { heads } }: Session,
  line: number,
  entryId: string | null = null,
): Head | undefined {
  if (agent && entryId !== null) return heads.find(entryId);
  const head = heads.at(findFirstPast(heads.length, (at) => heads.lineAt(at) >= line));
  return head?.line === line ? head : undefined;
}
