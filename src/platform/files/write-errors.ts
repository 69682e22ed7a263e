import { CtxError } from '#base/errors.js';

const COPY = 'write a copy with --output NEW.jsonl';

/** The reason why a file cannot be written, and a way out. */
export interface Refusal {
  readonly what: string;
  readonly hint: string;
}

/** The reasons why a session cannot be appended to, by the code of the system's error. */
const APPEND_REASONS: Readonly<Record<string, Refusal>> = {
  ENOENT: { what: 'the file no longer exists', hint: 'check the path' },
  ENOTDIR: { what: 'the file no longer exists', hint: 'check the path' },
  EISDIR: { what: 'this is a folder', hint: 'pass a .jsonl file' },
  EACCES: { what: 'no permission to write to this session, or to its folder', hint: COPY },
  EPERM: { what: 'no permission to write to this session, or to its folder', hint: COPY },
  EROFS: { what: 'the file system is read-only', hint: COPY },
  ENOSPC: {
    what: 'no space is left on the disk; nothing was written',
    hint: `free some space, or ${COPY} on another disk`,
  },
  EDQUOT: {
    what: 'your disk quota is used up; nothing was written',
    hint: `free some space, or ${COPY} on another disk`,
  },
};

/** The user-facing error of a failed append. */
export function toAppendError(file: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const refusal = error instanceof CtxError ? undefined : APPEND_REASONS[code];
  return refusal ? buildRefusal(refusal, file) : toWriteError(file, error);
}

/** The reasons why a file cannot be written, by the code of the system's error. */
const REASONS: Readonly<Record<string, Refusal>> = {
  EEXIST: { what: 'the file already exists', hint: 'use --force to overwrite' },
  ENOENT: { what: 'no such folder', hint: 'create the folder first, or choose another one' },
  ENOTDIR: { what: 'no such folder', hint: 'create the folder first, or choose another one' },
  EACCES: { what: 'no permission to write in this folder', hint: 'choose another folder' },
  EPERM: { what: 'no permission to write in this folder', hint: 'choose another folder' },
  EROFS: { what: 'the file system is read-only', hint: 'choose another folder' },
  ENOSPC: {
    what: 'no space is left on the disk; nothing was written',
    hint: 'free some space, or choose another disk',
  },
  EDQUOT: { what: 'your disk quota is used up; nothing was written', hint: 'free some space, or choose another disk' },
  EFBIG: {
    what: 'the file would be too large; nothing was written',
    hint: 'raise the limit (ulimit -f), or choose another disk',
  },
  ENAMETOOLONG: { what: 'the file name is too long', hint: 'choose a shorter name' },
  ELOOP: { what: 'too many symbolic links', hint: 'check the path' },
};

/** The user-facing error of a failed write. */
export function toWriteError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CtxError || code === undefined) return error;
  const other = { what: `cannot write the file (${code})`, hint: 'check the path and the disk' };
  return buildRefusal(REASONS[code] ?? other, file);
}

export function buildRefusal({ what, hint }: Refusal, where: string): CtxError {
  return new CtxError('refused', what, { where, hint });
}

/** Does something with a file, and throws the user-facing error of a write if it fails. */
export function refuseErrors<Result>(file: string, act: () => Result): Result {
  return replaceError(act, (error) => toWriteError(file, error));
}

/** Does something with a file, and throws the user-facing error of an append if it fails. */
export function refuseAppendErrors<Result>(file: string, act: () => Result): Result {
  return replaceError(act, (error) => toAppendError(file, error));
}

function replaceError<Result>(act: () => Result, replace: (error: unknown) => unknown): Result {
  try {
    return act();
  } catch (error) {
    throw replace(error);
  }
}
