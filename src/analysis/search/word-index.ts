import type { Sqlite, SqliteRow, SqliteStatement, SqliteValue } from '#platform/sqlite/sqlite.js';
import type { EntryWords, Place } from './session-words.js';
import { toMatchExpression, type WordQuery } from './word-query.js';

/** The tables of the index of words. It holds no texts: a snippet is read from the session. */
export const WORD_TABLES = {
  create: `
    CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT UNIQUE, state TEXT, session TEXT, agent TEXT, cwd TEXT,
      subagent INTEGER, derived INTEGER, began TEXT);
    CREATE TABLE entry (id INTEGER PRIMARY KEY, file INTEGER, position INTEGER, line INTEGER, entry TEXT, time REAL,
      name TEXT, place TEXT, length INTEGER, hash TEXT);
    CREATE INDEX entry_of_file ON entry (file);
    CREATE VIRTUAL TABLE word USING fts5 (said, rest, content = '', contentless_delete = 1,
      tokenize = 'unicode61 remove_diacritics 2')`,
};

/** A file in the state in which it was read. */
export interface FileState {
  /** Absolute. */
  readonly path: string;
  /** A text that changes with the file; null if the file may change without being noticed. */
  readonly state: string | null;
}

/** A session, as the index knows it. */
export interface SessionWords {
  readonly sessionId: string;
  /** The agent; null for Pi. */
  readonly agent: string | null;
  readonly cwd: string | null;
  /** Whether another session started it. */
  readonly isSubagent: boolean;
  /** Whether it names the session that it was copied from, or that started it. */
  readonly isDerived: boolean;
  /** The time of its header; null if it is not recorded. */
  readonly began: string | null;
  readonly entries: readonly EntryWords[];
}

/** The entries among which is searched. */
export interface WordFilter {
  /** Whether a session is searched. */
  isWanted(session: Pick<FoundEntry, 'path' | 'cwd'>): boolean;
  readonly places: readonly Place[];
  /** The role of a message, or the type of an entry. */
  readonly name?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** An entry that was found. */
export interface FoundEntry extends Omit<EntryWords, 'said' | 'rest'> {
  readonly path: string;
  readonly sessionId: string;
  /** The agent that wrote the session; null for Pi. */
  readonly agent: string | null;
  readonly cwd: string | null;
  /** The characters of its texts. */
  readonly length: number;
  /** How well it matches: larger is better. */
  readonly score: number;
}

/** The weight of texts of the user and the model against those of tools. */
const SAID_WEIGHT = 4;

/**
 * The share of its score that an entry keeps in the session of a subagent, which often repeats what the main session
 * says.
 */
const SUBAGENT_SHARE = 0.5;

/** An index of the words of sessions in a database. */
export class WordIndex {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(private readonly database: Sqlite) {}

  /** The states of all files that it knows, by their paths. */
  listFiles(): ReadonlyMap<string, string | null> {
    const rows = this.prepare('SELECT path, state FROM file').all();
    return new Map(rows.map(({ path, state }) => [String(path), toText(state)]));
  }

  /** Runs some work, and keeps all of its changes or none. */
  change(work: () => void): void {
    this.database.exec('BEGIN');
    try {
      work();
      this.database.exec('COMMIT');
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Replaces what it knows of a file. A file without a session has no entries. */
  put({ path, state }: FileState, session: SessionWords | null): void {
    this.remove(path);
    const { sessionId = '', agent = null, cwd = null, began = null, entries = [] } = session ?? {};
    const { isSubagent = false, isDerived = false } = session ?? {};
    const file = this.insert(
      'INSERT INTO file (path, state, session, agent, cwd, subagent, derived, began) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
      [path, state, sessionId, agent, cwd, Number(isSubagent), Number(isDerived), began],
    );
    for (const { index, line, entryId, time, name, place, said, rest, hash } of entries) {
      const id = this.insert(
        'INSERT INTO entry (file, position, line, entry, time, name, place, length, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
        [file, index, line, entryId, time, name, place, said.length + rest.length, hash],
      );
      this.prepare('INSERT INTO word (rowid, said, rest) VALUES (?, ?, ?)').run(id, said, rest);
    }
  }

  /** Forgets a file. */
  remove(path: string): void {
    this.prepare(
      'DELETE FROM word WHERE rowid IN (SELECT entry.id FROM entry JOIN file ON entry.file = file.id WHERE path = ?)',
    ).run(path);
    this.prepare('DELETE FROM entry WHERE file IN (SELECT id FROM file WHERE path = ?)').run(path);
    this.prepare('DELETE FROM file WHERE path = ?').run(path);
  }

  /** The entries that match, the best first, at most `most`. Of copies that match equally, the original is first. */
  search(query: WordQuery, wants: 'all' | 'any', filter: WordFilter, most: number): readonly FoundEntry[] {
    const { condition, values } = this.buildCondition(query, wants, filter);
    const rows = this.prepare(
      `SELECT path, session, agent, cwd, position, line, entry, time, name, place, length, hash,
         bm25(word, ${SAID_WEIGHT}, 1) * CASE subagent WHEN 1 THEN ${SUBAGENT_SHARE} ELSE 1 END AS rank
       FROM word JOIN entry ON entry.id = word.rowid JOIN file ON file.id = entry.file
       WHERE ${condition} ORDER BY rank, time DESC, derived, began, path LIMIT ?`,
    ).all(...values, most);
    return rows.map(toFoundEntry);
  }

  /** The number of files with an entry that has all terms. */
  countFiles(query: WordQuery, filter: WordFilter): number {
    const { condition, values } = this.buildCondition(query, 'all', filter);
    const [row] = this.prepare(
      `SELECT COUNT(DISTINCT file) AS files FROM word JOIN entry ON entry.id = word.rowid WHERE ${condition}`,
    ).all(...values);
    return Number(row?.files);
  }

  private buildCondition(
    query: WordQuery,
    wants: 'all' | 'any',
    filter: WordFilter,
  ): { readonly condition: string; readonly values: readonly SqliteValue[] } {
    const { name, since, until, places } = filter;
    const files = this.prepare('SELECT id, path, cwd FROM file').all();
    const ids = files.filter(({ path, cwd }) => filter.isWanted({ path: String(path), cwd: toText(cwd) }));
    const conditions = [
      'word MATCH ?',
      `file IN (${ids.map(({ id }) => Number(id)).join(', ')})`,
      `place IN (${places.map(() => '?').join(', ')})`,
    ];
    const values: SqliteValue[] = [toMatchExpression(query, wants), ...places];
    const limit = (condition: string, value: SqliteValue | undefined): void => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    limit('name = ?', name);
    limit('time >= ?', since);
    limit('time <= ?', until);
    return { condition: conditions.join(' AND '), values };
  }

  private insert(sql: string, values: readonly SqliteValue[]): number {
    const [row] = this.prepare(sql).all(...values);
    return Number(row?.id);
  }

  private prepare(sql: string): SqliteStatement {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}

function toFoundEntry(row: SqliteRow): FoundEntry {
  const { path, session, agent, cwd, position, line, entry, time, name, place, length, hash, rank } = row;
  return {
    path: String(path),
    sessionId: String(session),
    agent: toText(agent),
    cwd: toText(cwd),
    index: Number(position),
    line: Number(line),
    entryId: toText(entry),
    time: typeof time === 'number' ? time : null,
    name: String(name),
    place: place as Place,
    length: Number(length),
    hash: String(hash),
    score: -Number(rank),
  };
}

function toText(value: SqliteValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
