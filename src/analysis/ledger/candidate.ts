/** The slots of a ledger. There is one goal; of the others there may be many. */
export const SLOTS = ['goal', 'constraint', 'decision', 'task', 'blocker'] as const;
export type FactSlot = (typeof SLOTS)[number];

/** Who said something: the kinds in the order in which they win where two of one time disagree, the last one first. */
export const KINDS = ['toolResult', 'assistant', 'branch', 'compaction', 'user'] as const;
export type SourceKind = (typeof KINDS)[number];

/**
 * `open` stands, `done` was done, answered or mended, and `gone` is said no more: a newer list leaves it out, or the
 * work went on without it.
 */
export const STATES = ['gone', 'open', 'done'] as const;
export type FactState = (typeof STATES)[number];

/** Where something was said. */
interface Source {
  readonly entryId: string | null;
  readonly line: number;
  readonly kind: SourceKind;
  /** Which of the things that its entry says, counted from 0. */
  readonly place: number;
}

/** Something that was said once and may have a place in the ledger. */
export interface Candidate {
  readonly slot: FactSlot;
  /** Two of one slot and key are the same fact, said twice. */
  readonly key: string;
  /** One line, as it was said. */
  readonly text: string;
  readonly state: FactState;
  /** Its outcome, in a line; null where none is reported. */
  readonly outcome: string | null;
  /** When it was said, in milliseconds since 1970. */
  readonly time: number;
  readonly source: Source;
}

/**
 * Puts what wins behind what it wins against: the newer one, and of one time (Pi writes several entries within a
 * millisecond) the one whose source is nearer to the user, then the one further down in the file, then the one that
 * its entry says later. What is still the same is told apart by its state and its words, by code units, so that no two
 * different candidates are ever equal and it does not matter who comes first.
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
