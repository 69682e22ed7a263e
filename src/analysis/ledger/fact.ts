import { comparable, cut, oneLine } from '../facts/text.js';
import type { Candidate, Slot, State } from './candidate.js';

/** What an entry says, before anybody says where. */
export type Fact = Pick<Candidate, 'slot' | 'key' | 'text' | 'state' | 'outcome'>;

/** In UTF-16 code units. A goal may take more than one line of a summary. */
export const LONGEST_GOAL = 400;
export const LONGEST = 300;

/** A fact of one line. */
export function fact(slot: Slot, said: string, state: State = 'open', outcome: string | null = null): Fact {
  const text = cut(oneLine(said), slot === 'goal' ? LONGEST_GOAL : LONGEST);
  // There is one goal, whatever its words.
  return { slot, key: slot === 'goal' ? 'goal' : keyOf(text), text, state, outcome };
}

/** What makes two texts the same: their words without letters' size, marks of Markdown and the end of the sentence. */
export function keyOf(text: string): string {
  return comparable(text).replace(/[\s.,;:!?…]+$/, '');
}
