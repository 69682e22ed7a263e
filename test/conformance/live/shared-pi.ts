import { afterAll } from 'vitest';
import { type PiOptions, RunningPi } from './running-pi.js';

/**
 * Returns a function that starts a session, with its configuration, in one Pi for all tests of a `describe`: a Pi of its
 * own for each would take half a second of a processor.
 */
export function sharedPi(
  options: PiOptions = {},
): (own?: Pick<PiOptions, 'settings' | 'config'>) => Promise<RunningPi> {
  let pi: RunningPi | null = null;
  afterAll(() => pi?.[Symbol.asyncDispose]());
  return async (own = {}) => {
    pi ??= await RunningPi.start(options);
    await pi.renew(own);
    return pi;
  };
}
