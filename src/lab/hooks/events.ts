import { didYouMean } from '#base/suggestion.js';

export const CONTEXT_REASONS = ['before_request', 'ephemeral', 'turn_end'] as const;

export type BoundaryReason = (typeof CONTEXT_REASONS)[number];

/** The events that a run can be limited to. */
export const HOOK_REASONS = [...CONTEXT_REASONS, 'message'] as const;

export type HookReason = (typeof HOOK_REASONS)[number];

/** The version of stock Pi whose events, objects and members are known. */
export const PI_VERSION = '1.6.0';

/** The events of stock Pi, and `message` of the proposal. */
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
