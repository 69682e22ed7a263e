import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical.js';
import type { EnvelopeContent, LlmMessage } from './content.js';

/** Most messages, and the prompt, are part of many envelopes of a session, so each is written only once. */
const texts = new WeakMap<object, string>();

/** SHA-256, in hex, of the canonical JSON of what a request holds: `{messages, options, system, tools}`. */
export function hashEnvelope({ messages, options, system, tools }: EnvelopeContent): string {
  const hash = createHash('sha256');
  hash.update(`{"messages":{"cached":${listText(messages.cached)},"uncached":${listText(messages.uncached)}}`);
  return hash
    .update(`,"options":${textOf(options)},"system":${textOf(system)},"tools":${textOf(tools)}}`)
    .digest('hex');
}

function listText(messages: readonly LlmMessage[]): string {
  return `[${messages.map(textOf).join(',')}]`;
}

function textOf(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = canonicalJson(value);
  texts.set(value, text);
  return text;
}
