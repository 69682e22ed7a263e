import { parseTimestamp } from '#base/time.js';
import type { VolatileMatch } from '#context/request/volatile.js';
import type { Session } from '#session/session.js';

/** A span of time in milliseconds since 1970. */
interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Allows for time zones, and for sessions that continue after midnight. */
const MARGIN = 36 * 3_600_000;

/** Finds the time span of a session, with a margin; unlimited if it records no times. */
export function findSessionSpan({ header, tree: { heads, leaf } }: Session): TimeSpan {
  const times = [parseTimestamp(header.timestamp ?? undefined), heads.at(0)?.time, leaf?.time].filter(
    (time): time is number => time !== undefined && !Number.isNaN(time),
  );
  if (times.length === 0) return { from: -Infinity, to: Infinity };
  const first = times.reduce((one, other) => Math.min(one, other), Infinity);
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity);
  return { from: first - MARGIN, to: last + MARGIN };
}

/**
 * Whether a value in a prompt is the time at which the client built that prompt, and not a time that the text only
 * mentions. It is if it lies in the time span of the session, or follows a word such as "now".
 */
export function isBuildTime(text: string, { kind, start, end }: VolatileMatch, during: TimeSpan): boolean {
  if (kind !== 'date' && kind !== 'time' && kind !== 'timestamp') return true;
  const before = text.slice(Math.max(0, start - LABEL_LENGTH), start);
  if (LABEL.test(before)) return true;
  const times = parseTimes(text.slice(start, end), kind);
  // A clock time without a date counts if a date precedes it.
  if (times.length === 0) return /\d{4}[^\n]{0,12}$/.test(before);
  return times.some((time) => time >= during.from && time <= during.to);
}

const LABEL_LENGTH = 48;

const LABEL =
  /\b(?:today|now|dated?|time|clock|current(?:ly)?|as of|started|generated|updated|timestamp)\b[^\n]{0,30}$/i;

/** The possible times of a date, in milliseconds since 1970. */
function parseTimes(value: string, kind: VolatileMatch['kind']): readonly number[] {
  if (kind === 'timestamp') return [Number(value.padEnd(13, '0'))];
  const numbers = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(value)?.slice(1).map(Number);
  if (numbers) return listNumericDates(numbers);
  const iso = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/.exec(value)?.[0];
  const date = iso?.replaceAll('/', '-') ?? dropOrdinal(value);
  // A date without a year has no time.
  const time = /\d{4}/.test(date) ? parseTimestamp(date) : Number.NaN;
  return Number.isNaN(time) ? [] : [time];
}

/** 3/4/2026 is in March or in April. */
function listNumericDates([one = 0, two = 0, year = 0]: readonly number[]): readonly number[] {
  return [Date.UTC(year, two - 1, one), Date.UTC(year, one - 1, two)];
}

/** `March 3rd, 2026` and `3. March 2026` as dates that JavaScript parses. */
function dropOrdinal(date: string): string {
  return date.replace(/(\d)(?:st|nd|rd|th|\.)/i, '$1');
}
