import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { lowerAscii, normalizeText } from '../facts/text.js';
import { type Question, QUESTION_KINDS, questionLine } from './question-file.js';
import { containsName } from './summary-mentions.js';

const counts = {
  asked: z.int(),
  /** The questions with an answer that the summary contains. The text may be there for another reason. */
  inSummary: z.int(),
  /** Right answers of the model; null without `--model-command`. */
  right: z.nullable(z.int()),
};

const scoredQuestion = z.object({
  ...questionLine.shape,
  kind: z.enum(QUESTION_KINDS),
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  inSummary: z.boolean(),
  /** The answer of the model; null without one. */
  reply: z.nullable(z.string()),
  /** Whether that is one of the answers; null without `--model-command`. */
  isRight: z.nullable(z.boolean()),
  /** Why the command gave no answer; null if it did, or was not asked. */
  failure: z.nullable(z.string()),
});

/** The output of `ctx loss --questions --json`: what the summary of a compaction answers. */
export const lossQuestions = jsonDocument('ctx/loss-questions', {
  session: z.object({ id: z.string(), file: z.string() }),
  /** The compaction whose summary is examined. */
  boundary: z.object({ entryId: z.nullable(z.string()), line: z.int(), type: z.nullable(z.string()) }),
  /** The file of the questions. */
  file: z.string(),
  /** Whether this run wrote that file. */
  isWritten: z.boolean(),
  ...counts,
  /** Questions to which the command gave no answer. They count as not answered. */
  failed: z.int(),
  /** The counts of each kind of question that was asked. */
  kinds: z.array(z.object({ kind: z.enum(QUESTION_KINDS), ...counts })),
  questions: z.array(scoredQuestion),
});

export type LossQuestions = z.infer<typeof lossQuestions>;
export type ScoredQuestion = LossQuestions['questions'][number];

/** The answer of a model, or the reason why there is none. */
export type Reply = { readonly text: string } | { readonly failure: string };

/** Scores the reply to a question. null: no model was asked. */
export function scoreReply(question: Question, summary: string, reply: Reply | null): ScoredQuestion {
  const plain = lowerAscii(summary);
  const inSummary = question.answers.some((answer) => containsName(plain, lowerAscii(answer)));
  if (reply === null) return { ...question, inSummary, reply: null, isRight: null, failure: null };
  if ('failure' in reply) return { ...question, inSummary, reply: null, isRight: false, failure: reply.failure };
  const isRight = question.answers.some((answer) => toAnswer(answer) === toAnswer(reply.text));
  return { ...question, inSummary, reply: reply.text, isRight, failure: null };
}

/** An answer for comparison: without case, Markdown marks, surrounding quotes and a full stop. */
function toAnswer(text: string): string {
  return normalizeText(text)
    .replace(/^["'“‘]+/, '')
    .replace(/[."'”’]+$/, '');
}

/** The counts of all questions, and those of each kind, in the order of the kinds. */
export function countScores(questions: readonly ScoredQuestion[]): Pick<LossQuestions, keyof typeof counts | 'kinds'> {
  const kinds = QUESTION_KINDS.map((kind) => ({ kind, own: questions.filter((each) => each.kind === kind) }));
  return {
    ...countOf(questions),
    kinds: kinds.filter(({ own }) => own.length > 0).map(({ kind, own }) => ({ kind, ...countOf(own) })),
  };
}

function countOf(questions: readonly ScoredQuestion[]): Pick<LossQuestions, keyof typeof counts> {
  const isModelAsked = questions.some(({ isRight }) => isRight !== null);
  return {
    asked: questions.length,
    inSummary: questions.filter(({ inSummary }) => inSummary).length,
    right: isModelAsked ? questions.filter(({ isRight }) => isRight).length : null,
  };
}

/** The input of the model: its task, the summary and a question. */
export function buildExamPrompt(summary: string, { question }: Question): string {
  return `${TASK}\n\n<summary>\n${summary}\n</summary>\n\n${question}\n`;
}

const TASK =
  'Answer the question after the summary from the summary alone. Print only the answer, in the exact words of the summary: ' +
  'a name, a path or a value, without a sentence around it. Print "unknown" if the summary does not have it.';
