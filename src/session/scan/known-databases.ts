import type { KnownFile } from './known-files.js';

/** The beginning of an SQLite database. */
export const SQLITE = 'SQLite format 3\0';

/**
 * The kinds of SQLite databases, by words in the definitions of their tables, which are at the beginning of the file.
 */
export const DATABASES: readonly KnownFile[] = [
  {
    what: 'the database of opencode',
    sign: /CREATE TABLE ["'`[]?(?:part|session_message|session_v2)\b/i,
    hint: 'rename it to opencode.db, and list its sessions: ctx ls opencode.db',
  },
  {
    what: 'a database of Cursor',
    sign: /CREATE TABLE ["'`[]?cursorDiskKV\b/i,
    hint: 'rename it to cursor.vscdb, and list its conversations: ctx ls cursor.vscdb',
  },
  {
    what: 'the database of a chat of the Cursor command line',
    sign: /^(?=[^]*CREATE TABLE (?:IF NOT EXISTS )?["'`[]?blobs\b)(?=[^]*CREATE TABLE (?:IF NOT EXISTS )?["'`[]?meta\b)/i,
    hint: 'read the transcript of the chat; find it: ctx ls --agent cursor',
  },
  {
    what: 'a database of VS Code',
    sign: /CREATE TABLE ["'`[]?ItemTable\b/i,
    hint: 'read the chats, in chatSessions beside it; find them: ctx ls --agent vscode-chat',
  },
  {
    what: 'the list of sessions of Cline',
    sign: /^(?=[^]*\bstatus_lock\b)(?=[^]*\benable_spawn\b)/i,
    hint: 'list the sessions: ctx ls --agent cline',
  },
  { what: 'the database of Goose', sign: /^(?=[^]*\bworking_dir\b)(?=[^]*\b(?:extension_data|recipe_json)\b)/i },
  { what: 'the database of Kiro CLI', sign: /CREATE TABLE (?:IF NOT EXISTS )?["'`[]?conversations(?:_v2)?\b/i },
  { what: 'the log of llm', sign: /^(?=[^]*\bprompt_json\b)(?=[^]*\bresponse_json\b)/i },
  { what: 'the database of Warp', sign: /CREATE TABLE (?:IF NOT EXISTS )?["'`[]?ai_queries\b/i },
  { what: 'the database of Crush', sign: /^(?=[^]*\bparent_session_id\b)(?=[^]*\bprompt_tokens\b)/i },
  {
    what: 'the threads of Zed',
    sign: /^(?=[^]*CREATE TABLE (?:IF NOT EXISTS )?["'`[]?threads\b)(?=[^]*\bdata_type\b)/i,
  },
  { what: 'an SQLite database', sign: new RegExp(`^${SQLITE}`) },
];
