import type { SessionBundle } from './bundle.js';
import { clineSession, clineTask } from './cline/bundles.js';

/**
 * The sessions that are read together with files beside them. Every command needs them, and few need the readers of
 * `AGENTS`.
 */
export const BUNDLES: readonly SessionBundle[] = [clineSession, clineTask];
