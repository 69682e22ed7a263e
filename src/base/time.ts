const HAS_ZONE =
  /(?:Z|\b(?:GMT|UTC?)(?:[+-]\d{1,2}:?\d{0,2})?|[ECMP][SD]T|:[\d:.]+\s*[+-]\d\d?(?::?\d\d)?)\s*(?:\(.*\))?$/i;
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
const ISO_LOCAL = /^(?:[+-]\d\d)?\d{4}-\d\d-\d\dT[\d:.]+$/i;
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

const CALENDAR = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?)?$/i;
const BACK = /^(\d{1,6})([smhdw])$/;
const MILLISECONDS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Parses a time of the user into milliseconds since 1970: a date, with or without a time of day, in UTC unless
 * it names a zone; or `30m`, `2h`, `3d` and so on, back from `now`. NaN for anything else.
 */
export function parseUserTime(text: string, now: number): number {
  const [, count, unit] = BACK.exec(text) ?? [];
  if (unit !== undefined) return now - Number(count) * (MILLISECONDS[unit] ?? Number.NaN);
  return CALENDAR.test(text) && isInCalendar(text.slice(0, 'YYYY-MM-DD'.length)) ? parseTimestamp(text) : Number.NaN;
}

/** Whether a time of the user depends on a time zone: a date, or a time of day without a zone. */
export function isOfAnyZone(text: string): boolean {
  return CALENDAR.test(text) && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice('YYYY-MM-DD'.length));
}

/** Whether a day exists: `Date` reads 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  return formatTime(Date.parse(day))?.startsWith(day) === true;
}

/** A span of time, in milliseconds since 1970. */
export interface Period {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export function isInPeriod(time: number, { since = -Infinity, until = Infinity }: Period): boolean {
  return time >= since && time <= until;
}
