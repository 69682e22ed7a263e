import * as z from 'zod/mini';
import { CtxError } from '#base/errors.js';
import { parseJson } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';

/** The sources of questions; `own` is one that the user wrote. */
export const QUESTION_KINDS = ['edit', 'value', 'instruction', 'correction', 'decision', 'error', 'own'] as const;

/** A question, one line of the file of `--questions`. */
export const questionLine = z.object({
  question: z.string().check(z.minLength(1)),
  /** The correct answers: each text is one of them. */
  answers: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  /** The source of the question. */
  kind: z._default(z.enum(QUESTION_KINDS), 'own'),
  /** The entry with the answer; null where it is not known. */
  entryId: z._default(z.nullable(z.string()), null),
  /** Its line in the session, from 1. */
  line: z._default(z.nullable(z.int()), null),
});

export type Question = z.infer<typeof questionLine>;

/** Reads JSON Lines. Throws a CtxError (input) for a line that is no question, and for a text without one. */
export function parseQuestions(text: string, file: string): readonly Question[] {
  const questions = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, file, at + 1)]));
  if (questions.length > 0) return questions;
  throw new CtxError('input', 'there is no question in this file', { where: file, hint: HINT });
}

function parseLine(line: string, file: string, at: number): Question {
  const parsed = questionLine.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  throw new CtxError('input', `not a question: ${describeIssue(parsed.error)}`, { where: `${file}:${at}`, hint: HINT });
}

const HINT =
  'write {"question":"…","answers":["…"]} on each line, or name a file that does not exist, to get questions';

export function formatQuestions(questions: readonly Question[]): string {
  return questions.map((question) => `${JSON.stringify(question)}\n`).join('');
}
