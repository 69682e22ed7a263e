import { formatDollars } from '#base/dollars.js';
import { formatMinute } from '#base/time.js';

/** A time in UTC, to the minute. */
export function formatClockMinute(time: number | null): string {
  const minute = formatMinute(time);
  return minute === '' ? '' : `${minute} UTC`;
}

export function formatCost(cost: number | null): string {
  return formatDollars(cost, 'not recorded');
}

/** The parts that are not empty, in one line. */
export function joinParts(parts: readonly string[], separator = ' · '): string {
  return parts.filter((part) => part !== '').join(separator);
}

export function capitalize(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
