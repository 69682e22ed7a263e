import { createHash } from 'node:crypto';
import { canonicalTextOf } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from './content.js';

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
