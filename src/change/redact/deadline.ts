import vm from 'node:vm';
import { CtxError } from '#base/errors.js';

/** A megabyte takes most patterns some milliseconds. */
const LEAST_MILLISECONDS = 3000;
const BYTES_IN_A_MILLISECOND = 1000;

/**
 * Does work on so many bytes in which patterns of the user's run, some of which take longer than the world will last.
 * Throws a CtxError (usage) for these; what the work had done by then is of no use.
 */
export function withDeadline<Result>(bytes: number, work: () => Result, least = LEAST_MILLISECONDS): Result {
  const timeout = least + Math.ceil(bytes / BYTES_IN_A_MILLISECOND);
  let result: Result | undefined;
  context ??= vm.createContext({});
  context['work'] = () => {
    result = work();
  };
  try {
    script ??= new vm.Script('work()');
    script.runInContext(context, { timeout });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new CtxError('usage', 'a --pattern takes too long', {
      hint: 'write it so that there is one way to match a text: no repetition inside of a repetition',
    });
  }
  // The script has run to its end, so the work has as well.
  return result as Result;
}

let script: vm.Script | null = null;
let context: vm.Context | null = null;
