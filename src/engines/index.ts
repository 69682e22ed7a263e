import type { EngineDefinition } from './define.js';
import none from './none.js';
import pi from './pi.js';
import recorded from './recorded.js';
import threePhaseAssembly from './three-phase.js';
import turnPrune from './turn-prune.js';

/** The engines that are built in. */
export const engines: readonly EngineDefinition[] = [recorded, none, pi, turnPrune, threePhaseAssembly];
