import { formatTime, parseTimestamp } from './time.js';

/** A date, with or without a time of day and a zone. */
const CALENDAR = /^\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|\s?[+-]\d\d:?\d\d)?)?)?$/i;
/** A time that counts back from now. */
const TIME_AGO = /^(\d{1,6})([smhdw])$/;
/** The milliseconds of each unit of such a time. */
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
  const [, count, unit] = TIME_AGO.exec(text) ?? [];
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
