import { CtxError } from '#base/errors.js';

/** What went wrong, as the command line would say it; what is a bug ends everything. */
export function reason(error: unknown): string {
  if (!(error instanceof CtxError)) throw error;
  return [error.message, error.where, error.hint].filter((part) => part !== null).join(': ');
}
