const HAS_ZONE = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})\s*(?:\(.*\))?$/i;
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
const ISO_LOCAL = /^\d{4}-\d\d-\d\dT[\d:.]+$/;

/**
 * Milliseconds since 1970 of an entry's timestamp, NaN where it says nothing. As Pi's `new Date(…)`, but
 * a time without a zone is UTC, so that every machine reads the same.
 */
export function timeOf(timestamp: unknown): number {
  if (typeof timestamp === 'number') return new Date(timestamp).getTime();
  if (timestamp === null) return 0;
  if (typeof timestamp !== 'string') return Number.NaN;
  if (HAS_ZONE.test(timestamp) || DATE_ONLY.test(timestamp)) return Date.parse(timestamp);
  return Date.parse(ISO_LOCAL.test(timestamp) ? `${timestamp}Z` : `${timestamp} UTC`);
}
