import { splitSentences } from './sentences.js';

/**
 * The sentences of an assistant's text that decide something: they say that a choice was made, or announce a use with
 * its reason. Found by English words. A sentence that only compares, guesses or describes a change is none.
 */
export function findDecisions(text: string): readonly string[] {
  return splitSentences(text).filter(isDecision);
}

function isDecision(sentence: string): boolean {
  return (CHOSEN.test(sentence) || USES_WITH_REASON.test(sentence)) && !UNDECIDED.test(sentence);
}

const CHOSEN =
  /\b(?:(?:i|we)(?:'ve| have|'ll| will| am|'re| are)?(?: (?:finally|both|also|just|therefore|now))? (?:decided|chose|chosen|opt(?:ed)? for|settled? on|go(?:ing)? with|went with|stick(?:ing)? with|stay(?:ing)? with)|was chosen|were chosen|(?:the|my|our) decision (?:is|was)|decision:|(?:it was|was) decided|the (?:fix|solution) (?:is|was) to)\b/i;

/** A use alone is a step of the work, and not worth to remember. */
const USES_WITH_REASON =
  /\b(?:i|we)(?:'ll| will| should)? (?:use|keep|store|put|return|call|leave)\b.*\b(?:because|since|so that|instead of|rather than|in favou?r of|for now|from now on|everywhere)\b/i;

const UNDECIDED =
  /^(?:if|when|i bet|let me|should|do|would|could|can)\b|[?:]$|\b(?:might|maybe|perhaps|probably|could be|could use|used to)\b/i;
