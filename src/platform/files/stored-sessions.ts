import fs from 'node:fs';
import path from 'node:path';
import { attempt, CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import type { SessionStore, StoredSession } from '#session/agents/store.js';
import { STORES } from '#session/agents/stores.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import { readDatabase, readDatabaseState } from '../sqlite/read-database.js';
import type { Files } from './files.js';
import type { FolderWalk, FolderWalkOptions, FoundFile } from './walk-folder.js';

/** A database with sessions, or one session in it. */
interface StorePlace {
  readonly store: SessionStore;
  readonly database: string;
  /** null for the database. */
  readonly id: string | null;
}

/** Reads the sessions in databases of agents as files in folders with the names of the databases. */
export function withStoredSessions(files: Files): Files {
  return {
    ...files,
    async open(file) {
      const place = findPlace(file);
      return place ? openStored(place, file) : files.open(file);
    },
    exists(file) {
      const place = findSessionPlace(file);
      return place ? findStored(place) !== null : files.exists(file);
    },
    list(folder) {
      const place = findPlace(folder);
      return place?.id === null ? listNames(place) : files.list(folder);
    },
    modified(file) {
      const place = findSessionPlace(file);
      return place ? (findStored(place)?.modified ?? 0) : files.modified(file);
    },
    state(file, now) {
      const place = findSessionPlace(file);
      return place ? readState(files, place, now) : files.state(file, now);
    },
    beginning(file, most) {
      const place = findSessionPlace(file);
      return place ? readBeginning(place, most) : files.beginning(file, most);
    },
    ending(file, most) {
      const place = findSessionPlace(file);
      if (!place) return files.ending(file, most);
      const bytes = readBeginning(place, Infinity);
      return bytes.subarray(Math.max(0, bytes.length - most));
    },
    walk(folder, options = {}) {
      const place = findPlace(folder);
      return place ? walkPlace(place) : walkWithStores(files, folder, options);
    },
  };
}

/** The place of a database with sessions, or of one in it; null for any other path. */
function findPlace(file: string): StorePlace | null {
  return findDatabasePlace(file) ?? findSessionPlace(file);
}

function findDatabasePlace(database: string): StorePlace | null {
  const store = STORES.find((one) => one.database.test(database));
  return store && isFile(database) ? { store, database, id: null } : null;
}

function findSessionPlace(file: string): (StorePlace & { readonly id: string }) | null {
  if (!/\.jsonl?$/.test(file)) return null;
  const place = findDatabasePlace(path.dirname(file));
  return place && file.endsWith(endingOf(place)) ? { ...place, id: path.basename(file, endingOf(place)) } : null;
}

/** The ending of the names of the documents in a database. */
function endingOf({ store }: Pick<StorePlace, 'store'>): string {
  return store.ending ?? '.json';
}

function isFile(file: string): boolean {
  return attempt(() => fs.statSync(file).isFile(), false);
}

/** The sessions of a database as it was last listed: one command asks for them many times. */
let listed: { readonly database: string; readonly state: string; readonly sessions: readonly StoredSession[] } | null =
  null;

function listStored({ store, database }: StorePlace): readonly StoredSession[] {
  const state = readDatabaseState(database);
  if (listed?.database !== database || listed.state !== state)
    listed = {
      database,
      state,
      sessions: readDatabase(database, (read) => store.list(read))
        .filter(hasFileName)
        .map(limitTime),
    };
  return listed.sessions;
}

/** An id from a hostile database must not lead to a file elsewhere. */
function hasFileName({ id }: StoredSession): boolean {
  return /^[\w-]+$/.test(id);
}

/** A number that is no time counts as the beginning of all times. */
function limitTime(session: StoredSession): StoredSession {
  return { ...session, modified: new Date(session.modified).getTime() || 0 };
}

function listNames(place: StorePlace): readonly string[] {
  return attempt(() => listStored(place), []).map(({ id }) => id + endingOf(place));
}

function findStored(place: StorePlace): StoredSession | null {
  return attempt(() => listStored(place), []).find(({ id }) => id === place.id) ?? null;
}

/** The state of the whole database: the time of a session has milliseconds, in which several records may be written. */
function readState(files: Files, { database, id }: StorePlace, now: number): string | null {
  const log = `${database}-wal`;
  const states = [database, ...(files.exists(log) ? [log] : [])].map((one) => files.state(one, now));
  return states.includes(null) ? null : [id, ...states].join(' ');
}

function openStored({ store, database, id }: StorePlace, file: string): ByteSource {
  if (id === null)
    throw new CtxError('input', 'this is a database of sessions, not a session', {
      where: file,
      hint: `list its sessions: ctx ls ${toShellWord(file)}`,
    });
  const document = readDatabase(database, (read) => [...store.readDocument(read, id)]).join('');
  if (document === '')
    throw new CtxError('input', 'this database has no session of this id', {
      where: file,
      hint: `list its sessions: ctx ls ${toShellWord(database)}`,
    });
  return { ...toByteSource(new TextEncoder().encode(document)), isFixed: true };
}

/** The first bytes of a document, at most `most`, and no more than can be read: opening it reports why. */
function readBeginning({ store, database, id }: StorePlace & { readonly id: string }, most: number): Uint8Array {
  const pieces: string[] = [];
  const readPieces = (): void =>
    readDatabase(database, (read) => {
      let length = 0;
      for (const piece of store.readDocument(read, id)) {
        pieces.push(piece);
        length += piece.length;
        if (length >= most) break;
      }
    });
  attempt(readPieces, undefined);
  return new TextEncoder().encode(pieces.join('')).subarray(0, most);
}

function walkPlace(place: StorePlace): FolderWalk {
  const { database, id } = place;
  try {
    const sessions = listStored(place).filter((one) => id === null || one.id === id);
    return { files: sessions.map((session) => toFile(place, session)), unreadable: [], isFolder: id === null };
  } catch {
    return { files: [], unreadable: [database], isFolder: id === null };
  }
}

function toFile(place: StorePlace, { id, size, modified }: StoredSession): FoundFile {
  return { file: path.join(place.database, id + endingOf(place)), size, modified };
}

/** A walk for documents finds those in databases too. */
function walkWithStores(files: Files, folder: string, options: FolderWalkOptions): FolderWalk {
  const { pattern } = options;
  if (!pattern?.test('.json') || pattern.test('')) return files.walk(folder, options);
  const either = new RegExp([pattern, ...STORES.map(({ database }) => database)].map(({ source }) => source).join('|'));
  const walk = files.walk(folder, { ...options, pattern: either });
  const places = walk.files.map(({ file }) => findDatabasePlace(file));
  const walks = walk.files.map((file, at): Pick<FolderWalk, 'files' | 'unreadable'> => {
    const place = places[at];
    return place ? walkPlace(place) : { files: [file], unreadable: [] };
  });
  return {
    ...walk,
    files: walks.flatMap((one) => one.files),
    unreadable: [...walk.unreadable, ...walks.flatMap(({ unreadable }) => unreadable)],
  };
}
