import type { JsonObject } from '#base/json.js';
import { didYouMean } from '#base/suggestion.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { BoundaryDocument, Transform } from './document.js';
import type { HandlerAnswer } from './plugin/serve-hook.js';
import type { PiState } from './plugin/session-view.js';

export const CONTEXT_REASONS = ['before_request', 'ephemeral', 'turn_end'] as const;
export type BoundaryReason = (typeof CONTEXT_REASONS)[number];

/** The events that a run can be limited to. */
export const HOOK_REASONS = [...CONTEXT_REASONS, 'message'] as const;
export type HookReason = (typeof HOOK_REASONS)[number];

/** The session at an event of stock Pi. */
export interface PiView extends Omit<PiState, 'added'> {
  readonly branch: readonly JsonObject[];
}

/** The events of stock Pi 1.6.0, and `message` of the proposal. */
export const PI_EVENTS: readonly string[] = (
  'project_trust resources_discover session_start session_info_changed session_before_switch ' +
  'session_before_fork session_before_compact session_compact session_compact_failed session_before_tree ' +
  'session_tree session_shutdown mcp_servers_change before_agent_start context context_with_system ' +
  'cache_warming_decision before_provider_headers before_provider_request after_provider_response ' +
  'provider_stream_event agent_start turn_start message message_start message_update message_end tool_call ' +
  'tool_execution_start tool_execution_update tool_execution_end tool_result turn_end agent_end ' +
  'agent_before_settle agent_settled model_select thinking_level_select user_bash input ui_prompt_start ' +
  'ui_prompt_end'
).split(' ');

/** The events that Pi does not have, each once. */
export function listUnknownEvents(events: readonly string[]): readonly string[] {
  return [...new Set(events)].filter((event) => !PI_EVENTS.includes(event));
}

/** A sentence about an event that Pi does not have, with the event that was probably meant. */
export function describeUnknownEvent(event: string): string {
  return `Pi has no event "${event}"; ${didYouMean(event, PI_EVENTS, 'its handler never runs')}`;
}

/** One function that a module has registered for an event. */
export interface Handler {
  /** The module, as the user named it. */
  readonly hook: string;
  readonly event: string;
  /** Gives what it returns. Rejects with a PluginFailure. */
  call(event: JsonObject): Promise<unknown>;
  /** Like `call`, for an event of stock Pi. */
  emit?(event: JsonObject, view: PiView): Promise<HandlerAnswer>;
  /** Of a `context` handler: whether it is written for stock Pi or for the proposal; null until it was called once. */
  dialect?(): 'stock' | 'proposal' | null;
}

/** Modules of hooks that have been loaded. */
export interface HookHost {
  readonly handlers: readonly Handler[];
  /** Renders a transform as Markdown by a renderer of the module; null where it has no such renderer. Rejects with a PluginFailure. */
  render(hook: string, id: string, transform: JsonObject): Promise<string | null>;
}

/** The name of a module in the entries that it writes while an agent runs: that of its file, which may move. */
export function moduleName(hook: string): string {
  return hook.split(/[/\\]/).at(-1) ?? hook;
}

export function listModules({ handlers }: HookHost): ReadonlySet<string> {
  return new Set(handlers.map(({ hook }) => moduleName(hook)));
}

/** The result of all handlers of a context event. */
export interface HookBoundary extends Pick<BoundaryDocument, 'reason' | 'transforms' | 'failures' | 'violations'> {
  readonly before: EnvelopeContent;
  /** Equal to `before` where something failed: then none of it is applied. */
  readonly after: EnvelopeContent;
}

export function isFatal({ failures, violations }: Pick<HookBoundary, 'failures' | 'violations'>): boolean {
  return failures.length + violations.length > 0;
}

/** Whether a boundary failed that lies before the request: it is not sent then. A turn ends when it was answered. */
export function preventsRequest(boundary: Pick<HookBoundary, 'reason' | 'failures' | 'violations'>): boolean {
  return boundary.reason !== 'turn_end' && isFatal(boundary);
}

/** A transform as Pi persists it. */
export function toTransformBody({ transformerName, patch, display }: Transform): EntryBody {
  return {
    type: 'context_transform',
    schemaVersion: 1,
    transformerName,
    patch,
    ...(display === null ? {} : { display }),
  };
}

/** The uncached tail of a request as Pi logs it. */
export function toEphemeralBody(messages: readonly LlmMessage[]): EntryBody {
  return { type: 'ephemeral', messages };
}

/** Of id, parent and time, which every entry has, any will do: they are of one length. */
const ID = '00000000';
const PLACE = { id: ID, parentId: ID, timestamp: '2026-01-01T00:00:00.000Z' };

/** The length of an entry's line in the file. */
export function countLineBytes(body: EntryBody): number {
  return new TextEncoder().encode(`${JSON.stringify({ ...body, ...PLACE })}\n`).length;
}
