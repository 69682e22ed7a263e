import { createHash, type Hash } from 'node:crypto';
import { canonicalJsonOnce } from '#base/canonical-json.js';
import { beginsWith } from '#base/lists.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import type { DeclaredRegions } from './declarations.js';

/** SHA-256, in hex, of the canonical JSON of the content of a request: `{messages, options, system, tools}`. */
export function hashEnvelope(content: EnvelopeContent): string {
  return new EnvelopeHash().of(content);
}

/** `hashEnvelope` of successive contents, which reads only the messages that were appended since the last one. */
export class EnvelopeHash {
  /** The messages that `hash` contains. */
  private messages: readonly LlmMessage[] = [];
  private hash = startOfHash();

  of({ messages, options, system, tools }: EnvelopeContent): string {
    this.take(messages.cached);
    return this.hash
      .copy()
      .update(`],"uncached":[${messages.uncached.map(canonicalJsonOnce).join(',')}]}`)
      .update(
        `,"options":${canonicalJsonOnce(options)},"system":${canonicalJsonOnce(system)},"tools":${canonicalJsonOnce(tools)}}`,
      )
      .digest('hex');
  }

  private take(messages: readonly LlmMessage[]): void {
    const isAppended = beginsWith(messages, this.messages);
    if (!isAppended) this.hash = startOfHash();
    for (let at = isAppended ? this.messages.length : 0; at < messages.length; at += 1) {
      const message = messages[at];
      if (message) this.hash.update(`${at > 0 ? ',' : ''}${canonicalJsonOnce(message)}`);
    }
    this.messages = messages;
  }
}

function startOfHash(): Hash {
  return createHash('sha256').update('{"messages":{"cached":[');
}

export function isEqualJson(one: object | undefined, other: object | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && canonicalJsonOnce(one) === canonicalJsonOnce(other);
}

/** Whether two lists hold equal messages. */
export function areEqualMessages(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return some.length === others.length && some.every((message, at) => isEqualJson(message, others[at]));
}

/** Whether a model would be shown the same; uncached messages are not compared. */
export function isSameContent(one: EnvelopeContent, other: EnvelopeContent): boolean {
  return (
    areEqualMessages(one.messages.cached, other.messages.cached) &&
    isEqualJson(one.system.parts, other.system.parts) &&
    isEqualJson(one.tools, other.tools) &&
    isEqualJson(one.options, other.options)
  );
}

/** A context of which a baseline can still supply the prompt and the tools. */
export interface BaselineFreeContext {
  readonly messages: readonly LlmMessage[];
  readonly declared: DeclaredRegions;
}

/** Whether a model would be shown the same, whatever baseline is supplied. Migration leaves the options alone. */
export function isSameContext(one: BaselineFreeContext, other: BaselineFreeContext): boolean {
  return areEqualMessages(one.messages, other.messages) && isEqualJson(one.declared, other.declared);
}
