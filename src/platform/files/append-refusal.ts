import { CtxError } from '#base/errors.js';
import { refusal } from './refusal.js';

const COPY = 'write a copy with --output NEW.jsonl';

/** Why nothing can be appended to a session, by the code of the system's error. */
const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
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
  const [what, hint] = (error instanceof CtxError ? null : REASONS[(error as NodeJS.ErrnoException).code ?? '']) ?? [];
  return what === undefined || hint === undefined
    ? refusal(file, error)
    : new CtxError('refused', what, { where: file, hint });
}
