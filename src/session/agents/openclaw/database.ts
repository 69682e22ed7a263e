import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { MOST_CONTENT_BYTES } from '../../scan/compression.js';
import { zstd } from '../../scan/zstd.js';
import type { SessionStore, StoredSession, StoreQuery, StoreRow } from '../store.js';

/**
 * The database of one agent of OpenClaw 2026.7 and newer: `session_windows` has a row for each session, and
 * `transcript_events` its records in the order of `seq`, as JSON or compressed with zstd. A session is read as the file that
 * earlier versions wrote, with its key in the first line.
 *
 * Source: openclaw 2026.9.6, by its package and by a database that it filled.
 */
export const openclawStore: SessionStore = {
  database: /(?:^|[\\/])openclaw-agent[^\\/]*\.sqlite$/,
  ending: '.jsonl',
  list: (query) => (hasTables(query) ? query(buildList(query)).map(toStoredSession) : []),
  *readDocument(query, id) {
    if (!hasTables(query)) return;
    const [window] = query('SELECT session_key, spawned_by FROM session_windows WHERE session_id = ?', id);
    if (!window) return;
    let first = true;
    for (const row of query(EVENTS, id)) {
      const text = readText(row);
      if (first) yield addOrigin(text, window);
      else yield `${text}\n`;
      first = false;
    }
  },
};

const EVENTS = 'SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq';

function hasTables(query: StoreQuery): boolean {
  const found = query(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session_windows', 'transcript_events')",
  );
  return found.length === TABLES;
}

const TABLES = 2;

/** A record is a line, so that the size is at most this. */
function buildList(query: StoreQuery): string {
  const columns = query('PRAGMA table_info(transcript_events)').map(({ name }) => name);
  const bytes = columns.includes('event_utf8_bytes') ? 'event_utf8_bytes, ' : '';
  return `
    SELECT session_id AS id, updated_at AS modified,
      1024 + (SELECT coalesce(sum(coalesce(${bytes}octet_length(event_json)) + 1), 0) FROM transcript_events
        WHERE session_id = session_windows.session_id) AS size
    FROM session_windows
    WHERE EXISTS (SELECT 1 FROM transcript_events WHERE session_id = session_windows.session_id)`;
}

function toStoredSession({ id, size, modified }: StoreRow): StoredSession {
  return { id: String(id), size: Number(size), modified: Number(modified) };
}

/** Returns the record of a row. A value that is neither a text nor compressed becomes a damaged line. */
function readText({ event_json: json, event_zstd: compressed }: StoreRow): string {
  if (typeof json === 'string') return json.replaceAll('\n', ' ');
  if (!(compressed instanceof Uint8Array)) return DAMAGED;
  return decompress(compressed)?.replaceAll('\n', ' ') ?? DAMAGED;
}

/** null for bytes that are damaged. */
function decompress(record: Uint8Array): string | null {
  try {
    return new TextDecoder().decode(zstd.decompress(record, MOST_CONTENT_BYTES));
  } catch (error) {
    if (!(error instanceof CtxError)) return null;
    // The hint of a file is no help for a record.
    throw new CtxError(error.kind, error.message, { hint: 'use Node.js 22.15 or newer' });
  }
}

const DAMAGED = '{"openclaw":';

/** Adds to the header the key of the session, and that of the session that started it. */
function addOrigin(text: string, { session_key: key, spawned_by: spawnedBy }: StoreRow): string {
  const origin = JSON.stringify({ sessionKey: asString(key) ?? '', spawnedBy: asString(spawnedBy) ?? undefined });
  return text.startsWith('{"type":"session"')
    ? `{"type":"session","openclaw":${origin},${text.slice('{"type":"session",'.length)}\n`
    : `${text}\n`;
}
