import { asObject, asString, isObject, type JsonObject, listObjects, parseJson } from '#base/json.js';
import type { SessionStore, StoredSession, StoreQuery, StoreRow } from '../store.js';

/**
 * The database of the editor Cursor: the table `cursorDiskKV` with a JSON value for each key. `composerData:ID` is a
 * conversation with the order of its messages, and `bubbleId:ID:MESSAGE` a message. It is read as one document.
 *
 * Source: databases of versions with `_v` 3 to 16 as kenn-io/agentsview and others describe them, read on 29 November 2026.
 * Cursor publishes no schema.
 */
export const cursorStore: SessionStore = {
  database: /[\\/]Cursor[^\\/]*[\\/](?:.*[\\/])?state\.vscdb$|(?:^|[\\/])cursor[^\\/]*\.vscdb$/,
  list(query) {
    return hasTable(query) ? query(LIST).map(toStoredSession) : [];
  },
  *readDocument(query, id) {
    const [row] = hasTable(query) ? query(VALUE, `composerData:${id}`) : [];
    const composer = parseJson(asString(row?.['value']) ?? '');
    if (!isObject(composer)) return;
    yield `{"cursor":"composer","composer":${JSON.stringify(pickComposer(composer))},"messages":[`;
    let separator = '';
    for (const bubble of listBubbles(query, id, composer)) {
      yield separator + JSON.stringify(bubble);
      separator = ',';
    }
    yield ']}';
  },
};

/** A value is a text or the bytes of one. Without messages, it is a draft. */
const LIST = `
  SELECT substr(key, 14) AS id,
    CASE WHEN json_valid(CAST(value AS TEXT)) THEN json_extract(CAST(value AS TEXT), '$.lastUpdatedAt') END AS modified,
    4096 + octet_length(value) + (
      SELECT coalesce(sum(octet_length(value) + 64), 0) FROM cursorDiskKV AS bubble
      WHERE bubble.key >= 'bubbleId:' || substr(composer.key, 14) || ':'
        AND bubble.key < 'bubbleId:' || substr(composer.key, 14) || ';'
    ) AS size
  FROM cursorDiskKV AS composer
  WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL
    AND (CAST(value AS TEXT) LIKE '%"bubbleId"%')`;

const VALUE = 'SELECT CAST(value AS TEXT) AS value FROM cursorDiskKV WHERE key = ?';

function toStoredSession({ id, size, modified }: StoreRow): StoredSession {
  return { id: String(id), size: Number(size), modified: Number(modified ?? 0) || 0 };
}

function hasTable(query: StoreQuery): boolean {
  return query("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'cursorDiskKV'").length === 1;
}

/** The fields that a session needs: the rest is the state of the editor. */
function pickComposer(composer: JsonObject): JsonObject {
  const { composerId, name, createdAt, lastUpdatedAt, modelConfig, workspaceIdentifier, subagentInfo, _v } = composer;
  return { composerId, name, createdAt, lastUpdatedAt, modelConfig, workspaceIdentifier, subagentInfo, _v };
}

/** The messages in the order that the conversation names; older versions have them in it. */
function* listBubbles(query: StoreQuery, id: string, composer: JsonObject): Generator<JsonObject> {
  const inside = listObjects(composer['conversation']);
  if (inside.length > 0) {
    yield* inside.map(pickBubble);
    return;
  }
  // Each once: a hostile list could name a long message many times.
  const ids = new Set(listObjects(composer['fullConversationHeadersOnly']).map(({ bubbleId }) => asString(bubbleId)));
  for (const bubbleId of ids) {
    const [row] = query(VALUE, `bubbleId:${id}:${bubbleId ?? ''}`);
    const bubble = parseJson(asString(row?.['value']) ?? '');
    yield isObject(bubble) ? pickBubble(bubble) : { type: MISSING };
  }
}

function pickBubble(bubble: JsonObject): JsonObject {
  const { bubbleId, type, text, createdAt, thinking, toolFormerData, modelInfo } = bubble;
  const { toolCallId, name, rawArgs, params, result, status, error } = asObject(toolFormerData);
  const tool = isObject(toolFormerData) ? { toolCallId, name, rawArgs, params, result, status, error } : undefined;
  return { bubbleId, type, text, createdAt, thinking, toolFormerData: tool, modelInfo };
}

/** Tests whether a message of a document is not in the database, or no JSON there. */
export function isMissing({ type }: JsonObject): boolean {
  return type === MISSING;
}

const MISSING = 'ctx.missing';
