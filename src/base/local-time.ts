import { formatTime } from './time.js';

const QUARTER_MILLISECONDS = 900_000;

/**
 * The formatted hours by time zone, for the last quarter of an hour: most times are near the one before, and zones
 * differ by quarters.
 */
let last = { quarter: Number.NaN, timezone: '' as string | null, hour: '' };

/**
 * Formats the day and hour of a time in a zone such as `Europe/Berlin`: `2026-03-02 09:00`. A zone of null is UTC.
 * Empty for an invalid time.
 */
export function formatHour(time: number, timezone: string | null): string {
  const quarter = Math.floor(time / QUARTER_MILLISECONDS);
  if (quarter !== last.quarter || timezone !== last.timezone)
    last = { quarter, timezone, hour: timezone === null ? formatUtcHour(time) : formatZoneHour(time, timezone) };
  return last.hour;
}

/** Formats the day of a time as `formatHour` does, without the hour: `2026-03-02`. */
export function formatDay(time: number, timezone: string | null): string {
  return formatHour(time, timezone).slice(0, 'YYYY-MM-DD'.length);
}

function formatUtcHour(time: number): string {
  const text = formatTime(time);
  return text === null ? '' : `${text.slice(0, text.indexOf('T'))} ${text.slice(text.indexOf('T') + 1).slice(0, 2)}:00`;
}

function formatZoneHour(time: number, timezone: string): string {
  if (formatTime(time) === null) return '';
  const { year = '', month = '', day = '', hour = '' } = readClock(time, timezone);
  return `${year.padStart(4, '0')}-${month}-${day} ${hour}:00`;
}

/** The fields of the clock and the calendar of a zone. */
function readClock(time: number, timezone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const parts = findFormat(timezone).formatToParts(time);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function findFormat(timezone: string): Intl.DateTimeFormat {
  const format = formats.get(timezone) ?? createFormat(timezone);
  formats.set(timezone, format);
  return format;
}

/** Throws a RangeError for an unknown zone. */
function createFormat(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const time = { hour: two, minute: two, second: two, hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: two, day: two, ...time });
}

export function isTimezone(name: string): boolean {
  try {
    return findFormat(name) !== null;
  } catch {
    return false;
  }
}

/** The milliseconds by which the clocks of a zone are ahead of UTC at a time. */
function measureOffset(time: number, timezone: string): number {
  const { year, month, day, hour, minute, second } = readClock(time, timezone);
  const shown = Date.parse(`${(year ?? '').padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return shown - Math.floor(time / 1000) * 1000;
}

/** The time at which the clocks of a zone show a given time. If they skip it, a time after it. */
export function moveToZone(utc: number, timezone: string): number {
  // Within hours of a change of the clocks, the first offset may be that of the other side.
  const near = utc - measureOffset(utc, timezone);
  return utc - measureOffset(near, timezone);
}
