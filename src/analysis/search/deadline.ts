import vm from 'node:vm';
import { CtxError } from '#base/errors.js';

/** A megabyte takes most patterns some milliseconds. */
const LEAST_MILLISECONDS = 3000;
const BYTES_IN_A_MILLISECOND = 1000;

/**
 * Runs the user's patterns on `bytes` bytes with a time limit, because a pattern may take exponential time. Throws a
 * CtxError (usage) at the limit; partial results are then invalid. `what` names the pattern in the error.
 */
export function runWithDeadline<Result>(
  what: string,
  bytes: number,
  work: () => Result,
  least = LEAST_MILLISECONDS,
): Result {
  const timeout = least + Math.ceil(bytes / BYTES_IN_A_MILLISECOND);
  let result: Result | undefined;
  context ??= vm.createContext({});
  context.work = () => {
    result = work();
  };
  try {
    script ??= new vm.Script('work()');
    script.runInContext(context, { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new CtxError('usage', `${what} exceeded the time limit`, {
      hint: 'rewrite it with fewer repetitions',
    });
  }
  // The script has run to its end, so the work has as well.
  return result as Result;
}

let script: vm.Script | null = null;
let context: vm.Context | null = null;
