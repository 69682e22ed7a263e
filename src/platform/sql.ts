/** A database in memory, with a private temporary folder that is removed when this process ends. */
export interface Sql {
  readonly folder: string;
  /** Appends bytes to a file in the folder. Throws a CtxError (refused) with the reason if it cannot. */
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** Copies a file into the folder. Throws a CtxError (input) with the reason if it cannot. */
  copy(name: string, from: string): Promise<void>;
  /**
   * The columns that a statement would read, by table; null if they are unknown. Throws a CtxError (usage) for SQL that
   * would fail, such as one with a misspelt column.
   */
  columnsRead(sql: string, tables: SqlTables): Promise<ReadonlyMap<string, ReadonlySet<string>> | null>;
  /**
   * Creates a view of Parquet files of the folder for each name, and locks the database: from then on it reads and
   * writes only these files, uses no network and loads no extension. Throws a CtxError (input) for a
   * file that is not Parquet.
   */
  lockTo(views: ReadonlyMap<string, SqlView>): Promise<void>;
  /** Runs statements, and returns the result of the last one. Throws a CtxError (usage) for SQL that fails. */
  query(sql: string): Promise<SqlResult>;
  /** Stops the database, and removes the folder. */
  close(): void;
}

/** The columns of tables with their SQL types. */
export type SqlTables = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The files with the rows of a table. */
export interface SqlView {
  /** The columns of the table with their SQL types, which are null if a file lacks them; null: those of its files. */
  readonly columns: ReadonlyMap<string, string> | null;
  readonly parts: readonly ViewPart[];
}

/** A Parquet file in the folder. */
export interface ViewPart {
  readonly name: string;
  /** Columns that are constant for its rows. */
  readonly columns?: ReadonlyMap<string, string>;
  /** The values of its column `file` whose rows count; null for all. */
  readonly only?: readonly string[] | null;
}

export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** The rows in batches, each with a value for every column. */
  readonly batches: AsyncIterable<readonly (readonly SqlValue[])[]>;
}

export interface SqlColumn {
  /** Unique among the columns of the result. */
  readonly name: string;
  /** The SQL type, such as `BIGINT`. */
  readonly type: string;
}

/** A value of a row as JSON: integers beyond the range of JavaScript and SQL-only types become texts. */
export type SqlValue = string | number | boolean | null | readonly SqlValue[] | { readonly [key: string]: SqlValue };
