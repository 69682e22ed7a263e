import { asString, type JsonObject, listObjects } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { HookedPath } from '../hooked-path.js';
import { ignoreAnswer, readAnswerMembers, type StockHandlers } from './stock-handlers.js';

/** Runs the handlers of `tool_result` for a message. Returns the message as they leave it; null if none changes it. */
export async function runToolResult(handlers: StockHandlers, message: JsonObject): Promise<JsonObject | null> {
  const { toolCallId, toolName, content, details, structuredContent, isError = false, usage } = message;
  const call = { type: 'tool_result', toolCallId, toolName, input: findToolInput(handlers.hooked, toolCallId) };
  let result: JsonObject = { content, details, structuredContent, isError, usage };
  let isChanged = false;
  await handlers.emit('tool_result', {
    make: () => ({ ...call, ...result }),
    take(answer) {
      const next = mergeToolResult(result, readAnswerMembers(answer));
      if (JSON.stringify(next) === JSON.stringify(result)) return ignoreAnswer(answer);
      result = next;
      isChanged = true;
      return { outcome: 'changed', what: `the result of ${asString(toolName) ?? 'a tool'}` };
    },
  });
  return isChanged ? { ...message, ...result } : null;
}

const RESULT_FIELDS = ['content', 'details', 'structuredContent', 'isError', 'usage'] as const;

/**
 * A tool result with the fields that a handler returned. Without new structured content, new content drops the old one.
 */
function mergeToolResult(result: JsonObject, answer: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...result };
  if (answer.content !== undefined) merged.structuredContent = undefined;
  for (const field of RESULT_FIELDS) {
    if (answer[field] !== undefined) merged[field] = answer[field];
  }
  return merged;
}

/** The arguments of the tool call that a result answers. */
function findToolInput({ session, heads }: HookedPath, toolCallId: unknown): unknown {
  const head = heads.findLast(({ role }) => role === 'assistant');
  const { content } = (head && readEntryMessage(session.entry(head))) ?? {};
  return listObjects(content).find(({ type, id }) => type === 'toolCall' && id === toolCallId)?.arguments ?? {};
}
