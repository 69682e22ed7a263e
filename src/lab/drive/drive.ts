import { compactionSettings } from '#change/compact/settings.js';
import { defaultPolicy } from '#change/prune/policy.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { findSettings } from '#context/replay/settings.js';
import { findWindow } from '#context/size/window.js';
import { refuseTooDeep } from '#session/scan/nesting.js';
import { cacheEntries } from '#session/session.js';
import { resolvePath } from '#session/tree/revision.js';
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

/** Host options with an entry instead of a path. */
export type EngineOptions = Partial<Omit<DriveOptions, 'path'>> & {
  /** The end of the run (default: the leaf). */
  readonly revision?: string;
};

/**
 * The options of a host for a session: by default the context window of its model as the budget, Pi's compaction settings
 * and the default policy. Throws a CtxError (usage) for an unknown revision.
 */
export function engineOptions(session: OpenSession, { revision, ...given }: EngineOptions = {}): DriveOptions {
  const { path } = resolvePath(session, revision);
  const { model } = findSettings(session, path);
  const name = model?.modelId ?? null;
  return {
    path,
    tokenBudget: findWindow(session, path, { assumedWindow: findAssumedWindow }).tokens,
    settings: compactionSettings([], name),
    policy: defaultPolicy(),
    ...given,
  };
}
