import type { FoundFault } from '#session/agents/faults.js';
import { formatId, type Head } from '#session/heads/head.js';

/** A change that lets a session go on. */
export interface CopyRepair extends FoundFault {
  /** The fault, as a sentence. */
  readonly why: string;
  /** The repair, in a few words. */
  readonly done: string;
  /** null for a line without an entry. */
  readonly entryId: string | null;
  /** The line in the copy, from 1. */
  readonly line: number;
  /** The line of the last entry with the fault, where several have one repair. */
  readonly lastLine?: number;
}

/** The repair of a fault of an entry. */
export function buildCopyRepair(
  { id, line }: Head,
  fault: FoundFault,
  description: Pick<CopyRepair, 'why' | 'done' | 'lastLine'>,
): CopyRepair {
  return { ...fault, ...description, entryId: formatId(id), line };
}
