import { type JsonObject, objectsIn } from '#base/json.js';
import { textOf } from '#change/compact/estimate.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import type { HookedPath } from '../hooked-path.js';

/** The `before_agent_start` event for a prompt. Sections and snippets of the prompt are not recorded. */
export function promptEvent(hooked: HookedPath, content: unknown, forced: string | null): JsonObject {
  const { system, tools } = hooked.content();
  const images = objectsIn(content).filter(({ type }) => type === 'image');
  return {
    type: 'before_agent_start',
    messageType: 'user',
    prompt: textOf(content),
    ...(images.length === 0 ? {} : { images }),
    systemPrompt: forced ?? system.compiled,
    systemPromptOptions: {
      cwd: hooked.session.header.cwd,
      selectedTools: tools.map(({ name }) => name),
      hiddenTools: [],
      toolSnippets: {},
      toolGuidelines: {},
      promptGuidelines: [],
      sections: {},
      contextFiles: [],
      skills: [],
    },
  };
}

/** A tool result with the fields that a handler returned. Without new structured content, new content drops the old one. */
export function resultWith(
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
export function inputOf({ session, heads }: HookedPath, toolCallId: unknown): unknown {
  const head = heads.findLast(({ role }) => role === 'assistant');
  const { content } = (head && messageOfEntry(session.entry(head))) ?? {};
  return objectsIn(content).find(({ type, id }) => type === 'toolCall' && id === toolCallId)?.['arguments'] ?? {};
}

/** Pi's outcome of an answer. */
export function outcomeOf({ stopReason }: JsonObject): 'completed' | 'aborted' | 'error' {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}
