import { CtxError } from '#base/errors.js';

const COPY = 'write a copy with --output NEW.jsonl';

/** The reasons why a session cannot be appended to, by the code of the system's error. */
const APPEND_REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['the file no longer exists', 'check the path'],
  ENOTDIR: ['the file no longer exists', 'check the path'],
  EISDIR: ['this is a folder', 'pass a .jsonl file'],
  EACCES: ['no permission to write to this session, or to its folder', COPY],
  EPERM: ['no permission to write to this session, or to its folder', COPY],
  EROFS: ['the file system is read-only', COPY],
  ENOSPC: ['no space is left on the disk; nothing was written', `free some space, or ${COPY} on another disk`],
  EDQUOT: ['your disk quota is used up; nothing was written', `free some space, or ${COPY} on another disk`],
};

/** The user-facing error of a failed append. */
export function toAppendError(file: string, error: unknown): unknown {
  const [what, hint] =
    (error instanceof CtxError ? null : APPEND_REASONS[(error as NodeJS.ErrnoException).code ?? '']) ?? [];
  return what === undefined || hint === undefined
    ? toWriteError(file, error)
    : new CtxError('refused', what, { where: file, hint });
}

/** The reasons why a file cannot be written, by the code of the system's error. */
const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EEXIST: ['the file already exists', 'use --force to overwrite'],
  ENOENT: ['no such folder', 'create the folder first, or choose another one'],
  ENOTDIR: ['no such folder', 'create the folder first, or choose another one'],
  EACCES: ['no permission to write in this folder', 'choose another folder'],
  EPERM: ['no permission to write in this folder', 'choose another folder'],
  EROFS: ['the file system is read-only', 'choose another folder'],
  ENOSPC: ['no space is left on the disk; nothing was written', 'free some space, or choose another disk'],
  EDQUOT: ['your disk quota is used up; nothing was written', 'free some space, or choose another disk'],
  EFBIG: ['the file would be too large; nothing was written', 'raise the limit (ulimit -f), or choose another disk'],
  ENAMETOOLONG: ['the file name is too long', 'choose a shorter name'],
  ELOOP: ['too many symbolic links', 'check the path'],
};

/** The user-facing error of a failed write. */
export function toWriteError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CtxError || code === undefined) return error;
  const [what, hint] = REASONS[code] ?? [`cannot write the file (${code})`, 'check the path and the disk'];
  return new CtxError('refused', what, { where: file, hint });
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
