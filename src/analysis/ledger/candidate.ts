/** The slots of a ledger. There is one goal; the other slots may have many facts. */
export const SLOTS = ['goal', 'constraint', 'decision', 'task', 'blocker'] as const;
export type FactSlot = (typeof SLOTS)[number];

/** The sources of statements, in ascending priority: of two simultaneous statements the later kind wins. */
export const KINDS = ['toolResult', 'assistant', 'branch', 'compaction', 'user'] as const;
export type SourceKind = (typeof KINDS)[number];

/**
 * `open` is in force, `done` was done, answered or repaired, and `gone` no longer applies: a newer list omits it, or the
 * work continued without it.
 */
export const STATES = ['gone', 'open', 'done'] as const;
export type FactState = (typeof STATES)[number];

/** The place of a statement. */
interface Source {
  readonly entryId: string | null;
  readonly line: number;
  readonly kind: SourceKind;
  /** The index among the statements of its entry, from 0. */
  readonly place: number;
}

/** A statement that may become a fact of the ledger. */
export interface Candidate {
  readonly slot: FactSlot;
  /** Two candidates with the same slot and key are the same fact. */
  readonly key: string;
  /** The statement on one line. */
  readonly text: string;
  readonly state: FactState;
  /** Its outcome on one line; null if none is reported. */
  readonly outcome: string | null;
  /** The time of the statement, in milliseconds since 1970. */
  readonly time: number;
  readonly source: Source;
}

/**
 * Sorts candidates by priority, the winner last: the newer one; at the same time (Pi writes several entries within a
 * millisecond) the one whose source is closer to the user, then the later one in the file, then the later one in
 * its entry. Remaining ties are broken by state and text, in code units, so that no two
 * different candidates are equal and their input order does not matter.
 */
export function compareCandidates(one: Candidate, other: Candidate): number {
  return (
    one.time - other.time ||
    KINDS.indexOf(one.source.kind) - KINDS.indexOf(other.source.kind) ||
    one.source.line - other.source.line ||
    one.source.place - other.source.place ||
    STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
    compareText(one.text, other.text) ||
    compareText(one.outcome ?? '', other.outcome ?? '') ||
    compareText(one.source.entryId ?? '', other.source.entryId ?? '')
  );
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
