import { noneDefinition } from './builtin/none.js';
import pi from './builtin/pi.js';
import { recordedDefinition } from './builtin/recorded.js';
import threePhaseAssembly from './builtin/three-phase.js';
import turnPrune from './builtin/turn-prune.js';
import type { EngineDefinition } from './define.js';

/** The engines that are built in; the first one repeats the recorded run. */
export const engines: readonly [EngineDefinition, ...EngineDefinition[]] = [
  recordedDefinition,
  noneDefinition,
  pi,
  turnPrune,
  threePhaseAssembly,
];

/** Whether a name is that of a file with an engine of the user: no engine that is built in has such letters. */
export function isEngineFile(name: string): boolean {
  return /[./\\]/.test(name);
}
