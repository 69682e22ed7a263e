import { createHash } from 'node:crypto';
import { canonicalTextOf } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import type { DeclaredRegions } from './declarations.js';

/** SHA-256, in hex, of the canonical JSON of the content of a request: `{messages, options, system, tools}`. */
export function hashEnvelope({ messages, options, system, tools }: EnvelopeContent): string {
  const hash = createHash('sha256');
  hash.update(`{"messages":{"cached":${listText(messages.cached)},"uncached":${listText(messages.uncached)}}`);
  return hash
    .update(
      `,"options":${canonicalTextOf(options)},"system":${canonicalTextOf(system)},"tools":${canonicalTextOf(tools)}}`,
    )
    .digest('hex');
}

function listText(messages: readonly LlmMessage[]): string {
  return `[${messages.map(canonicalTextOf).join(',')}]`;
}

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

/** A context of which a baseline can still supply the prompt and the tools. */
export interface OpenContext {
  readonly messages: readonly LlmMessage[];
  readonly declared: DeclaredRegions;
}

/** Whether a model would be shown the same, whatever baseline is supplied. Migration leaves the options alone. */
export function isSameContext(one: OpenContext, other: OpenContext): boolean {
  return areSame(one.messages, other.messages) && isSame(one.declared, other.declared);
}
