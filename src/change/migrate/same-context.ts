import { CtxError } from '#base/errors.js';
import type { Session } from '#session/session.js';

/** Why a new file is not written: a model would be sent something else. */
export function buildContextChangedError({ file }: Session): CtxError {
  return new CtxError('input', 'the context would change; nothing was written', {
    where: file,
    hint: 'check the file: ctx check',
  });
}
