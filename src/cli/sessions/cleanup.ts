import path from 'node:path';
import { asObject, parseJson } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';

/**
 * The days after which Claude Code deletes a session that has not changed, if its settings name none. It does so when it
 * starts, by the time of the file: read in the packages 2.1.237 and 2.1.332.
 */
const DEFAULT_DAYS = 30;
const DAY = 86_400_000;
/** The days before a deletion in which it is announced. */
const AHEAD = 7;

type World = Pick<Io, 'env' | 'home' | 'files' | 'now'>;

/** One sentence about the sessions of Claude Code that it will delete within a week; null if there are none, or its settings cannot be read. */
export function announceCleanup(world: World, sessions: readonly Pick<FoundFile, 'modified'>[]): string | null {
  const settings = findSettings(world);
  const days = readCleanupDays(world, settings);
  if (days === null) return null;
  const latest = world.now() - (days - AHEAD) * DAY;
  const due = sessions.filter(({ modified }) => modified < latest).length;
  if (due === 0) return null;
  const what = due === 1 ? 'one of these sessions' : `${formatCount(due)} of these sessions`;
  const period = pluralize(days, 'day');
  return `Claude Code deletes ${what} within a week, ${period} after the last change: keep copies with ctx archive, or set "cleanupPeriodDays" in ${settings}`;
}

function findSettings({ env, home }: World): string {
  return path.join(env['CLAUDE_CONFIG_DIR'] || path.join(home, '.claude'), 'settings.json');
}

/** The days of the user's settings; null for settings with which Claude Code deletes nothing. */
function readCleanupDays({ files }: World, settings: string): number | null {
  if (!files.exists(settings)) return DEFAULT_DAYS;
  const text = new TextDecoder().decode(files.beginning(settings, LONGEST));
  const read = parseJson(text);
  if (read === undefined) return null;
  const { cleanupPeriodDays: days = DEFAULT_DAYS } = asObject(read);
  return typeof days === 'number' && days >= 0 ? days : null;
}

const LONGEST = 1 << 20;
