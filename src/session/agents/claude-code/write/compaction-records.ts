import type { JsonObject } from '#base/json.js';

/** The fields of the boundary of a compaction, as the client writes them. `preserved`: the messages that it keeps. */
export function buildBoundary(tokensBefore: number, preserved: JsonObject = {}): JsonObject {
  return {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: { trigger: 'manual', preTokens: tokensBefore, ...preserved },
  };
}

/** The fields of the summary behind a boundary, as the client writes them. */
export function buildSummary(content: unknown): JsonObject {
  return {
    type: 'user',
    message: { role: 'user', content },
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
  };
}
