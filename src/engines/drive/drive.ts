import { refuseTooDeep } from '#session/scan/nesting.js';
import { activePath } from '#session/tree/tree.js';
import type { Driven, DriveOptions, DriveProgress, DriveSource, MakeEngine } from './driven.js';
import { EngineInCharge } from './in-charge.js';

/**
 * Drives an engine over a recorded session, request by request. The conversation stays as recorded, and the engine
 * decides what each request contains. Returns the progress after the last request. Throws an EngineFailure if the engine
 * breaks the contract, and a CtxError (input) for data that is nested too deeply. Always calls `dispose`.
 */
export async function* drive(
  source: DriveSource,
  make: MakeEngine,
  options: DriveOptions,
): AsyncGenerator<Driven, DriveProgress> {
  const path = options.path ?? activePath(source.tree);
  refuseTooDeep(source, path);
  const engine = await EngineInCharge.start(source, make, { ...options, path });
  let failure: unknown = null;
  try {
    yield* engine.requests();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    await engine.close(failure);
  }
  return engine.progress();
}
