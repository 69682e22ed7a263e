import { CacheLife, type CacheSplit } from './cache-life.js';
import type { Lifetime } from './lifetime.js';

/** The prompt caches of a path: each model has its own, and one of them is in use. */
export class CachesByModel {
  private readonly caches = new Map<string, CacheLife>();
  private current: CacheLife;

  /** `retention`: as in `CacheLife`. */
  constructor(private readonly retention: number | null) {
    this.current = new CacheLife(retention);
  }

  use(model: string): void {
    this.current = this.caches.get(model) ?? new CacheLife(this.retention);
    this.caches.set(model, this.current);
  }

  /** The lifetime of the newest prompt. */
  get newest(): Lifetime {
    return this.current.newest;
  }

  /** The tokens of the newest prompt that a request at a time can read. */
  aliveAt(time: number): number {
    return this.current.aliveAt(time);
  }

  take(usage: CacheSplit, time: number): void {
    this.current.take(usage, time);
  }
}
