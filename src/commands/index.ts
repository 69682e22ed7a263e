import type { Command } from './define.js';
import show from './show.js';

/** Every command there is. */
export const commands: readonly Command[] = [show];
