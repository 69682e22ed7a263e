import { asObject, type JsonObject } from '#base/json.js';
import type { CopyStamps } from '../../copier.js';
import type { NewCompaction } from '../../copy-changes.js';

/** The fields that a new record has in common with one before it. */
export function commonFields(record: JsonObject): JsonObject {
  const common = COMMON_FIELDS.filter((field) => field in record);
  return Object.fromEntries(common.map((field) => [field, record[field]]));
}

const COMMON_FIELDS = ['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch', 'slug'] as const;

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

/** New messages of the user at the end of a session, which the client does not show. `last`: the record before them. */
export function buildAddedMessages(
  texts: readonly string[],
  last: JsonObject,
  { timestamp, newId }: CopyStamps,
): readonly JsonObject[] {
  let parentUuid = last['uuid'];
  return texts.map((content) => {
    const uuid = newId();
    const message = { role: 'user', content };
    const value = { parentUuid, isSidechain: false, type: 'user', message, isMeta: true, uuid, timestamp };
    parentUuid = uuid;
    return { ...value, ...commonFields(last) };
  });
}

/**
 * The boundary and the summary of a compaction at the end of a session, as the client writes them. `last`: the record
 * before them. `kept`: the uuids of the records that it keeps.
 */
export function buildCompaction(
  last: JsonObject,
  { summary, tokensBefore }: NewCompaction,
  kept: readonly string[],
  { timestamp, newId }: CopyStamps,
): readonly JsonObject[] {
  const common = commonFields(last);
  const boundary = newId();
  const anchor = newId();
  const preserved = kept.length === 0 ? {} : { preservedMessages: { anchorUuid: anchor, uuids: kept, allUuids: kept } };
  return [
    {
      parentUuid: null,
      logicalParentUuid: last['uuid'],
      isSidechain: false,
      ...buildBoundary(tokensBefore, preserved),
      timestamp,
      uuid: boundary,
      ...common,
    },
    {
      parentUuid: boundary,
      isSidechain: false,
      promptId: newId(),
      ...buildSummary(summary),
      uuid: anchor,
      timestamp,
      ...common,
    },
  ];
}

/** Turns a block in Pi's format into a block of the API. */
export function toNativeBlock(block: JsonObject): JsonObject {
  const { type, text, data, mimeType, id, name, arguments: input, thinking, thinkingSignature } = block;
  switch (type) {
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
    case 'toolCall':
      return { type: 'tool_use', id, name, input };
    case 'thinking':
      return { type: 'thinking', thinking, signature: thinkingSignature ?? '' };
    default:
      return { type: 'text', text };
  }
}

/** Replaces a list of one text by the text, as the client stores it. */
export function toPlainContent(blocks: readonly unknown[]): unknown {
  const [only, ...others] = blocks;
  const { type, text } = asObject(only);
  return type === 'text' && others.length === 0 ? text : blocks;
}
