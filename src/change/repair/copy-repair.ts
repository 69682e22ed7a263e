import type { FoundFault } from '#session/agents/faults.js';

/** A change that lets a session go on. */
export interface CopyRepair extends FoundFault {
  /** The fault, as a sentence. */
  readonly why: string;
  /** The repair, in a few words. */
  readonly done: string;
  /** null for a line without an entry. */
  readonly entryId: string | null;
  /** Of the lines that a copy has. */
  readonly line: number;
  /** The line of the last entry with the fault, where several have one repair. */
  readonly lastLine?: number;
}
