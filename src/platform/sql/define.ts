/** A value of a row, fit for JSON: whole numbers that JavaScript cannot hold are texts, and so is what only SQL has. */
export type SqlValue = string | number | boolean | null | readonly SqlValue[] | { readonly [key: string]: SqlValue };

export interface SqlColumn {
  /** Unlike that of any other column of the result. */
  readonly name: string;
  /** As SQL calls it, such as `BIGINT`. */
  readonly type: string;
}

/** What a query gives. */
export interface SqlResult {
  readonly columns: readonly SqlColumn[];
  /** The rows in batches, each a value for every column, as they come. */
  readonly batches: AsyncIterable<readonly (readonly SqlValue[])[]>;
}

/** A Parquet file in the folder, and columns that all of its rows have besides. */
export interface ViewPart {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
}

/** A database in memory, and a folder of its own that nobody else can read and that is gone when this process ends. */
export interface Sql {
  readonly folder: string;
  /** Adds bytes to a file in the folder. Throws a CtxError (refused) that says why that cannot be. */
  append(name: string, bytes: Uint8Array): Promise<void>;
  /** Puts a copy of a file into the folder. Throws a CtxError (input) that says why that cannot be. */
  copy(name: string, from: string): Promise<void>;
  /**
   * Makes a view of Parquet files of the folder, one after another, for each name, and locks the database: from then on it reads and
   * writes these files and nothing else, asks nothing on a network and loads no extension. Throws a CtxError (input) for a
   * file that is not Parquet.
   */
  lockTo(views: ReadonlyMap<string, readonly ViewPart[]>): Promise<void>;
  /** Runs statements, and gives what the last one does. Throws a CtxError (usage) for SQL that fails. */
  query(sql: string): Promise<SqlResult>;
  /** Ends it, and removes the folder. */
  close(): void;
}
