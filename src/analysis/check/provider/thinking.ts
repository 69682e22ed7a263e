import type { JsonObject } from '#base/json.js';
import { isObject } from '#base/json.js';
import { isBlank } from './message.js';

/** A block of thinking that Pi sends to the model that it comes from; null for any other block, and for an empty one. */
export function asThinking(block: unknown): JsonObject | null {
  if (!isObject(block) || block['type'] !== 'thinking') return null;
  return isSigned(block) || block['redacted'] || !isBlank(block['thinking']) ? block : null;
}

export function isSigned(block: JsonObject): boolean {
  return !isBlank(block['thinkingSignature']);
}
