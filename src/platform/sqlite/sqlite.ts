import { createRequire } from 'node:module';
import type * as Package from 'node-sqlite3-wasm';

/** A value of a row: null, a number, a text, or bytes. */
export type SqliteValue = null | number | string | Uint8Array;

/** A row, by the names of its columns. */
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** A database of SQLite in one file. */
export interface Sqlite {
  /** Runs statements without values. */
  exec(sql: string): void;
  /** Prepares a statement that is run many times. */
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** A statement with `?` for each value. */
export interface SqliteStatement {
  run(...values: readonly SqliteValue[]): void;
  all(...values: readonly SqliteValue[]): readonly SqliteRow[];
}

/** Opens a file, which is created if it does not exist. Throws the error of SQLite. */
export type OpenSqlite = (file: string) => Sqlite;

/**
 * The SQLite of Node.js 22.13 and newer; below that the package `node-sqlite3-wasm`, which has the same and is slower.
 */
export function loadSqlite(): OpenSqlite {
  return loadOwn() ?? loadPackage();
}

/** The used part of `node:sqlite`: this program is compiled for versions of Node.js without it. */
interface OwnSqlite {
  readonly DatabaseSync: new (file: string) => {
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: readonly SqliteValue[]): unknown;
      all(...values: readonly SqliteValue[]): readonly SqliteRow[];
    };
    close(): void;
  };
}

/** The SQLite of Node.js 22.13 and newer, which takes a URI for the name of a file since 22.15; null below. */
export function loadOwn(): OpenSqlite | null {
  const own = silenceWarning(() => process.getBuiltinModule('node:sqlite') as OwnSqlite | undefined);
  return own === undefined ? null : (file) => new own.DatabaseSync(file);
}

/** Some versions of Node.js warn on standard error that the module is new. That says nothing to the user of ctx. */
function silenceWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function loadPackage(): OpenSqlite {
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as typeof Package;
  return (file) => {
    const database = new Database(file);
    return {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          run: (...values) => void statement.run([...values]),
          all: (...values) => statement.all([...values]) as readonly SqliteRow[],
        };
      },
      // It ends the prepared statements too.
      close: () => database.close(),
    };
  };
}
