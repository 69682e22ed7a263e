import { createHash, type Hash } from 'node:crypto';
import { canonicalJsonOnce } from '#base/canonical-json.js';
import { beginsWith } from '#base/lists.js';
import type { EnvelopeContent, LlmMessage } from './content.js';

/** SHA-256, in hex, of the canonical JSON of the content of a request: `{messages, options, system, tools}`. */
export function hashEnvelope(content: EnvelopeContent): string {
  return new EnvelopeHash().of(content);
}

/** `hashEnvelope` of successive contents, which reads only the messages that were appended since the last one. */
export class EnvelopeHash {
  /** The messages that `hash` contains. */
  private messages: readonly LlmMessage[] = [];
  private hash = beginHash();

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
    if (!isAppended) this.hash = beginHash();
    for (let at = isAppended ? this.messages.length : 0; at < messages.length; at += 1) {
      const message = messages[at];
      if (message) this.hash.update(`${at > 0 ? ',' : ''}${canonicalJsonOnce(message)}`);
    }
    this.messages = messages;
  }
}

function beginHash(): Hash {
  return createHash('sha256').update('{"messages":{"cached":[');
}
