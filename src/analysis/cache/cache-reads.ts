import { once } from '#base/memoize.js';
import type { PathSource } from '#context/walk.js';
import { isModelRecorded } from './break-cause.js';
import { isMissByAge } from './cache-life.js';
import { CachesByModel } from './caches-by-model.js';
import { type EarlierPrompt, isMostlyRead, toEarlierPrompt } from './earlier-prompt.js';
import { countExpectedRead, countHiddenTokens } from './expected-read.js';
import { Floors } from './floors.js';
import { describeLifetime, type Lifetime } from './lifetime.js';
import type { CacheOptions } from './options.js';
import type { Prompt } from './prompt.js';
import type { PromptUsage, RecordedAnswer } from './recorded-answer.js';
import type { RecordedRead, RequestComparison } from './request-comparison.js';

/** The cache that a request found. */
export interface FoundCache {
  /** Tokens of the previous prompt of the model that had not expired. */
  readonly alive: number;
  /** The lifetime of that prompt. */
  readonly lifetime: Lifetime;
}

/** A request as its provider counted it, with the cache that it found. */
interface CountedAnswer extends FoundCache {
  readonly usage: PromptUsage | null;
  readonly prompt: Prompt;
}

/** The newest request with a provider's token count. */
interface CountedRequest extends EarlierPrompt {
  /** Tokens that the provider said to have in its cache. */
  readonly cached: number;
  readonly time: number;
}

/** Follows what providers counted along a path: the newest counts, and the caches that the requests left. */
export class CacheReads {
  /** The newest request that its provider counted, which may be earlier than the previous request. */
  counted: CountedRequest | null = null;
  /** Tokens of the first counted prompt that its session does not record; null before it. */
  private hidden: number | null = null;
  private readonly caches: CachesByModel;
  private readonly floors: () => Floors;

  constructor(
    { session, path }: PathSource,
    private readonly options: CacheOptions,
  ) {
    this.caches = new CachesByModel(options.retention);
    this.floors = once(() => new Floors(session, path));
  }

  /** The lifetime of the cache that the last request left. */
  get lifetime(): Lifetime {
    return this.caches.newest;
  }

  /** The cache that a request finds, before it is read. */
  findCache({ target, model, usage, time }: RecordedAnswer, prompt: Prompt): FoundCache {
    this.hidden ??= usage && countHiddenTokens(prompt, usage);
    if (isModelRecorded(target)) this.caches.use(model);
    return { alive: this.caches.aliveAt(time), lifetime: this.caches.newest };
  }

  /** Compares what a request read with the newest counts. */
  compare(answer: CountedAnswer): Omit<RecordedRead, 'isPiMiss' | 'reportedReason'> {
    const { usage, lifetime } = answer;
    const hasReadMost = this.hasReadMost(answer);
    return {
      earlier: this.counted,
      usage,
      hasReadMost,
      isExpired: this.isExpired(answer, hasReadMost),
      lifetime: describeLifetime(lifetime.minutes, lifetime.basis),
      isFloor: () => usage !== null && this.floors().has(usage),
    };
  }

  /** The tokens that a request should have read; null if no earlier request has a record. */
  countExpected(
    { usage, alive }: CountedAnswer,
    { before, divergence, read }: RequestComparison,
    isOtherModel: boolean,
  ): number | null {
    if (this.counted === null) return null;
    // Another model has no cache of the previous request.
    if (isOtherModel) return 0;
    const sent = usage?.promptTokens ?? Infinity;
    const most = read.isExpired ? Math.min(sent, alive) : sent;
    const request = { divergence, hidden: this.hidden ?? 0, most, before: before.prompt, recorded: this.counted };
    return countExpectedRead(request, this.options);
  }

  /** A request has read its cache, and written to it. */
  readCache(usage: PromptUsage, time: number): void {
    this.caches.take(usage, time);
  }

  /** Makes a request the one whose counts the next is compared with. */
  count(usage: PromptUsage, time: number): void {
    this.counted = { ...toEarlierPrompt(usage, this.counted), cached: usage.cacheRead + usage.cacheWrite, time };
  }

  /** A call that only kept the cache warm. */
  warm(usage: PromptUsage, time: number): void {
    this.count(usage, time);
    if (this.counted) this.counted = { ...this.counted, reportedCache: true };
    this.readCache(usage, time);
  }

  private hasReadMost({ prompt, usage }: CountedAnswer): boolean {
    if (usage === null || this.counted === null) return false;
    const shared = Math.max(this.hidden ?? 0, prompt.preamble.tokens);
    return isMostlyRead(this.counted, usage, shared);
  }

  private isExpired({ usage, alive }: CountedAnswer, hasReadMost: boolean): boolean {
    const { counted } = this;
    if (counted === null) return false;
    if (usage === null) return 2 * alive < counted.prompt;
    return isMissByAge({ before: counted, alive, usage, hasReadMost });
  }
}
