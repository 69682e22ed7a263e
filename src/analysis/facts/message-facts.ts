import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findDecisions } from './decisions.js';
import { type PendingCall, readPendingCalls } from './failures.js';
import { readMessageText } from './text.js';
import { findTodos, type Todo } from './todos.js';
import { endsTurn, findNextSteps, findOutcome } from './turn-end.js';
import { readUserRequest } from './user-request.js';

// Facts, losses, summaries and engines read the same messages, and a simulation reads each a hundred times.

export const readUserMessage = memoizeByObject((message: LlmMessage) => readUserRequest(readMessageText(message)));

/** The facts that an answer states. */
export interface AnswerFacts {
  readonly decisions: readonly string[];
  /** Its task list; empty if it has none. */
  readonly todos: readonly Todo[];
  readonly nextSteps: readonly string[];
  readonly calls: ReadonlyMap<unknown, PendingCall>;
  readonly endsTurn: boolean;
  /** The outcome on one line; null for an answer without text. */
  readonly outcome: string | null;
}

export const readAnswerFacts = memoizeByObject((message: LlmMessage): AnswerFacts => {
  const text = readMessageText(message);
  return {
    decisions: findDecisions(text),
    todos: findTodos([message]),
    nextSteps: findNextSteps(text),
    calls: readPendingCalls(message),
    endsTurn: endsTurn(message),
    outcome: findOutcome(text),
  };
});
