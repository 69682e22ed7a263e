import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { attempt, CtxError } from '#base/errors.js';
import { createTemporaryFolder } from '../files/temporary-folder.js';
import { loadOwn, loadSqlite, type OpenSqlite, type Sqlite, type SqliteRow } from './sqlite.js';

/** Reads rows by SQL, with a value for each `?`. Throws the error of SQLite. */
export type ReadRows = (sql: string, ...values: readonly string[]) => readonly SqliteRow[];

/** A database of another program as it was in one moment. */
interface Reading {
  readonly file: string;
  /** The state of its files when it was opened. */
  readonly state: string;
  readonly sqlite: Sqlite;
  /** Whether writes of the other program stay invisible to a transaction. */
  readonly isIsolated: boolean;
  close(): void;
}

type OpenDatabase = Omit<Reading, 'file' | 'state'>;

/** The database that was read last: most commands read one, many times. */
let latest: Reading | null = null;

/**
 * Reads a database of another program, which may write to it meanwhile, and returns what `work` makes of one state of
 * it. Nothing is written beside it or to it, and no lock keeps the other program waiting. Throws a CtxError (input)
 * with the reason if it cannot be read.
 */
export function readDatabase<Result>(file: string, work: (read: ReadRows) => Result, ownSqlite = loadOwn()): Result {
  for (let tries = 1; ; tries++) {
    const result = readOnce(file, work, ownSqlite);
    if (result !== CHANGED) return result;
    if (tries === MOST_TRIES)
      throw new CtxError('input', 'another program writes to this database all the time', {
        where: file,
        hint: 'run the command again later',
      });
  }
}

const MOST_TRIES = 10;
/** The database was written to while it was read. */
const CHANGED = Symbol('changed');

function readOnce<Result>(
  file: string,
  work: (read: ReadRows) => Result,
  ownSqlite: OpenSqlite | null,
): Result | typeof CHANGED {
  const state = readDatabaseState(file);
  try {
    const { sqlite, isIsolated } = openReading(file, state, ownSqlite);
    sqlite.exec('BEGIN');
    try {
      const result = work((sql, ...values) => sqlite.prepare(sql).all(...values));
      return isIsolated || readDatabaseState(file) === state ? result : CHANGED;
    } finally {
      sqlite.exec('COMMIT');
    }
  } catch (error) {
    closeLatest();
    if (error instanceof CtxError) throw error;
    if (readDatabaseState(file) !== state) return CHANGED;
    const { message } = error as Error;
    throw new CtxError('input', `this database cannot be read (${message})`, {
      where: file,
      hint: 'check its permissions, and with PRAGMA integrity_check its content',
    });
  }
}

function openReading(file: string, state: string, ownSqlite: OpenSqlite | null): Reading {
  if (latest?.file === file && latest.state === state) return latest;
  closeLatest();
  latest = { file, state, ...(openInPlace(file, ownSqlite) ?? openCopy(file, state)) };
  return latest;
}

function closeLatest(): void {
  const reading = latest;
  latest = null;
  attempt(() => reading?.close(), undefined);
}

/** A text that changes with each write to a database: one is to the file itself, or to the log before it. */
export function readDatabaseState(file: string): string {
  return [file, `${file}-wal`].map(readFileState).join(' ');
}

function readFileState(file: string): string {
  const stat = attempt(() => fs.statSync(file, { bigint: true }), null);
  return stat === null ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** Opens a database without a write, also to the memory that programs share; null if Node.js's SQLite cannot. */
function openInPlace(file: string, ownSqlite: OpenSqlite | null): OpenDatabase | null {
  if (ownSqlite === null) return null;
  // Without a log, no program is writing to it yet.
  const isLogged = hasLog(file);
  const how = isLogged ? 'mode=ro&readonly_shm=1' : 'immutable=1';
  try {
    const sqlite = ownSqlite(`${pathToFileURL(path.resolve(file)).href}?${how}`);
    // SQLite reads the file only with the first statement, which fails if it cannot.
    sqlite.prepare('SELECT count(*) FROM sqlite_master').all();
    return { sqlite, isIsolated: isLogged, close: () => sqlite.close() };
  } catch {
    return null;
  }
}

/** Whether changes are in the log that SQLite keeps before it writes them to the file. */
function hasLog(file: string): boolean {
  return attempt(() => fs.statSync(`${file}-wal`).size, 0) > 0;
}

/** Opens a copy with its log, which is removed with the process at the latest. */
function openCopy(file: string, state: string): OpenDatabase {
  if (fs.statSync(file).size > MOST_COPIED_BYTES)
    throw new CtxError('input', 'this database is too large for a temporary copy', {
      where: file,
      hint: 'use Node.js 22.15 or newer, which reads it in place; if a crash left its log behind, start its agent once',
    });
  const { folder, removeFolder } = createTemporaryFolder('ctx-database-');
  try {
    const copy = path.join(folder, 'copy.db');
    fs.copyFileSync(file, copy, fs.constants.COPYFILE_FICLONE);
    if (hasLog(file)) fs.copyFileSync(`${file}-wal`, `${copy}-wal`);
    if (readDatabaseState(file) !== state) throw new Error('it was written to');
    const sqlite = loadSqlite()(copy);
    // In any other mode SQLite keeps the index of the log in memory that programs share, which `node-sqlite3-wasm` lacks.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE');
    return {
      sqlite,
      isIsolated: true,
      close() {
        sqlite.close();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Each thread that reads sessions makes a copy of its own. */
const MOST_COPIED_BYTES = 1 << 30;
