import type { JsonObject } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { formatId } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { HookedPath } from '../hooked-path.js';

/** The fields of a `turn_end` event: the answer and the results of its tools, as handlers have changed them. */
export function buildTurnEndFields({ session, path, heads }: HookedPath, answer: number, end: number): JsonObject {
  const recorded = path.slice(answer, end + 1).filter(({ role }) => role === 'assistant' || role === 'toolResult');
  const changed = recorded.flatMap((head) => heads.findLast(({ index }) => index === head.index) ?? []);
  const [message = {}, ...toolResults] = changed.map((head) => readEntryMessage(session.entry(head)) ?? {});
  const [messageEntryId = null, ...toolResultEntryIds] = changed.map(({ id }) => formatId(id));
  const prompt = path.slice(0, answer).findLastIndex(({ role }) => role === 'user');
  const turnIndex = path.slice(prompt + 1, answer).filter(answersRequest).length;
  return { turnIndex, message, toolResults, messageEntryId, toolResultEntryIds, outcome: readRunOutcome(message) };
}

/** The fields of an `agent_before_settle` event after an answer; null: the agent goes on. */
export function buildSettleFields({ session, path }: HookedPath, answer: number, end: number): JsonObject | null {
  const head = path[answer];
  const message = (head && readEntryMessage(session.entry(head))) ?? {};
  const next = path.slice(end + 1).find(({ role }) => role === 'user' || role === 'assistant');
  const isOver = end === answer && next?.role !== 'assistant' && message.stopReason !== 'aborted';
  return isOver ? { outcome: readRunOutcome(message) } : null;
}

/** Pi's outcome of an answer. */
function readRunOutcome({ stopReason }: JsonObject): 'completed' | 'aborted' | 'error' {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}
