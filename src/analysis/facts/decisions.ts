import { sentencesIn } from './sentences.js';

/** The sentences of an assistant's text that say what was decided, and why. Found by English words. */
export function decisionsIn(text: string): readonly string[] {
  return sentencesIn(text).filter((sentence) => DECIDED.test(sentence) && !/[?:]$/.test(sentence));
}

/** The sentences of an assistant's text that say what comes next. */
export function nextStepsIn(text: string): readonly string[] {
  return sentencesIn(text).filter((sentence) => NEXT.test(sentence) && !/[?:]$/.test(sentence));
}

const DECIDED =
  /\b(?:decided|decision|chose|chosen|choosing|opted|going with|go with|settled on|we(?:'ll| will) (?:use|keep|store|put|go)|i(?:'ll| will) (?:use|keep|store) |instead of|rather than|in favou?r of|so that|the reason|root cause|turns out|the (?:fix|solution|problem|issue|cause|bug) (?:is|was)|trade-?off|won't|because)\b/i;
const NEXT =
  /^(?:next\b|then\b|remaining\b|still (?:to do|open|missing)|todo\b|to do:|after that|the next (?:step|thing)|now (?:i|we|let)\b|(?:i|we)(?:'ll| will| still need to| need to)\b)/i;
