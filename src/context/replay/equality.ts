import { isJsonEqual } from '#base/canonical-json.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import type { DeclaredRegions } from './declared-regions.js';

/** Whether two lists hold equal messages. */
export function areEqualMessages(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return some.length === others.length && some.every((message, at) => isJsonEqual(message, others[at]));
}

/** Whether a model would be shown the same; uncached messages are not compared. */
export function isSameContent(one: EnvelopeContent, other: EnvelopeContent): boolean {
  return (
    areEqualMessages(one.messages.cached, other.messages.cached) &&
    isJsonEqual(one.system.parts, other.system.parts) &&
    isJsonEqual(one.tools, other.tools) &&
    isJsonEqual(one.options, other.options)
  );
}

/** A context that may still get its prompt and its tools from a baseline. */
export interface BaselineFreeContext {
  readonly messages: readonly LlmMessage[];
  readonly declared: DeclaredRegions;
}

/**
 * Whether two contexts show a model the same, with any baseline. The options do not count: migration leaves them alone.
 */
export function isSameContext(one: BaselineFreeContext, other: BaselineFreeContext): boolean {
  return areEqualMessages(one.messages, other.messages) && isJsonEqual(one.declared, other.declared);
}
