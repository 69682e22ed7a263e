import type { Period } from '#base/time.js';

interface PeriodFlags {
  readonly since?: ((now: number) => number) | undefined;
  readonly until?: ((now: number) => number) | undefined;
}

/** The period of the flags `--since` and `--until`. */
export function toPeriod({ since, until }: PeriodFlags, now: number): Period {
  return { since: since?.(now), until: until?.(now) };
}

/** Whether a period leaves anything out. */
export function isLimitedPeriod({ since, until }: Period): boolean {
  return since !== undefined || until !== undefined;
}
