import { instructionOf } from '../facts/instructions.js';
import { sentencesIn } from '../facts/sentences.js';
import { type Fact, fact, LONGEST } from './fact.js';

/**
 * What a user's text says: rules that hold on, what it asks for as one task, and the goal, if it names one or nobody
 * has yet.
 */
export function factsOfUser(text: string, hasGoal: boolean): readonly Fact[] {
  const sentences = sentencesIn(text);
  // Whoever speaks first wants something, whatever the words.
  const asked = askedIn(sentences) ?? (hasGoal ? null : (sentences[0] ?? null));
  const named = sentences.find((sentence) => GOAL.test(sentence));
  const goal = named ?? (hasGoal ? null : asked);
  return [
    ...(goal === null ? [] : [fact('goal', goal)]),
    ...sentences.filter(isRuleThatHolds).map((sentence) => fact('constraint', sentence)),
    ...(asked === null ? [] : [fact('task', asked)]),
  ];
}

/** A sentence that says what all of this is about. */
const GOAL =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|and|then|great|good)\b[\s,.!:;-]*)*(?:(?:the|our|my|your) )?(?:(?:new|next|main|overall) )?(?:goal|task|aim|objective)(?: now| here)?(?: is\b|:)/i;

/** What `should` be is asked for once; what must always or never be holds on. Lines that a terminal broke are pasted. */
function isRuleThatHolds(sentence: string): boolean {
  return (
    instructionOf(sentence) !== null &&
    HOLDS_ON.test(sentence) &&
    !TOLD.test(sentence) &&
    !QUESTION.test(sentence) &&
    !BROKEN.test(sentence)
  );
}

/** Somebody tells what happened, or what may be. */
const TOLD =
  /^(?:(?:ok(?:ay)?|hm+|well|so|and|but)\b[\s,.:;-]*)*i (?:think|guess|believe|suppose|see|saw|got|selected|tried|noticed)\b/i;
const HOLDS_ON =
  /\b(?:must(?:n't)?|always|never|make sure|ensure|avoid|prefer|no longer|at all (?:times|costs)|forbidden|not allowed|required?|requirements?|be (?:careful|brief|concise)|keep (?:in mind|it|your|answers)|remember|from now on|no matter)\b|(?<!\b(?:i|we|they|you|it|that|which|also) )\b(?:do not|don'?t)\b|\b(?:use|change|touch|edit|write|want|need|keep|read|run) only\b|\bonly (?:use|change|touch|edit|write|want|need|keep|read|run)\b/i;
const QUESTION = /\?["')\]]*$/;
const BROKEN = /^(?:\d|[+-]\s)|\b(?:the|an?|in|of|to|and|or|with|for|on|by|next|is|are)$/i;

/**
 * What a text asks for, on one line: all of it where it is short, else its requests, else its questions. null for one
 * that only talks. Of a text in other words than English every sentence counts.
 */
function askedIn(sentences: readonly string[]): string | null {
  const told = sentences.filter((sentence) => instructionOf(sentence) !== null);
  const asked =
    told.length > 0 ? told : sentences.filter((sentence) => QUESTION.test(sentence) || OTHER.test(sentence));
  if (asked.length === 0) return null;
  const whole = sentences.join(' ');
  const said = asked.join(' ');
  return whole.length <= LONGEST || said.length < LEAST_SAID ? whole : said;
}

/** A request of fewer letters is about what stands around it. */
const LEAST_SAID = 60;

/** Letters beyond Latin ones. */
const OTHER = /[\u0370-\u1fff\u2c00-\ud7ff]/;
