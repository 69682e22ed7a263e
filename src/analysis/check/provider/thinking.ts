import { isObject, type JsonObject } from '#base/json.js';
import { isBlankContent } from './message.js';

/** A thinking block that Pi sends back to its model; null for any other block, and for an empty one. */
export function readThinking(block: unknown): JsonObject | null {
  if (!isObject(block) || block['type'] !== 'thinking') return null;
  return isSignedBlock(block) || block['redacted'] || !isBlankContent(block['thinking']) ? block : null;
}

export function isSignedBlock(block: JsonObject): boolean {
  return !isBlankContent(block['thinkingSignature']);
}
