const HAS_ZONE =
  /(?:Z|\b(?:GMT|UTC?)(?:[+-]\d{1,2}:?\d{0,2})?|[ECMP][SD]T|:[\d:.]+\s*[+-]\d\d?(?::?\d\d)?)\s*(?:\(.*\))?$/i;
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
const ISO_LOCAL = /^(?:[+-]\d\d)?\d{4}-\d\d-\d\dT[\d:.]+$/i;
const LONGEST_TIMESTAMP = 100;

/**
 * Milliseconds since 1970 of an entry's timestamp, NaN where it says nothing. As Pi's `new Date(…)`, but
 * a time without a zone is UTC, so that every machine reads the same.
 */
export function timeOf(timestamp: unknown): number {
  if (typeof timestamp === 'number') return new Date(timestamp).getTime();
  if (timestamp === null) return 0;
  if (typeof timestamp !== 'string' || timestamp.length > LONGEST_TIMESTAMP) return Number.NaN;
  if (ISO_LOCAL.test(timestamp)) return Date.parse(`${timestamp}Z`);
  return Date.parse(HAS_ZONE.test(timestamp) || DATE_ONLY.test(timestamp) ? timestamp : `${timestamp} UTC`);
}
