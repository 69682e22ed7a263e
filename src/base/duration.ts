import { pluralize } from './numbers.js';

/** Formats a duration in the largest unit that is full: 12 seconds, 5 minutes, 3 hours, 40 days. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return pluralize(Math.max(0, Math.floor(seconds)), 'second');
  if (seconds < 3600) return pluralize(Math.floor(seconds / 60), 'minute');
  return seconds < 86_400
    ? pluralize(Math.floor(seconds / 3600), 'hour')
    : pluralize(Math.floor(seconds / 86_400), 'day');
}

/** Milliseconds. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An age in milliseconds in the largest unit that is full: 12s, 5m, 3h, 40d, 2y. */
export function formatShortAge(age: number): string {
  if (age < MINUTE) return `${Math.max(0, Math.floor(age / 1000))}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < 365 * DAY) return `${Math.floor(age / DAY)}d`;
  return `${Math.floor(age / (365 * DAY))}y`;
}
