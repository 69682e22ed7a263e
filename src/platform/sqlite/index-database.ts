import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { createFolders } from '../files/folders.js';
import { loadSqlite, type OpenSqlite, type Sqlite } from './sqlite.js';

/**
 * A database in the index folder of the user. It may be deleted at any time, and nothing in it is needed: a damaged
 * one, or one with other tables, is built again. Only one program has it open at a time.
 */
export interface IndexDatabase {
  readonly sqlite: Sqlite;
  /** Closes it, and lets other programs have it. */
  close(): Promise<void>;
  /** Closes and removes it, where a statement found it damaged. */
  discard(): Promise<void>;
}

/** The tables of a database. */
export interface IndexTables {
  /** The statements that create them. Where they change, the database is begun again. */
  readonly create: string;
}

/**
 * Opens the database `name` of a folder. Throws a CtxError (refused) if another program keeps it, or it cannot be
 * written.
 */
export async function openIndexDatabase(
  folder: string,
  name: string,
  tables: IndexTables,
  open: OpenSqlite = loadSqlite(),
): Promise<IndexDatabase> {
  const file = path.join(folder, `${name}.sqlite`);
  const unlock = await lockFile(folder, file);
  try {
    const sqlite = openCurrent(file, tables, open);
    return {
      sqlite,
      async close() {
        sqlite.close();
        await unlock();
      },
      async discard() {
        sqlite.close();
        removeDatabase(file);
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw buildNotOpenedError(error, file);
  }
}

/** A database in memory, for a run that leaves nothing behind. */
export function createMemoryDatabase(tables: IndexTables, open: OpenSqlite = loadSqlite()): IndexDatabase {
  const sqlite = open(':memory:');
  createTables(sqlite, tables);
  const close = (): Promise<void> => {
    sqlite.close();
    return Promise.resolve();
  };
  return { sqlite, close, discard: close };
}

/** Milliseconds after which the lock of a program that was killed counts no more. */
const STALE_MILLISECONDS = 10_000;
/** The waits of about a second: another program may need that long to read all sessions. */
const WAITS = { retries: 120, minTimeout: 50, maxTimeout: 1000 };

async function lockFile(folder: string, file: string): Promise<() => Promise<void>> {
  const { lock } = (await import('proper-lockfile')).default;
  try {
    Array.from(createFolders(folder, 0o700));
    const options = { lockfilePath: `${file}-in-use`, realpath: false, stale: STALE_MILLISECONDS, retries: WAITS };
    const release = await lock(file, { ...options, onCompromised: () => {} });
    return () => release().catch(() => {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw buildNotOpenedError(error, file);
    throw new CtxError('refused', 'another program is building this index', {
      where: file,
      hint: 'wait until it has finished',
    });
  }
}

function buildNotOpenedError(error: unknown, where: string): unknown {
  if (error instanceof CtxError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new CtxError('refused', `the index cannot be opened (${code ?? message})`, {
    where,
    hint: 'free some disk space, or name another folder in CTX_INDEX_DIR',
  });
}

/** A database with these tables: the one that is there, if it is whole and of their version. */
function openCurrent(file: string, tables: IndexTables, open: OpenSqlite): Sqlite {
  const existing = openIfWhole(file, tables, open);
  if (existing) return existing;
  removeDatabase(file);
  // Only its owner may read it: it holds words of sessions.
  fs.closeSync(fs.openSync(file, 'a', 0o600));
  const sqlite = open(file);
  createTables(sqlite, tables);
  return sqlite;
}

function createTables(sqlite: Sqlite, tables: IndexTables): void {
  sqlite.exec(FAST);
  sqlite.exec(`BEGIN; ${tables.create}; PRAGMA user_version = ${computeVersion(tables)}; COMMIT`);
}

/** A positive whole number of 31 bits that tells tables from others. */
function computeVersion({ create }: IndexTables): number {
  return createHash('sha256').update(create).digest().readUInt32BE() >>> 1;
}

/**
 * The settings of an index that may be lost: a power failure may damage it, and it is built again. An end of the
 * program does not.
 */
const FAST = 'PRAGMA synchronous = OFF; PRAGMA cache_size = -32000';

function openIfWhole(file: string, tables: IndexTables, open: OpenSqlite): Sqlite | null {
  if (!fs.existsSync(file)) return null;
  // The package leaves this folder behind when its program is killed. This program has the database alone.
  fs.rmSync(`${file}.lock`, { recursive: true, force: true });
  let sqlite: Sqlite | null = null;
  try {
    sqlite = open(file);
    sqlite.exec(FAST);
    const [row] = sqlite.prepare('PRAGMA user_version').all();
    if (row?.user_version === computeVersion(tables)) return sqlite;
  } catch {
    // It is no database, or damaged.
  }
  sqlite?.close();
  return null;
}

function removeDatabase(file: string): void {
  for (const end of ['', '-journal', '-wal', '-shm', '.lock']) fs.rmSync(file + end, { recursive: true, force: true });
}
