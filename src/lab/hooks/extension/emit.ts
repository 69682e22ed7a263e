import { canonicalJson } from '#base/canonical-json.js';
import { asObject, isObject, type JsonObject, listObjects } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { contentText } from '#change/compact/content-text.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { findSettings } from '#context/replay/settings.js';
import { findWindow } from '#context/size/context-size.js';
import type { WindowOptions } from '#context/size/window.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { callHandler } from '../chain.js';
import type { Handler, HookHost, PiView } from '../define.js';
import type { HookedPath } from '../hooked-path.js';
import type { HandlerAnswer } from '../plugin/serve-hook.js';
import type { EventRun, HookFailure } from '../request-parts.js';

/** The events of stock Pi that are run. */
export const STOCK_EVENTS = [
  'session_start',
  'before_agent_start',
  'context',
  'context_with_system',
  'tool_result',
  'turn_end',
  'agent_before_settle',
  'session_before_compact',
] as const;
export type StockEvent = (typeof STOCK_EVENTS)[number];

type EventOutcome = EventRun['outcome'];

/** The use of an answer. */
export type AnswerUse = { readonly outcome: EventOutcome; readonly what?: string } | { readonly wrong: string };

export interface Emission {
  readonly event: StockEvent;
  readonly at: Head | null;
  view(): PiView;
  /** Adds entries of `pi.appendEntry`. */
  append(bodies: readonly EntryBody[]): void;
  /** The event as the next handler gets it. */
  make(): JsonObject;
  take(emitted: HandlerAnswer): AnswerUse;
}

type StockHandler = Handler & Required<Pick<Handler, 'emit'>>;

/** The handlers that stock Pi calls for an event, in its order. */
export function listStockHandlers({ handlers }: HookHost, event: StockEvent): readonly StockHandler[] {
  return handlers.filter(
    (handler): handler is StockHandler =>
      handler.event === event && handler.emit !== undefined && handler.dialect?.() !== 'proposal',
  );
}

/** Calls the handlers of an event one after another. One that fails is reported, and skipped. */
export async function emitAll(
  host: HookHost,
  { event, at, view, append, make, take }: Emission,
): Promise<readonly EventRun[]> {
  const runs: EventRun[] = [];
  for (const handler of listStockHandlers(host, event)) {
    const { hook } = handler;
    const run = (outcome: EventOutcome, what: string | null, failure: HookFailure | null = null): void =>
      void runs.push({ event, hook, at, outcome, what, failure });
    const asked = await callHandler(hook, () => handler.emit(make(), view()));
    if ('failure' in asked) {
      run('failed', null, asked.failure);
      continue;
    }
    const { answer: emitted } = asked;
    append(emitted.appended as readonly EntryBody[]);
    const taken = orAppended(take(emitted), emitted.appended.length);
    if ('wrong' in taken) run('failed', null, { hook, kind: 'threw', message: taken.wrong });
    else run(taken.outcome, taken.what ?? null);
  }
  return runs;
}

function orAppended(taken: AnswerUse, appended: number): AnswerUse {
  if ('wrong' in taken || taken.what !== undefined || appended === 0) return taken;
  return { outcome: 'changed', what: `appends ${pluralize(appended, 'custom entry', 'custom entries')}` };
}

/** The members of an answer; none if it is not an object. */
export function readAnswerMembers({ value }: HandlerAnswer): JsonObject {
  return asObject(value);
}

/** `nothing` for a handler that returned nothing, `unchanged` for one whose answer has no effect. */
export function ignoreAnswer({ value }: HandlerAnswer): AnswerUse {
  return { outcome: value === undefined || value === null ? 'nothing' : 'unchanged' };
}

/** The `before_agent_start` event for a prompt. Sections and snippets of the prompt are not recorded. */
export function buildPromptEvent(hooked: HookedPath, content: unknown, forced: string | null): JsonObject {
  const { system, tools } = hooked.content();
  const images = listObjects(content).filter(({ type }) => type === 'image');
  return {
    type: 'before_agent_start',
    messageType: 'user',
    prompt: contentText(content),
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
  return listObjects(content).find(({ type, id }) => type === 'toolCall' && id === toolCallId)?.['arguments'] ?? {};
}

/** Pi's outcome of an answer. */
export function readRunOutcome({ stopReason }: JsonObject): 'completed' | 'aborted' | 'error' {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}

/** The session as an extension sees it at an event. */
export function buildPiView(hooked: HookedPath, window: WindowOptions): PiView {
  const { session, heads } = hooked;
  const { model, thinkingLevel } = findSettings(session, heads);
  const { entries, tokens } = hooked.projection();
  const { system, tools } = hooked.content();
  return {
    branch: heads.map((head) => session.entry(head)),
    header: session.header.fields,
    file: session.file,
    name: nameOn(hooked),
    projection: entries.map(({ head, messages }) => ({ entryId: formatId(head.id), messages })),
    model: model === null ? null : { provider: model.provider ?? null, id: model.modelId ?? null },
    // Pi has no word for an unknown level.
    thinkingLevel: thinkingLevel === 'unknown' ? 'off' : thinkingLevel,
    contextWindow: findWindow(session, heads, window).tokens,
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
export function listUnrecordedEntries(
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
