import path from 'node:path';
import type { Retention } from '../define.js';

/** The days if the settings name none. */
const DEFAULT_DAYS = 30;

/**
 * Claude Code deletes old sessions when it starts, by the time of the file: read in the packages 2.1.237 and 2.1.332.
 * It deletes nothing with a setting that it cannot read.
 */
export const claudeRetention: Retention = {
  settings: (env, home) => path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json'),
  key: 'cleanupPeriodDays',
  readDays({ cleanupPeriodDays: days = DEFAULT_DAYS }) {
    return typeof days === 'number' && days >= 0 ? days : null;
  },
};
