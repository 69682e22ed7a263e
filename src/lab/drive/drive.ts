import { refuseTooDeep } from '#session/scan/nesting.js';
import { cacheEntries } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import type { DriveOptions, DriveSource, MakeEngine } from './drive-options.js';
import type { Driven, DriveProgress } from './driven-request.js';
import { EngineDriver } from './engine-driver.js';
import { EngineFailure } from './failure.js';

/**
 * Drives an engine over a recorded session, request by request. The conversation stays as recorded, and the engine
 * decides what each request contains. Returns the progress after the last request. Throws an EngineFailure if the engine
 * breaks the contract, and a CtxError (input) for data that is nested too deeply. Always calls `dispose`.
 */
export async function* driveEngine(
  unkept: DriveSource,
  make: MakeEngine,
  options: DriveOptions,
): AsyncGenerator<Driven, DriveProgress> {
  // Facts of entries that a compaction has dropped are read again.
  const source = cacheEntries(unkept, KEPT_BYTES);
  const path = options.path ?? activePath(source.tree);
  refuseTooDeep(source, path);
  const driver = await EngineDriver.start(source, make, { ...options, path });
  let failure: unknown = null;
  try {
    yield* driver.requests();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await driver.close(failure);
  }
  return driver.takeProgress();
}

/** Drives to the end, and hands over each step. Returns the failure with which the engine gave up; null: it did not. */
export async function driveToEnd(
  driving: AsyncGenerator<Driven, DriveProgress>,
  take: (step: Driven | DriveProgress) => void,
): Promise<EngineFailure | null> {
  try {
    for (;;) {
      const { value, done } = await driving.next();
      take(value);
      if (done) return null;
    }
  } catch (error) {
    if (error instanceof EngineFailure) return error;
    throw error;
  }
}

/** The size in bytes of the lines whose entries are kept. */
const KEPT_BYTES = 64e6;
