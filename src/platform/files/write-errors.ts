import { CtxError } from '#base/errors.js';

/** Does something with a file, and throws the user-facing error of a write if it fails. */
export function explainWriteErrors<Result>(file: string, act: () => Result): Result {
  return replaceError(act, (error) => toWriteError(file, error));
}

/** Does something with a file, and throws the user-facing error of an append if it fails. */
export function explainAppendErrors<Result>(file: string, act: () => Result): Result {
  return replaceError(act, (error) => toAppendError(file, error));
}

function replaceError<Result>(act: () => Result, replace: (error: unknown) => unknown): Result {
  try {
    return act();
  } catch (error) {
    throw replace(error);
  }
}

/** The reason why a file cannot be written, and a way out. */
export interface Refusal {
  readonly what: string;
  readonly hint: string;
}

/** The user-facing error of a failed write. */
export function toWriteError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CtxError || code === undefined) return error;
  const other = { what: `cannot write the file (${code})`, hint: 'check the path and the disk' };
  return buildRefusal(WRITE_REASONS[code] ?? other, file);
}

/** The user-facing error of a failed append. */
export function toAppendError(file: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const refusal = error instanceof CtxError ? undefined : APPEND_REASONS[code];
  return refusal ? buildRefusal(refusal, file) : toWriteError(file, error);
}

export function buildRefusal({ what, hint }: Refusal, where: string): CtxError {
  return new CtxError('refused', what, { where, hint });
}

const READ_ONLY = 'the file system is read-only';
const DISK_FULL = 'no space is left on the disk; nothing was written';
const QUOTA_USED = 'your disk quota is used up; nothing was written';

const NO_FOLDER: Refusal = { what: 'no such folder', hint: 'create the folder first, or choose another one' };
const NO_PERMISSION: Refusal = { what: 'no permission to write in this folder', hint: 'choose another folder' };

/** The reasons why a file cannot be written, by the code of the system's error. */
const WRITE_REASONS: Readonly<Record<string, Refusal>> = {
  EEXIST: { what: 'the file already exists', hint: 'use --force to overwrite' },
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: { what: READ_ONLY, hint: 'choose another folder' },
  ENOSPC: { what: DISK_FULL, hint: 'free some space, or choose another disk' },
  EDQUOT: { what: QUOTA_USED, hint: 'free some space, or choose another disk' },
  EFBIG: {
    what: 'the file would be too large; nothing was written',
    hint: 'raise the limit (ulimit -f), or choose another disk',
  },
  ENAMETOOLONG: { what: 'the file name is too long', hint: 'choose a shorter name' },
  ELOOP: { what: 'too many symbolic links', hint: 'check the path' },
};

const COPY = 'write a copy with --output NEW.jsonl';

const SESSION_GONE: Refusal = { what: 'the file no longer exists', hint: 'check the path' };
const NO_SESSION_PERMISSION: Refusal = {
  what: 'no permission to write to this session, or to its folder',
  hint: COPY,
};

/** The reasons why a session cannot be appended to. For other codes, those above apply. */
const APPEND_REASONS: Readonly<Record<string, Refusal>> = {
  ENOENT: SESSION_GONE,
  ENOTDIR: SESSION_GONE,
  EISDIR: { what: 'this is a folder', hint: 'pass a .jsonl file' },
  EACCES: NO_SESSION_PERMISSION,
  EPERM: NO_SESSION_PERMISSION,
  EROFS: { what: READ_ONLY, hint: COPY },
  ENOSPC: { what: DISK_FULL, hint: `free some space, or ${COPY} on another disk` },
  EDQUOT: { what: QUOTA_USED, hint: `free some space, or ${COPY} on another disk` },
};
