import { canonicalJson, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { textOf } from '#change/compact/estimate.js';
import { messageOfEntry } from '#context/replay/convert.js';
import { settingsOf } from '#context/replay/settings.js';
import { windowAt } from '#context/size/size.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { answersRequest } from '#session/tree/tree.js';
import type { PiView } from '../define.js';
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

/** The session as an extension sees it at an event. */
export function viewOf(hooked: HookedPath, window: WindowOptions): PiView {
  const { session, heads } = hooked;
  const { model, thinkingLevel } = settingsOf(session, heads);
  const { entries, tokens } = hooked.projection();
  const { system, tools } = hooked.content();
  return {
    branch: heads.map((head) => session.entry(head)),
    header: session.header.fields,
    file: session.file,
    name: nameOn(hooked),
    projection: entries.map(({ head, messages }) => ({ entryId: idText(head.id), messages })),
    model: model === null ? null : { provider: model.provider ?? null, id: model.modelId ?? null },
    // Pi has no word for an unknown level.
    thinkingLevel: thinkingLevel === 'unknown' ? 'off' : thinkingLevel,
    contextWindow: windowAt(session, heads, window).tokens,
    tokens,
    systemPrompt: system.compiled,
    tools: tools.map((tool) => ({ ...tool })),
  };
}

function nameOn({ session, heads }: HookedPath): string | null {
  const info = heads.findLast(({ type }) => type === 'session_info');
  const entry = info ? session.entry(info) : {};
  return isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : null;
}

/** Fields of an entry that its writer adds. */
const OF_PLACE: ReadonlySet<string> = new Set(['id', 'parentId', 'timestamp']);

/** The entries that an extension appends and that the recording does not have already between a place and the next answer. */
export function unrecorded(
  session: Session,
  path: readonly Head[],
  { place, bodies }: { readonly place: number; readonly bodies: readonly JsonObject[] },
): readonly JsonObject[] {
  if (bodies.length === 0) return bodies;
  const below = path.slice(place + 1);
  const end = below.findIndex(answersRequest);
  const recorded = (end === -1 ? below : below.slice(0, end)).filter(({ type }) =>
    bodies.some((body) => body['type'] === type),
  );
  const texts = new Set(recorded.map((head) => ownText(session.entry(head))));
  return bodies.filter((body) => !texts.has(ownText(body)));
}

function ownText(entry: JsonObject): string {
  return canonicalJson(Object.fromEntries(Object.entries(entry).filter(([name]) => !OF_PLACE.has(name))));
}
