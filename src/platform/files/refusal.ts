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
