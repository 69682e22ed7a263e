import vm from 'node:vm';
import { afterEach, beforeEach, vi } from 'vitest';

/** In milliseconds: patterns of users have seconds. */
const SOON = 50;

/** Lets the time limit of patterns end soon in the tests of a `describe`. */
export function hurryPatterns(): void {
  beforeEach(() => {
    const run = vm.Script.prototype.runInContext;
    vi.spyOn(vm.Script.prototype, 'runInContext').mockImplementation(function (this: vm.Script, context, options) {
      return run.call(this, context, { ...(options as vm.RunningScriptOptions), timeout: SOON }) as unknown;
    });
  });
  afterEach(() => vi.restoreAllMocks());
}
