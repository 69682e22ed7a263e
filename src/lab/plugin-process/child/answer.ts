import type { ModuleFailureKind } from '../failure.js';
import { findNonJson } from '../find-non-json.js';
import { LONGEST_ANSWER } from '../protocol.js';

/** The reason why an answer cannot be sent. */
export class AnswerFailure extends Error {
  constructor(
    readonly kind: ModuleFailureKind,
    message: string,
  ) {
    super(message);
  }
}

/** A value as JSON; null for undefined. Throws an AnswerFailure for one that JSON cannot carry. */
export function formatAnswer(value: unknown): string | null {
  if (value === undefined) return null;
  const why = findNonJson(value, 'the answer');
  if (why !== null) throw new AnswerFailure('not-json', why);
  const text = stringifyAnswer(value);
  if (text.length > LONGEST_ANSWER)
    throw new AnswerFailure('too-long', `the answer is too long: ${text.length} characters of JSON`);
  return text;
}

function stringifyAnswer(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const isDeep = /call stack/.test(error.message);
    throw new AnswerFailure(
      isDeep ? 'not-json' : 'too-long',
      `the answer is ${isDeep ? 'nested too deeply' : 'too long'}`,
    );
  }
}
