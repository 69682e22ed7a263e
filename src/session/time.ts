const HAS_ZONE = /(?:Z|GMT|UTC|[ECMP][SD]T|(?::[\d:.]+ ?|GMT|UTC)[+-]\d\d:?\d\d)\s*(?:\(.*\))?$/i;
const DATE_ONLY = /^\d{4}(?:-\d\d){0,2}$/;
const ISO_LOCAL = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/;
const LONGEST_TIMESTAMP = 100;

/**
 * Milliseconds since 1970 of an entry's timestamp, NaN where it says nothing. As Pi's `new Date(…)`, but
 * a time without a zone is UTC, so that every machine reads the same.
 */
export function timeOf(timestamp: unknown): number {
  if (typeof timestamp === 'number') return new Date(timestamp).getTime();
  if (timestamp === null) return 0;
  if (typeof timestamp !== 'string' || timestamp.length > LONGEST_TIMESTAMP) return Number.NaN;
  if (ISO_LOCAL.test(timestamp)) return Date.parse(`${timestamp.replace(' ', 'T')}Z`);
  if (HAS_ZONE.test(timestamp) || DATE_ONLY.test(timestamp)) return Date.parse(timestamp);
  return sameFieldsInUtc(new Date(timestamp));
}

/** What the clock on the wall says, taken as UTC. */
function sameFieldsInUtc(local: Date): number {
  const day = [local.getFullYear(), local.getMonth(), local.getDate()] as const;
  return Date.UTC(...day, local.getHours(), local.getMinutes(), local.getSeconds(), local.getMilliseconds());
}
