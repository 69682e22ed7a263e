import type { OpenSession } from '#context/open.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import type { Head } from '#session/heads/head.js';
import { openBoundary } from './audit.js';
import { listEditQuestions } from './edit-questions.js';
import { listGapQuestions, listValueQuestions } from './gap-questions.js';
import { readSentMessage } from './lost-facts.js';
import { type Question, QUESTION_KINDS } from './question-file.js';
import type { RemovedMessage } from './questions.js';
import { containsName } from './summary-mentions.js';

/** The questions about a compaction, and the text that is to answer them. */
export interface Exam {
  readonly boundary: Head;
  readonly summary: string;
  readonly questions: readonly Question[];
}

/**
 * Builds questions whose answers a compaction removed from the context. By rule they ask for the file of an edit, for a
 * value that an edit changed or a new file has, and for a name or a value that is left out of an instruction, a decision
 * or an error. What the kept messages answer is not asked. null: there is no compaction. Throws like `auditLoss`.
 */
export function buildExam(session: OpenSession, at: Head): Exam | null {
  const opened = openBoundary({ session }, at);
  if (!opened) return null;
  const { boundary, replacement, fates, files } = opened;
  const removed: RemovedMessage[] = [];
  const kept: string[] = [];
  for (const { head, fate } of fates.listBefore(boundary)) {
    const message = readSentMessage(session, head);
    if (!message) continue;
    if (fate === 'kept') kept.push(readSearchableText(message));
    else removed.push({ head, message });
  }
  const keptText = kept.join('\n');
  const all = [
    ...listEditQuestions(removed, files.files),
    ...listValueQuestions(removed),
    ...listGapQuestions(removed),
  ].toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  const questions = dropUnclear(all).filter(({ answers }) => !answers.some((answer) => containsName(keptText, answer)));
  return {
    boundary,
    summary: replacement.summary,
    questions: QUESTION_KINDS.flatMap((kind) => chooseOfKind(questions, kind)),
  };
}

/** The maximum number of questions of one kind. */
const MOST_OF_KIND = 5;

/** Chooses up to `MOST_OF_KIND` questions of a kind, evenly spread over the session. */
function chooseOfKind(questions: readonly Question[], kind: Question['kind']): readonly Question[] {
  const own = questions.filter((question) => question.kind === kind);
  if (own.length <= MOST_OF_KIND) return own;
  const chosen = new Set(Array.from({ length: MOST_OF_KIND }, (_, at) => Math.floor((at * own.length) / MOST_OF_KIND)));
  return own.filter((_, place) => chosen.has(place));
}

/** Leaves out questions with two different answers, and repeated ones. */
function dropUnclear(questions: readonly Question[]): readonly Question[] {
  const byText = new Map<string, Set<string>>();
  for (const { question, answers } of questions) {
    const distinct = byText.get(question) ?? new Set();
    byText.set(question, distinct.add(answers[0] ?? ''));
  }
  const asked = new Set<string>();
  return questions.filter(({ question }) => {
    const isFirst = !asked.has(question);
    asked.add(question);
    return isFirst && byText.get(question)?.size === 1;
  });
}
