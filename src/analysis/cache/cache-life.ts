import type { Lifetime } from './lifetime.js';
import { NOISE_TOKENS } from './options.js';

const MINUTE = 60_000;

/** The minutes of a lifetime, by the kind of cache that a request writes. */
const SHORT = 5;
const LONG = 60;

/** The lifetime of a cache that no session records, and no flag states. */
const ASSUMED: Lifetime = { minutes: SHORT, basis: 'assumed' };

/** A prefix of the newest prompt in the cache: it includes those of the shorter parts. */
interface Part extends Lifetime {
  /** The length of the prefix in tokens. */
  readonly end: number;
  /** The last use of the cache, in milliseconds since 1970; NaN if unknown. */
  readonly touched: number;
}

/** The tokens of a request, as its provider split them. */
export interface CacheSplit {
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour; left out if it is not recorded. */
  readonly cacheWrite1h?: number | undefined;
}

/**
 * The prompt cache along the requests of a path. Each part of a prompt lives as long as the kind of cache that it was
 * written to, counted from the last request that read it.
 */
export class CacheLife {
  /** The parts from the shortest prefix to the longest. Each lives longer than the next one. */
  private parts: readonly Part[] = [];
  private readonly given: Lifetime | null;

  /** `retention`: the minutes that replace all lifetimes; null to use those that were written. */
  constructor(retention: number | null) {
    this.given = retention === null ? null : { minutes: retention, basis: 'given' };
  }

  /** The lifetime of the newest prompt: of its end, which was written last. */
  get newest(): Lifetime {
    const { minutes, basis } = this.parts.at(-1) ?? this.given ?? ASSUMED;
    return { minutes, basis };
  }

  /**
   * The tokens of the newest prompt that a request at a time can read. Infinity before the first request, since no age
   * is known.
   */
  aliveAt(time: number): number {
    if (this.parts.length === 0) return Infinity;
    return this.parts.findLast(({ touched, minutes }) => !(time - touched >= minutes * MINUTE))?.end ?? 0;
  }

  /** Returns `aliveAt` as a share of the newest prompt. */
  aliveShareAt(time: number): number {
    const end = this.parts.at(-1)?.end ?? 0;
    const alive = this.aliveAt(time);
    return alive >= end ? 1 : alive / end;
  }

  /** Another model is asked, which has a cache of its own. */
  forget(): void {
    this.parts = [];
  }

  /** A use of the whole cache without a new prompt. */
  touch(time: number): void {
    this.parts = this.parts.map((part) => ({ ...part, touched: Math.max(part.touched, time) }));
  }

  /** A request reads the beginning of the cache and writes the rest of its prompt. */
  take(usage: CacheSplit, time: number): void {
    const { promptTokens, cacheRead, cacheWrite } = usage;
    const { forHour, forRest } = this.findLifetimes(usage);
    const hourWrite = Math.min(usage.cacheWrite1h ?? 0, cacheWrite);
    const before = this.parts.at(-1)?.end ?? 0;

    const parts: Part[] = this.parts.map((part) => {
      return { ...part, end: Math.min(part.end, cacheRead), touched: time };
    });
    // Another session, or an earlier branch, has written the rest of what was read.
    const forRead = hourWrite > 0 ? forHour : forRest;
    if (cacheRead > before) parts.push({ ...forRead, end: cacheRead, touched: time });
    // A provider accepts the longer lifetime only before the shorter one.
    if (hourWrite > 0) parts.push({ ...forHour, end: cacheRead + hourWrite, touched: time });
    if (hourWrite === 0 || cacheWrite > hourWrite)
      parts.push({ ...forRest, end: cacheRead + cacheWrite, touched: time });

    const living = dropShorterLived(parts);
    const last = living.at(-1) ?? { ...forRest, end: 0, touched: time };
    // The last part ends with the few tokens after the last breakpoint, or with the whole prompt if the provider caches
    // by itself.
    this.parts = [...living.slice(0, -1), { ...last, end: Math.max(last.end, promptTokens) }];
  }

  /** The lifetimes of what a request writes for an hour, and of the rest. */
  private findLifetimes({ cacheWrite, cacheWrite1h }: CacheSplit): WriteLifetimes {
    if (this.given) return { forHour: this.given, forRest: this.given };
    if (cacheWrite === 0 && this.parts.length > 0) return { forHour: this.newest, forRest: this.newest };
    const forHour: Lifetime = { minutes: LONG, basis: 'recorded' };
    if (cacheWrite === 0) return { forHour, forRest: ASSUMED };
    return { forHour, forRest: { minutes: SHORT, basis: cacheWrite1h === undefined ? 'assumed' : 'recorded' } };
  }
}

interface WriteLifetimes {
  readonly forHour: Lifetime;
  readonly forRest: Lifetime;
}

/** Leaves out the prefixes that expire before a longer one does. */
function dropShorterLived(parts: readonly Part[]): readonly Part[] {
  const kept: Part[] = [];
  for (const part of parts) {
    for (let last = kept.at(-1); last && last.end <= part.end && last.minutes <= part.minutes; last = kept.at(-1))
      kept.pop();
    if (part.end > (kept.at(-1)?.end ?? 0)) kept.push(part);
  }
  return kept;
}

/** Finds the lifetime that all caches of the requests have; null if they have several. */
export function findCommonLifetime(
  requests: readonly { readonly usage: CacheSplit | null; readonly time: number }[],
  retention: number | null,
): Lifetime | null {
  const life = new CacheLife(retention);
  let common = life.newest;
  let isFirst = true;
  for (const { usage, time } of requests) {
    if (usage === null) continue;
    life.take(usage, time);
    if (!isFirst && life.newest.minutes !== common.minutes) return null;
    if (isFirst || common.basis === 'assumed') common = life.newest;
    isFirst = false;
  }
  return common;
}

/** A request that read less from the cache than the one before it left there. */
interface CacheMiss {
  readonly before: { readonly prompt: number };
  /** The tokens that had not expired. */
  readonly alive: number;
  readonly usage: CacheSplit;
  /** It read most messages, which an expired cache cannot do. */
  readonly hasReadMost: boolean;
}

/** Whether a request lost most of what it did not read to the lifetime of the cache. */
export function isMissByAge({ before, alive, usage, hasReadMost }: CacheMiss): boolean {
  const { promptTokens, cacheRead } = usage;
  const common = Math.min(before.prompt, promptTokens);
  const expired = common - alive;
  const unread = common - cacheRead;
  if (expired <= 0 || 2 * expired <= unread) return false;
  return !hasReadMost || cacheRead <= alive + NOISE_TOKENS;
}
