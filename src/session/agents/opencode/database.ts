import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import type { SessionStore, StoredSession, StoreQuery, StoreRow } from '../store.js';

/**
 * The database of opencode 1.2 and newer, by its tables `session`, `message` and `part`: a row has the JSON of a record
 * without the ids, which are columns. A session is read as the document that `opencode export` writes.
 *
 * Source: the tables and the exports of opencode-ai 1.18.34.
 */
export const opencodeStore: SessionStore = {
  database: /(?:^|[\\/])opencode[^\\/]*\.db$/,
  list(query) {
    return hasTables(query) ? query(LIST).map(toStoredSession) : [];
  },
  *readDocument(query, id) {
    const [session] = hasTables(query) ? query('SELECT * FROM session WHERE id = ?', id) : [];
    if (!session) return;
    yield `{"info":${JSON.stringify(buildInfo(session))},"messages":[`;
    let separator = '';
    for (const row of query('SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id', id)) {
      const info = { ...readData(row), id: row['id'], sessionID: id };
      // Of a long session, often only the beginning is read.
      const parts = query('SELECT * FROM part WHERE message_id = ? ORDER BY id', String(row['id'])).map(toPart);
      yield `${separator}${JSON.stringify({ info, parts })}`;
      separator = ',';
    }
    yield ']}';
  },
};

/** A document has the ids and some punctuation in addition to the records, so that its size is at most this. */
const LIST = `
  SELECT id, time_updated, 4096 + octet_length(title) + octet_length(directory) +
    (SELECT coalesce(sum(octet_length(data) + 256), 0) FROM message WHERE session_id = session.id) +
    (SELECT coalesce(sum(octet_length(data) + 256), 0) FROM part WHERE session_id = session.id) AS size
  FROM session`;

function toStoredSession({ id, size, time_updated: modified }: StoreRow): StoredSession {
  return { id: String(id), size: Number(size), modified: Number(modified) };
}

function hasTables(query: StoreQuery): boolean {
  const found = query("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')");
  return found.length === TABLES;
}

const TABLES = 3;

/** The fields of a session as an export names them. */
function buildInfo(row: StoreRow): JsonObject {
  const { id, slug, project_id: projectID, directory, title, version, agent, cost } = row;
  const { parent_id: parentID, time_created: created, time_updated: updated } = row;
  const revert = readJson(row['revert']);
  return {
    id,
    ...(parentID === null ? {} : { parentID }),
    slug,
    projectID,
    directory,
    title,
    ...(agent === null ? {} : { agent }),
    version,
    cost,
    ...(isObject(revert) ? { revert } : {}),
    time: { created, updated },
  };
}

function toPart(row: StoreRow): JsonObject {
  const { id, message_id: messageID, session_id: sessionID } = row;
  return { ...readData(row), id, sessionID, messageID };
}

/** The record of a row. One that is not JSON is kept as its text. */
function readData({ data }: StoreRow): JsonObject {
  const value = readJson(data);
  return isObject(value) ? value : { type: DAMAGED, data: asString(data) ?? '' };
}

/** Tests whether a message or a part of a document was damaged in the database. */
export function isDamaged({ type }: JsonObject): boolean {
  return type === DAMAGED;
}

const DAMAGED = 'ctx.damaged';

function readJson(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : undefined;
}
