import { CtxError } from '#base/errors.js';

/** Why a file cannot be written, by the code of the system's error. */
const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EEXIST: ['there is such a file already', 'choose another name, or say --force'],
  ENOENT: ['there is no such folder', 'make the folder first, or choose another one'],
  ENOTDIR: ['there is no such folder', 'make the folder first, or choose another one'],
  EACCES: ['no permission to write in this folder', 'choose another folder'],
  EPERM: ['no permission to write in this folder', 'choose another folder'],
  EROFS: ['nothing can be written to this disk', 'choose another folder'],
  ENOSPC: ['no room is left on the disk; nothing was written', 'make room, or choose another disk'],
  EDQUOT: ['no room is left for you on the disk; nothing was written', 'make room, or choose another disk'],
  EFBIG: ['the disk takes no file of that size; nothing was written', 'choose another disk'],
  ENAMETOOLONG: ['the name is too long for a file', 'choose a shorter one'],
  ELOOP: ['too many symbolic links', 'check the path'],
};

/** The error of a write that failed, as the user is told of it. */
export function refusal(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof CtxError || code === undefined) return error;
  const [what, hint] = REASONS[code] ?? [`the file cannot be written (${code})`, 'check the path and the disk'];
  return new CtxError('refused', what, { where: file, hint });
}

const COPY = 'write a copy with --output NEW.jsonl';

/** Why nothing can be appended to a session, by the code of the system's error. */
const APPEND_REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['there is no such file any more', 'check the path'],
  ENOTDIR: ['there is no such file any more', 'check the path'],
  EISDIR: ['this is a folder', 'name a .jsonl file'],
  EACCES: ['no permission to write to this session, or to the folder that it is in', COPY],
  EPERM: ['no permission to write to this session, or to the folder that it is in', COPY],
  EROFS: ['nothing can be written to this disk', COPY],
  ENOSPC: ['no room is left on the disk; nothing was written', `make room, or ${COPY} on another one`],
  EDQUOT: ['no room is left for you on the disk; nothing was written', `make room, or ${COPY} on another one`],
};

/** The error of an attempt to append, as the user is told of it. */
export function refusalToAppend(file: string, error: unknown): unknown {
  const [what, hint] =
    (error instanceof CtxError ? null : APPEND_REASONS[(error as NodeJS.ErrnoException).code ?? '']) ?? [];
  return what === undefined || hint === undefined
    ? refusal(file, error)
    : new CtxError('refused', what, { where: file, hint });
}
