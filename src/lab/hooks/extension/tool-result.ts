import { type JsonObject, listObjects } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { HookedPath } from '../hooked-path.js';

/** A tool result with the fields that a handler returned. Without new structured content, new content drops the old one. */
export function mergeToolResult(
  now: JsonObject,
  { content, details, structuredContent, isError, usage }: JsonObject,
): JsonObject {
  return {
    ...now,
    ...(content === undefined ? {} : { content, structuredContent: undefined }),
    ...(details === undefined ? {} : { details }),
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The arguments of the tool call that a result answers. */
export function findToolInput({ session, heads }: HookedPath, toolCallId: unknown): unknown {
  const head = heads.findLast(({ role }) => role === 'assistant');
  const { content } = (head && readEntryMessage(session.entry(head))) ?? {};
  return listObjects(content).find(({ type, id }) => type === 'toolCall' && id === toolCallId)?.arguments ?? {};
}
