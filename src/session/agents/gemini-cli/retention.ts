import path from 'node:path';
import { asObject, asString } from '#base/json.js';
import type { Retention } from '../define.js';

/** The time if the settings name none. */
const DEFAULT_AGE = '30d';

/** The days of each unit; its months have 30. */
const UNITS: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 };

/**
 * Gemini CLI deletes old sessions when it starts, by their `lastUpdated`, which is the time of the file to within
 * seconds: read in the package 0.61.0. It deletes nothing if the time is not one that it can read, or shorter than a
 * day, which is its least time unless `minRetention` names another.
 */
export const geminiRetention: Retention = {
  settings: (_env, home) => path.join(home, '.gemini', 'settings.json'),
  key: 'general.sessionRetention.maxAge',
  readDays(settings) {
    const {
      enabled = true,
      maxAge = DEFAULT_AGE,
      minRetention,
    } = asObject(asObject(settings['general'])['sessionRetention']);
    const days = readPeriod(maxAge);
    const least = readPeriod(minRetention) ?? 1;
    return enabled === true && days !== null && days >= least ? days : null;
  },
};

/** The days of a period such as `12h` or `4w`; null for anything else. */
function readPeriod(value: unknown): number | null {
  const [, count = '', unit = ''] = /^(\d+)([dhwm])$/.exec(asString(value) ?? '') ?? [];
  const days = Number(count) * (UNITS[unit] ?? 0);
  return days > 0 ? days : null;
}
