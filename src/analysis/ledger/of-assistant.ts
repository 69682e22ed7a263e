import type { LlmMessage } from '#context/replay/content.js';
import { decisionsIn, nextStepsIn } from '../facts/decisions.js';
import { sentencesIn } from '../facts/sentences.js';
import { cut } from '../facts/text.js';
import { lastTodos } from '../facts/todos.js';
import { type Fact, fact } from './fact.js';

/** What an assistant decided in a text, but not what it only found on the way. */
export function decisionsOf(text: string): readonly Fact[] {
  return decisionsIn(text).flatMap((sentence) =>
    CHOSEN.test(sentence) && !GUESSED.test(sentence) ? [fact('decision', sentence)] : [],
  );
}

const CHOSEN =
  /\b(?:decided|decision|chose|chosen|opted|going with|settled on|we(?:'ll| will) (?:use|keep|store|put)|i(?:'ll| will) (?:use|keep|store)|instead of|rather than|in favou?r of|the reason|root cause|turns out|the (?:fix|solution|cause) (?:is|was)|trade-?off)\b/i;

const GUESSED = /^(?:if|when|i bet)\b|\b(?:might|maybe|perhaps|probably|could be)\b/i;

/** The list of tasks that a message holds. */
export function todosOf(message: LlmMessage): readonly Fact[] {
  return lastTodos([message]).map(({ text, isDone }) => fact('task', text, isDone ? 'done' : 'open'));
}

/** What is left to do, as the answer at the end of a turn has it. */
export function stepsOf(text: string): readonly Fact[] {
  return nextStepsIn(text).map((sentence) => fact('task', sentence));
}

/** What an answer reports, in a line. null for an answer without words. */
export function outcomeOf(text: string): string | null {
  const sentences = sentencesIn(text);
  const first = sentences.findIndex(({ length }) => length > LONGEST_EXCLAMATION);
  const said = sentences.slice(Math.max(0, first)).join(' ');
  return said === '' ? null : cut(said, LONGEST_OUTCOME);
}

const LONGEST_OUTCOME = 200;
/** `Done.`, `Perfect!` */
const LONGEST_EXCLAMATION = 12;
