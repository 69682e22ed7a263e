/** A time that ends with its zone, in any of the forms that JavaScript parses. */
const HAS_ZONE =
  /(?:Z|\b(?:GMT|UTC?)(?:[+-]\d{1,2}:?\d{0,2})?|[ECMP][SD]T|:[\d:.]+\s*[+-]\d\d?(?::?\d\d)?)\s*(?:\(.*\))?$/i;
/** A date alone, which JavaScript takes for UTC. */
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
/** A time of ISO 8601 without a zone, which JavaScript takes for the local time. */
const ISO_LOCAL = /^(?:[+-]\d\d)?\d{4}-\d\d-\d\dT[\d:.]+$/i;
/** Characters: a longer text is no time, and matching it could take long. */
const LONGEST_TIMESTAMP = 100;

/**
 * Milliseconds since 1970 of an entry's timestamp, NaN if it is missing or invalid. Like Pi's `new Date(…)`, but
 * a time without a zone is UTC, so that every machine reads the same.
 */
export function parseTimestamp(timestamp: unknown): number {
  if (typeof timestamp === 'number') return new Date(timestamp).getTime();
  if (timestamp === null) return 0;
  if (typeof timestamp !== 'string' || timestamp.length > LONGEST_TIMESTAMP) return Number.NaN;
  if (ISO_LOCAL.test(timestamp)) return Date.parse(`${timestamp}Z`);
  return Date.parse(HAS_ZONE.test(timestamp) || DATE_ONLY.test(timestamp) ? timestamp : `${timestamp} UTC`);
}

/** Formats milliseconds since 1970 as ISO 8601 in UTC; null for an invalid time, or one outside the calendar. */
export function formatTime(time: number | null): string | null {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** A time in UTC to the minute, as `2026-03-02 09:30`; empty for an invalid one. */
export function formatMinute(time: number | null): string {
  return formatTime(time)?.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ') ?? '';
}

/** A span of time, in milliseconds since 1970. */
export interface Period {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** Whether a time is in a period, which includes both of its ends. */
export function isInPeriod(time: number, { since = -Infinity, until = Infinity }: Period): boolean {
  return time >= since && time <= until;
}
