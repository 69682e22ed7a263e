import { compareTexts } from '#base/text.js';
import { normalizeText, toOneLine, truncateText } from './text.js';

/** There is one goal; of the other kinds a conversation may have many. */
export const FACT_KINDS = ['goal', 'constraint', 'decision', 'task', 'blocker'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** The sources of facts, in ascending priority: of two simultaneous statements the later kind wins. */
export const SOURCE_KINDS = ['toolResult', 'assistant', 'branch', 'compaction', 'user'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/**
 * `open` is in force, `done` was done, answered or repaired, and `gone` no longer applies: a newer list omits it, or
 * the work continued without it.
 */
export const FACT_STATES = ['gone', 'open', 'done'] as const;
export type FactState = (typeof FACT_STATES)[number];

/** A goal, a constraint, a decision, a task or a blocker that a conversation established. */
export interface Fact {
  readonly kind: FactKind;
  /** Two facts with the same kind and key are the same fact. */
  readonly key: string;
  /** The text on one line. */
  readonly text: string;
  readonly state: FactState;
  /** Its outcome on one line; null if none is reported. */
  readonly outcome: string | null;
}

/** A fact with the entry that states it. */
export interface StatedFact extends Fact {
  /** The time in milliseconds since 1970. */
  readonly time: number;
  readonly source: FactSource;
}

interface FactSource {
  readonly entryId: string | null;
  readonly line: number;
  readonly kind: SourceKind;
  /** The index among the facts of its entry, from 0. */
  readonly place: number;
}

export function toFact(kind: FactKind, words: string, state: FactState = 'open'): Fact {
  const text = truncateText(toOneLine(words), kind === 'goal' ? LONGEST_GOAL : LONGEST);
  // There is one goal, with any text.
  return { kind, key: kind === 'goal' ? 'goal' : toFactKey(text), text, state, outcome: null };
}

/** The limit in UTF-16 code units. A goal may span several lines of a summary. */
export const LONGEST_GOAL = 400;
const LONGEST = 300;

/** The key of texts that state the same fact: their words without case, Markdown marks and final punctuation. */
export function toFactKey(text: string): string {
  return normalizeText(text).replace(/[\s.,;:!?…]+$/, '');
}

/**
 * Sorts facts by priority, the winner last: the newer one; at the same time (Pi writes several entries within a
 * millisecond) the one whose source is closer to the user, then the later one in the file, then the later one in
 * its entry. Remaining ties are broken by state and text, in code units, so that no two
 * different facts are equal and their input order does not matter.
 */
export function compareStatedFacts(one: StatedFact, other: StatedFact): number {
  return (
    one.time - other.time ||
    SOURCE_KINDS.indexOf(one.source.kind) - SOURCE_KINDS.indexOf(other.source.kind) ||
    one.source.line - other.source.line ||
    one.source.place - other.source.place ||
    FACT_STATES.indexOf(one.state) - FACT_STATES.indexOf(other.state) ||
    compareTexts(one.text, other.text) ||
    compareTexts(one.outcome ?? '', other.outcome ?? '') ||
    compareTexts(one.source.entryId ?? '', other.source.entryId ?? '')
  );
}
