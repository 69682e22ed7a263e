/** The interface for context engines: `pi-ctx/engine`. Types, a check of answers, and a function that only says what an engine is. */

import type { ContextEngine } from './contract.js';

export type * from './contract.js';
export { whyNotAnAnswer } from './drive/results.js';

/** Gives back what it is given. A module exports an engine by default, or a function that makes one. */
export function defineEngine<Engine extends ContextEngine | (() => ContextEngine | Promise<ContextEngine>)>(
  engine: Engine,
): Engine {
  return engine;
}
