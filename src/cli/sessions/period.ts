import type { Period } from '#base/time.js';

interface PeriodFlags {
  readonly since?: ReadUserTime | undefined;
  readonly until?: ReadUserTime | undefined;
  /** The zone of times without one. */
  readonly timezone?: string | undefined;
}

type ReadUserTime = (now: number, timezone?: string | null) => number;

/** The period of the flags `--since` and `--until`. */
export function toPeriod({ since, until, timezone = 'UTC' }: PeriodFlags, now: number): Period {
  const zone = timezone === 'UTC' ? null : timezone;
  return { since: since?.(now, zone), until: until?.(now, zone) };
}

/** Whether a period leaves anything out. */
export function isLimitedPeriod({ since, until }: Period): boolean {
  return since !== undefined || until !== undefined;
}
