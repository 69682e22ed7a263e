/** The built-in engines for any host of context engines: `pi-ctx/engines`. Each call creates one engine for one session. */

import none from '../builtin/none.js';
import pi from '../builtin/pi.js';
import recorded from '../builtin/recorded.js';
import threePhaseDefinition from '../builtin/three-phase.js';
import turnPrune from '../builtin/turn-prune.js';
import type { ContextEngine } from '../contract.js';
import { portable } from './portable.js';
import type { PortableOptions } from './told-setup.js';

export type * from '../contract.js';
export type { PortableOptions } from './told-setup.js';

/** Sends the recorded requests: what the session file holds at the time. */
export function recordedEngine(options?: PortableOptions): ContextEngine {
  return portable(recorded, options);
}

/** Sends everything, and never compacts. */
export function noneEngine(options?: PortableOptions): ContextEngine {
  return portable(none, options);
}

/** Sends everything until Pi would compact, then what Pi keeps and an extracted summary. */
export function piEngine(options?: PortableOptions): ContextEngine {
  return portable(pi, options);
}

/** Prunes at the ends of turns by a policy, and compacts early. */
export function turnPruneEngine(options?: PortableOptions): ContextEngine {
  return portable(turnPrune, options);
}

/** Shortens the history in steps, and adds what its injectors say before and after it. */
export function threePhaseEngine(options?: PortableOptions): ContextEngine {
  return portable(threePhaseDefinition, options);
}
