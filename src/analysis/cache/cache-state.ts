import * as z from 'zod/mini';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findLastRequest } from './last-request.js';
import { LIFETIME_BASES } from './lifetime.js';

/** The prompt cache after the last request of a path. */
export const cacheStateDocument = z.object({
  /** The lifetime of the cache in minutes, by what the last request wrote. */
  retentionMinutes: z.number(),
  /** The lifetime is that of the recorded writes, or assumed. */
  retentionBasis: z.enum(LIFETIME_BASES),
  /** The time since the cache was last used; null if it is unknown. */
  idleSeconds: z.nullable(z.int()),
  /** The share of the last prompt that is still cached, from 0 to 1, by its lifetime alone; 0 for another model. */
  aliveShare: z.number(),
  /** Whether another model is asked next, which has no cache of it. */
  isOtherModel: z.boolean(),
});

export type CacheState = z.infer<typeof cacheStateDocument>;

/** null for a path without a request that may have been billed. `now`: milliseconds since 1970. */
export function findCacheState(session: Session, path: readonly Head[], now: number): CacheState | null {
  const last = findLastRequest(session, path);
  if (last === null) return null;
  const { minutes: retentionMinutes, basis: retentionBasis } = last.life.newest;
  const idle = Math.max(0, now - last.time);
  return {
    retentionMinutes,
    retentionBasis,
    idleSeconds: Number.isFinite(idle) ? Math.floor(idle / 1000) : null,
    aliveShare: last.isOtherModelNow ? 0 : last.life.aliveShareAt(now),
    isOtherModel: last.isOtherModelNow,
  };
}
