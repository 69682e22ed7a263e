import { cursorStore } from './cursor/database.js';
import { openclawStore } from './openclaw/database.js';
import { opencodeStore } from './opencode/database.js';
import type { SessionStore } from './store.js';

/**
 * The databases that are read as folders of sessions. Every command needs them, and few need the readers of `AGENTS`.
 */
export const STORES: readonly SessionStore[] = [opencodeStore, cursorStore, openclawStore];
