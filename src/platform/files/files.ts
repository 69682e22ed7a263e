import type { ByteSource } from '#session/scan/byte-source.js';
import type { AppendFile } from './append-file.js';
import type { NewFile, NewFileOptions } from './new-file.js';
import type { TemporaryFile } from './temporary-file.js';
import { type FolderWalk, type FolderWalkOptions } from './walk-folder.js';

/** The files that are read. Every path is as the user or the environment supplied it. */
export interface Files {
  /**
   * Opens a file for reading, a compressed one as its content. Throws a CtxError (input) with the reason if it cannot.
   */
  open(file: string): Promise<ByteSource>;
  exists(file: string): boolean;
  /** Whether it is a named pipe or a socket, which may wait for a writer when it is opened. */
  isPipe(file: string): boolean;
  /** The names in a folder; none if it cannot be read. */
  list(folder: string): readonly string[];
  /** Milliseconds since 1970; 0 if it is not a file or cannot be read. */
  modified(file: string): number;
  /**
   * A text that changes with each write to a file. Null if it is not a file, or was written so little before `now`,
   * in milliseconds since 1970, that the next write could have the same time.
   */
  state(file: string, now: number): string | null;
  /** The first bytes of a file, at most `most`, of a compressed one those of its content; none if it cannot be read. */
  beginning(file: string, most: number): Uint8Array;
  /** The last bytes of a file, at most `most`; none of a compressed one, and if it cannot be read. */
  ending(file: string, most: number): Uint8Array;
  /** The `.jsonl` files in a folder and its subfolders, following symbolic links; for a file, that file. */
  walk(folder: string, options?: FolderWalkOptions): FolderWalk;
  /** The files that match a pattern such as `sessions/*.jsonl`; relative to the folder, unless it is absolute. */
  glob(pattern: string, folder: string): Promise<readonly string[]>;
  /** Starts a new file, which appears when it is complete. Throws a CtxError (refused) with the reason if it cannot. */
  createNew(file: string, options: NewFileOptions): Promise<NewFile>;
  /** Locks an existing file to append to it. Throws a CtxError (refused) with the reason if it cannot. */
  openToAppend(file: string): Promise<AppendFile>;
  /** The other processes that have a file open, as far as the system reports them. */
  processesWith(file: string): Promise<readonly number[]>;
  /** Creates an empty file in a temporary folder. Throws a CtxError (refused) with the reason if it cannot. */
  createTemporary(name: string): Promise<TemporaryFile>;
  /** Whether a path is in a folder, also when all symbolic links in it are followed. Its end need not exist. */
  isWithin(file: string, folder: string): Promise<boolean>;
  /** Creates a folder and its parents. Returns a function that removes new empty ones. Throws a CtxError (refused). */
  makeFolder(folder: string): Promise<() => void>;
}

/** Files whose every line is parsed, to check the shortcuts. */
export function parseEveryLine(files: Files): Files {
  return { ...files, open: async (file) => ({ ...(await files.open(file)), isStrict: true }) };
}
