import { CtxError } from '#base/errors.js';

/** The message of an error, as the command line prints it. Rethrows bugs. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof CtxError)) throw error;
  return [error.message, error.where, error.hint].filter((part) => part !== null).join(': ');
}
