/** The assumptions about the cache of a provider. */
export interface CacheOptions {
  /** The cache granularity of the provider in tokens. */
  readonly block: number;
  /** The minimum length of a cached prompt in tokens. */
  readonly minimum: number;
  /** The lifetime of the cache in minutes; null for the lifetime that each request wrote. */
  readonly retention: number | null;
}

export const DEFAULT_CACHE_OPTIONS: CacheOptions = { block: 1, minimum: 1024, retention: null };

/** Pi ignores smaller misses, since caches work in blocks. */
export const NOISE_TOKENS = 1024;
