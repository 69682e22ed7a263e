/** A row of a database, by the names of its columns. */
export type StoreRow = Readonly<Record<string, unknown>>;

/** Reads rows of a database by SQL, with a value for each `?`. Throws what SQLite reports. */
export type StoreQuery = (sql: string, ...values: readonly string[]) => readonly StoreRow[];

/** A session in a database, before it is read. */
export interface StoredSession {
  readonly id: string;
  /** The bytes of its document, at most. */
  readonly size: number;
  /** Milliseconds since 1970 of its last change; 0 if it is not recorded. */
  readonly modified: number;
}

/**
 * A database that an agent uses instead of files. Each session is read as a document: the file `ID.json` in a folder
 * with the name of the database. A database is never written to.
 */
export interface SessionStore {
  /** Matches the path of a database. */
  readonly database: RegExp;
  /** The ending of the names of its documents: `.jsonl` if they have a record a line; by default `.json`. */
  readonly ending?: '.jsonl';
  /** The sessions of a database; none if it has other tables. */
  list(query: StoreQuery): readonly StoredSession[];
  /** The document of a session, in the order of its bytes; nothing if there is none of this id. */
  readDocument(query: StoreQuery, id: string): Iterable<string>;
}
