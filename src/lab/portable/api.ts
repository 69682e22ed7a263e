import { noneDefinition } from '../builtin/none.js';
import pi from '../builtin/pi.js';
import { recordedDefinition } from '../builtin/recorded.js';
import threePhaseDefinition from '../builtin/three-phase.js';
import turnPrune from '../builtin/turn-prune.js';
import type { ContextEngine } from '../contract.js';
import type { EngineDefinition } from '../define.js';
import { createPortableEngine } from './portable-engine.js';
import type { PortableOptions } from './portable-setup.js';

export type * from '../contract.js';

export type { PortableOptions } from './portable-setup.js';

/** Sends the recorded requests: what the session file holds at the time. */
export const recordedEngine = makePortable(recordedDefinition);

/** Sends everything, and never compacts. */
export const noneEngine = makePortable(noneDefinition);

/** Sends everything until Pi would compact, then what Pi keeps and an extracted summary. */
export const piEngine = makePortable(pi);

/** Prunes at the ends of turns by a policy, and compacts early. */
export const turnPruneEngine = makePortable(turnPrune);

/** Shortens the history in steps, and adds what its injectors say before and after it. */
export const threePhaseEngine = makePortable(threePhaseDefinition);

/** Makes a function that creates a built-in engine for one session. */
function makePortable(definition: EngineDefinition): (options?: PortableOptions) => ContextEngine {
  return (options = {}) => createPortableEngine(definition, options);
}
