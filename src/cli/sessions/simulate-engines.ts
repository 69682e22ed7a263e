import { type CacheOptions, DEFAULTS } from '#analysis/cache/recorded.js';
import type { OpenSession } from '#context/open.js';
import { type EngineOptions, engineOptions } from '#engines/drive/engine-options.js';
import { engines as builtInEngines } from '#engines/index.js';
import type { Simulation } from '#engines/simulate/document.js';
import type { SimulationEngine } from '#engines/simulate/simulate.js';
import { simulateSession } from './simulate.js';

/** The options of `simulateEngines`. */
export interface SimulationSettings extends EngineOptions {
  /** The prompt cache of the provider (default: Anthropic's). */
  readonly cache?: CacheOptions;
}

/**
 * Replays a session under engines, by default all that are built in, and compares tokens, cache reads and cost with the
 * recorded run, as `ctx simulate --json` does.
 */
export function simulateEngines(
  session: OpenSession,
  engines: readonly SimulationEngine[] = builtInEngines.map(({ name, create }) => ({ name, make: create })),
  { cache = DEFAULTS, ...options }: SimulationSettings = {},
): Promise<Simulation> {
  return simulateSession(session, engines, { drive: engineOptions(session, options), cache, recordedMisses: false });
}
