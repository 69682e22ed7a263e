import type { SessionBundle } from './bundle.js';
import { clineSession, clineTask } from './cline/bundles.js';

/** The sessions that are read together with files beside them. */
export const BUNDLES: readonly SessionBundle[] = [clineSession, clineTask];
