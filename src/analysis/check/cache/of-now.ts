import { timeOf } from '#base/time.js';
import type { Volatile } from '#context/request/volatile.js';
import type { Session } from '#session/session.js';

/** A span of time in milliseconds since 1970. */
export interface During {
  readonly from: number;
  readonly to: number;
}

/** Time zones, and sessions that run past midnight. */
const MARGIN = 36 * 3_600_000;

/** When a session was written, with a margin; always, where it does not say. */
export function duringOf({ header, tree: { heads, leaf } }: Session): During {
  const times = [timeOf(header.timestamp ?? undefined), heads.at(0)?.time, leaf?.time].filter(
    (time): time is number => time !== undefined && !Number.isNaN(time),
  );
  if (times.length === 0) return { from: -Infinity, to: Infinity };
  const first = times.reduce((one, other) => Math.min(one, other), Infinity);
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity);
  return { from: first - MARGIN, to: last + MARGIN };
}

/**
 * Whether a value is one of the time at which a prompt was built, and not one that a text is about. It lies in the time
 * of the session, or a word before it says so.
 */
export function isOfNow(text: string, { kind, start, end }: Volatile, during: During): boolean {
  if (kind !== 'date' && kind !== 'time' && kind !== 'timestamp') return true;
  const before = text.slice(Math.max(0, start - LABEL_LENGTH), start);
  if (LABEL.test(before)) return true;
  const times = timesOf(text.slice(start, end), kind);
  // A clock time without a date is one of now where a date stands before it.
  if (times.length === 0) return /\d{4}[^\n]{0,12}$/.test(before);
  return times.some((time) => time >= during.from && time <= during.to);
}

const LABEL_LENGTH = 48;
const LABEL =
  /\b(?:today|now|dated?|time|clock|current(?:ly)?|as of|started|generated|updated|timestamp)\b[^\n]{0,30}$/i;

/** What a date may mean, in milliseconds since 1970. */
function timesOf(value: string, kind: Volatile['kind']): readonly number[] {
  if (kind === 'timestamp') return [Number(value.padEnd(13, '0'))];
  const numbers = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(value)?.slice(1).map(Number);
  if (numbers) {
    const [one = 0, two = 0, year = 0] = numbers;
    return [Date.UTC(year, two - 1, one), Date.UTC(year, one - 1, two)];
  }
  const iso = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/.exec(value)?.[0];
  const written = iso?.replaceAll('/', '-') ?? value.replace(/(\d)(?:st|nd|rd|th|\.)/i, '$1');
  const time = /\d{4}/.test(written) ? timeOf(written) : Number.NaN;
  return Number.isNaN(time) ? [] : [time];
}
