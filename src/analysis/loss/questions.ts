import type { LlmMessage } from '#context/replay/content.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Question } from './question-file.js';

/** A message that a compaction removed from the context, and its entry. */
export interface RemovedMessage {
  readonly head: Head;
  readonly message: LlmMessage;
}

/** Builds a question that the entry of a removed message answers. `answers`: the texts that are each right. */
export function buildQuestion(
  kind: Question['kind'],
  question: string,
  answers: readonly string[],
  { id, line }: Head,
): Question {
  return { kind, question, answers: [...answers], entryId: formatId(id), line };
}
