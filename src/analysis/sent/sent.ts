import { createHash } from 'node:crypto';
import { isSameAsJson, asString, canonicalJson, type JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/empty-envelope.js';
import { applySystemMessage } from '#context/replay/system.js';

/** The content of a request as it is compared: the prompt as one text, and no options that Pi does not record. */
export interface SentContent {
  readonly system: string;
  readonly tools: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** The thinking level; null for none. */
  readonly reasoning: string | null;
}

/** The request that an envelope shows. Its tools are those that have an implementation. */
export function sentByEnvelope({ system, tools, messages, options }: EnvelopeContent): SentContent {
  return { system: system.compiled, tools, messages: messages.cached, reasoning: asString(options.reasoning) };
}

/**
 * The request that Pi passes to a provider: a transcript with system messages. Messages that equal those of `shown` at
 * their place are the same objects, so that their hashes are known.
 */
export function sentByPi(transcript: readonly JsonObject[], reasoning: unknown, shown: SentContent): SentContent {
  const { system, tools } = transcript
    .filter(({ role }) => role === 'system')
    .reduce(applySystemMessage, EMPTY_ENVELOPE);
  const messages = transcript
    .filter(({ role }) => role !== 'system')
    .map((message, at) => sameOr(message, shown.messages[at]));
  return {
    system: system.compiled,
    tools: tools.map((tool, at) => sameOr(tool, shown.tools[at])),
    messages,
    reasoning: asString(reasoning),
  };
}

function sameOr(value: JsonObject, shown: JsonObject | undefined): JsonObject {
  return shown !== undefined && isSameAsJson(value, shown) ? shown : value;
}

const hashes = new WeakMap<object, string>();

/** SHA-256 of the canonical JSON of a value that no longer changes. Known for a value that was hashed before. */
export function hashOf(value: object | string): string {
  if (typeof value === 'string') return sha256(value);
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const hash = sha256(canonicalJson(value));
  hashes.set(value, hash);
  return hash;
}

/** The chain of hashes that ends at a message, with the chain before it. */
const chains = new WeakMap<object, { readonly before: string; readonly chain: string }>();

/**
 * SHA-256 of a request. Messages are hashed as a chain, so a request that adds messages to an earlier one hashes
 * only those.
 */
export function hashOfSent({ system, tools, messages, reasoning }: SentContent): string {
  let chain = '';
  for (const message of messages) {
    const known = chains.get(message);
    if (known?.before === chain) {
      chain = known.chain;
      continue;
    }
    const before = chain;
    chain = sha256(`${before}${hashOf(message)}`);
    chains.set(message, { before, chain });
  }
  return sha256([hashOf(system), ...tools.map(hashOf), `reasoning:${reasoning}`, `messages:${chain}`].join('\n'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
