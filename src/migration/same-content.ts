import { canonicalTextOf } from '../context/canonical.js';
import type { EnvelopeContent, LlmMessage } from '../context/content.js';

export function isSame(one: object | undefined, other: object | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && canonicalTextOf(one) === canonicalTextOf(other);
}

/** Whether two lists hold equal messages. */
export function areSame(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return some.length === others.length && some.every((message, at) => isSame(message, others[at]));
}

/** Whether a model would be shown the same; uncached messages are not compared. */
export function isSameContent(one: EnvelopeContent, other: EnvelopeContent): boolean {
  return (
    areSame(one.messages.cached, other.messages.cached) &&
    isSame(one.system.parts, other.system.parts) &&
    isSame(one.tools, other.tools) &&
    isSame(one.options, other.options)
  );
}
