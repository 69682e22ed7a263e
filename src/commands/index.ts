import type { Command } from './define.js';

/** Every command there is. Each is loaded when it is called, or when all of them are listed. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  show: async () => (await import('./show.js')).default,
};
