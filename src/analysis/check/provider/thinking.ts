import type { ThinkingBlock } from '#session/entry.js';
import { isBlankContent, readBlock } from './message.js';

/** A thinking block that Pi sends back to its model; null for any other block, and for an empty one. */
export function readThinking(item: unknown): ThinkingBlock | null {
  const block = readBlock(item);
  if (block?.type !== 'thinking') return null;
  return isSignedBlock(block) || block.redacted || !isBlankContent(block.thinking) ? block : null;
}

export function isSignedBlock(block: ThinkingBlock): boolean {
  return !isBlankContent(block.thinkingSignature);
}
