import { createHash } from 'node:crypto';
import { canonicalJson } from '#base/canonical-json.js';
import type { RequestContent } from './request-content.js';

/** The chain of hashes that ends at a message, with the chain before it. */
const chains = new WeakMap<object, { readonly before: string; readonly chain: string }>();

/**
 * SHA-256 of a request. Messages are hashed as a chain, so a request that adds messages to an earlier one hashes
 * only those.
 */
export function hashRequest({ system, tools, messages, reasoning, systemAt }: RequestContent): string {
  let chain = '';
  for (const message of messages) {
    const cached = chains.get(message);
    if (cached?.before === chain) {
      chain = cached.chain;
      continue;
    }
    const before = chain;
    chain = hashText(`${before}${hashValue(message)}`);
    chains.set(message, { before, chain });
  }
  const places = systemAt === undefined ? [] : [`system at:${systemAt.join(' ')}`];
  const parts = [hashValue(system), ...tools.map(hashValue), `reasoning:${reasoning}`, `messages:${chain}`, ...places];
  return hashText(parts.join('\n'));
}

const hashes = new WeakMap<object, string>();

/** SHA-256 of the canonical JSON of a value that no longer changes. Known for a value that was hashed before. */
export function hashValue(value: object | string): string {
  if (typeof value === 'string') return hashText(value);
  const cached = hashes.get(value);
  if (cached !== undefined) return cached;
  const hash = hashText(canonicalJson(value));
  hashes.set(value, hash);
  return hash;
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
