import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import type { Head } from '#session/heads/head.js';
import { splitSentences } from '../facts/sentences.js';
import { readMessageText, toOneLine } from '../facts/text.js';
import { type FactClass, listMessageFacts } from './fact-classes.js';
import type { Question } from './question-file.js';
import { buildQuestion, type RemovedMessage } from './questions.js';
import { findStatedValue } from './stated-value.js';

/** Asks for the longest name in each instruction, correction, decision and error, which a gap replaces. */
export function listGapQuestions(removed: readonly RemovedMessage[]): readonly Question[] {
  const isWritten = (at: number): boolean => removed[at]?.head.role === 'user';
  const facts = listMessageFacts(
    removed.map(({ message }) => message),
    isWritten,
  );
  return facts.flatMap(({ class: of, at, quote, terms }) => {
    const asked = GAPS[of];
    const { head } = removed[at] ?? {};
    const sentence = toOneLine(quote ?? '');
    if (!asked || !head || sentence.length > LONGEST_SENTENCE) return [];
    const name = terms
      .filter((term) => term.length >= SHORTEST_ANSWER && sentence.includes(term))
      .reduce((longest, term) => (term.length > longest.length ? term : longest), '');
    return askForGap(asked.kind, `${asked.what}, which words are left out?`, { sentence, answer: name, head });
  });
}

/** Asks for the value in each sentence of the user or the assistant that decides one. */
export function listValueQuestions(removed: readonly RemovedMessage[]): readonly Question[] {
  const stated = removed.flatMap(({ head, message }) => {
    const what = findSpeaker(head, message);
    if (what === null || message.role === 'toolResult' || findSummaryText(message) !== null) return [];
    return splitSentences(readMessageText(message)).flatMap((sentence) => {
      const answer = sentence.length > LONGEST_SENTENCE ? null : findStatedValue(sentence);
      if (answer === null) return [];
      return askForGap('value', `In this sentence of ${what}, which value is left out?`, { sentence, answer, head });
    });
  });
  return keepFirstOfAnswer(stated);
}

/** People repeat a value that matters, and one question about it is enough. */
function keepFirstOfAnswer(questions: readonly Question[]): readonly Question[] {
  const byAnswer = new Map<string, Question>();
  for (const question of questions) {
    const answer = question.answers[0] ?? '';
    if (!byAnswer.has(answer)) byAnswer.set(answer, question);
  }
  return [...byAnswer.values()];
}

function findSpeaker(head: Head, message: LlmMessage): string | null {
  if (message.role === 'assistant') return 'the assistant';
  // Extensions and hooks send their messages with the role of the user.
  return head.role === 'user' ? 'the user' : null;
}

interface Gap {
  readonly sentence: string;
  readonly answer: string;
  readonly head: Head;
}

/** Asks for the words that a gap replaces. A sentence without other words does not say what is asked. */
function askForGap(kind: Question['kind'], ask: string, { sentence, answer, head }: Gap): readonly Question[] {
  if (answer === '') return [];
  const gapped = sentence.replaceAll(answer, '____');
  if ((gapped.match(/\p{L}{2,}/gu) ?? []).length < FEWEST_WORDS) return [];
  return [buildQuestion(kind, `${ask} ${gapped}`, [answer], head)];
}

/** The classes of facts that are asked for, each with the beginning of its question. */
const GAPS: Partial<Record<FactClass, { readonly kind: Question['kind']; readonly what: string }>> = {
  instructions: { kind: 'instruction', what: 'In this instruction of the user' },
  corrections: { kind: 'correction', what: 'In this correction of the user' },
  decisions: { kind: 'decision', what: 'In this decision of the assistant' },
  errors: { kind: 'error', what: 'In this error of a tool' },
};

/** UTF-16 code units: a shorter answer is in any text. */
const SHORTEST_ANSWER = 2;

/** UTF-16 code units. */
const LONGEST_SENTENCE = 400;

/** The words beside a gap. */
const FEWEST_WORDS = 3;
