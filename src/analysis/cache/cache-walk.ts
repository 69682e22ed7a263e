import type { Problem } from '#base/errors.js';
import { asObject, asString } from '#base/json.js';
import { once } from '#base/memoize.js';
import { formatTime } from '#base/time.js';
import { toLenient } from '#context/lenient.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import type { PathSource } from '#context/walk.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { BranchPoints } from './branch-points.js';
import { findBreak, isModelRecorded } from './break-cause.js';
import { isMissByAge } from './cache-life.js';
import { CachesByModel } from './caches-by-model.js';
import type { RatedRequest } from './costs.js';
import { findDivergence } from './divergence.js';
import type { CacheRequest, CacheSummary, Divergence } from './document.js';
import { type EarlierPrompt, isMostlyRead, toEarlierPrompt } from './earlier-prompt.js';
import { countExpectedRead, countHiddenTokens } from './expected-read.js';
import { Floors } from './floors.js';
import { describeLifetime, type Lifetime } from './lifetime.js';
import type { CacheOptions } from './options.js';
import { PathPrompts } from './path-prompts.js';
import { PiMisses } from './pi-misses.js';
import type { Preamble, Prompt } from './prompt.js';
import { readProviderReport } from './provider-report.js';
import {
  type PromptUsage,
  readPromptUsage,
  readRecordedAnswer,
  type RecordedAnswer,
  toRecordedTokens,
} from './recorded-answer.js';
import type { RecordedRead, RequestComparison } from './request-comparison.js';
import { RequestNotices } from './request-notices.js';
import { listIdleDeclarations } from './rewriting-entries.js';
import { SettingChanges } from './setting-changes.js';

/** A request of the path that was billed, or may have been. */
interface SentRequest {
  /** The answer, and its place on the path. */
  readonly head: Head;
  readonly place: number;
  readonly prompt: Prompt;
  readonly target: RequestTarget;
  /** The agent of the program that asked; null if it is not recorded. */
  readonly agent: string | null;
}

/** The newest request with a provider's token count. */
interface CountedRequest extends EarlierPrompt {
  /** Tokens that the provider said to have in its cache. */
  readonly cached: number;
  readonly time: number;
}

/** An answer with its request, and the cache that the request found. */
interface Answer extends SentRequest, RecordedAnswer {
  /** Tokens of the previous prompt of the model that had not expired. */
  readonly alive: number;
  /** Of that prompt. */
  readonly lifetime: Lifetime;
  readonly reported: ReturnType<typeof readProviderReport>;
}

/**
 * Follows a path once, and compares every request with the previous one. Costs are added later.
 *
 * At each answer, `compare` puts the request beside the previous one: what was sent (`prompts`), what the entries in between
 * changed (`settings`, `notices`), and what the provider read of its cache (`counted`, `caches`). From this comparison,
 * `findBreak` finds what broke the cache. A request that was not billed is not compared with the next one.
 */
export class CacheWalk {
  /** Reasons of entries that did not break the cache. */
  readonly idle: CacheSummary['declaredForNothing'] = [];
  /** The requests so far, with their recorded rates. */
  readonly rated: RatedRequest[] = [];
  readonly walked: ContextWalk;

  /** The request that the next one is compared with; null before the first one. */
  private previous: SentRequest | null = null;
  /** The newest record of a provider, of an earlier request than `previous` where that has none. */
  private counted: CountedRequest | null = null;
  /** Tokens of the first counted prompt that its session does not record; null before it. */
  private hidden: number | null = null;

  private readonly prompts: PathPrompts;
  private readonly caches: CachesByModel;
  private readonly settings: SettingChanges;
  private readonly notices: RequestNotices;
  private readonly misses: PiMisses;
  private readonly branches: BranchPoints;
  private readonly floors = once(() => new Floors(this.source.session, this.source.path));

  constructor(
    private readonly source: PathSource,
    private readonly options: CacheOptions,
  ) {
    const { session, path, baseline } = source;
    this.walked = walk(toLenient(session), path, { baseline });
    this.prompts = new PathPrompts(session, this.walked.replay);
    this.caches = new CachesByModel(options.retention);
    this.settings = new SettingChanges(session);
    this.notices = new RequestNotices(session);
    this.misses = new PiMisses(session);
    this.branches = new BranchPoints(session, path);
  }

  /** The lifetime of the cache that the last request left. */
  get lifetime(): Lifetime {
    return this.caches.newest;
  }

  get diagnostics(): readonly Problem[] {
    return this.walked.replay.diagnostics;
  }

  get preamble(): Preamble {
    return this.prompts.preamble;
  }

  *requests(): Generator<CacheRequest> {
    for (const step of this.walked.steps) {
      const request = this.take(step);
      if (request) yield request;
    }
    this.noteIdle();
  }

  /** Takes a step of `walked`. Returns the request that its entry answers; null for any other entry. */
  take(step: WalkStep): CacheRequest | null {
    const { head } = step;
    const request = answersRequest(head) ? this.takeAnswer(this.readAnswer(step)) : null;
    this.settings.take(step);
    if (head.type === 'usage') this.noteWarming(step);
    this.prompts.beforeStep(head);
    step.take();
    this.prompts.afterStep(head, this.previous?.prompt ?? null);
    return request;
  }

  private readAnswer({ head, entry, index: place }: WalkStep): Answer {
    const recorded = readRecordedAnswer(head, entry);
    const prompt = this.prompts.buildFor(recorded.target);
    this.hidden ??= recorded.usage && countHiddenTokens(prompt, recorded.usage);
    if (isModelRecorded(recorded.target)) this.caches.use(recorded.model);
    const { agent } = asObject(messageOf(entry));
    return {
      ...recorded,
      head,
      place,
      prompt,
      agent: asString(agent),
      alive: this.caches.aliveAt(recorded.time),
      lifetime: this.caches.newest,
      reported: readProviderReport(entry),
    };
  }

  private takeAnswer(answer: Answer): CacheRequest {
    const { model, usage, time } = answer;
    this.rated.push({ model, number: this.rated.length + 1, usage });
    const compared = this.previous && this.compare(answer, this.previous);
    if (usage) this.caches.take(usage, time);
    const request = this.buildRequest(answer, compared);
    if (!answer.isUnbilled) this.makePrevious(answer);
    return request;
  }

  private compare(now: Answer, before: SentRequest): RequestComparison {
    const { session, path } = this.source;
    const firstBetween = Math.max(before.place + 1, now.place - MOST_BETWEEN);
    return {
      session,
      before,
      now,
      divergence: this.findDivergence(before.prompt, now.prompt),
      changes: {
        rewriting: this.prompts.candidates,
        model: this.settings.modelChange,
        level: this.settings.levelChange,
        byExtension: this.settings.changedRecord,
      },
      read: this.describeRead(now),
      between: path.slice(firstBetween, now.place),
      turnOff: this.branches.findTurnOff(this.misses.findEarlier(now.head.index)),
      notices: () => this.notices.readBetween(before.head, now.head),
    };
  }

  /** The first difference of two requests. Another agent may record its tools and its prompt after it has sent them. */
  private findDivergence(before: Prompt, now: Prompt): Divergence | null {
    const found = findDivergence(before, now);
    if (!this.source.session.agent || found === null || found.section === 'messages') return found;
    return before.preamble[found.section].length === 0 ? null : found;
  }

  private describeRead(now: Answer): RecordedRead {
    const { usage, lifetime } = now;
    const hasReadMost = this.hasReadMost(now);
    return {
      earlier: this.counted,
      usage,
      hasReadMost,
      isExpired: this.isExpired(now, hasReadMost),
      lifetime: describeLifetime(lifetime.minutes, lifetime.basis),
      isPiMiss: this.misses.at(now.head.index) !== null,
      reportedReason: now.reported.providerReason?.type ?? null,
      isFloor: () => usage !== null && this.floors().has(usage),
    };
  }

  private hasReadMost({ prompt, usage }: Answer): boolean {
    if (usage === null || this.counted === null) return false;
    const shared = Math.max(this.hidden ?? 0, prompt.preamble.tokens);
    return isMostlyRead(this.counted, usage, shared);
  }

  private isExpired({ usage, alive }: Answer, hasReadMost: boolean): boolean {
    const { counted } = this;
    if (counted === null) return false;
    if (usage === null) return 2 * alive < counted.prompt;
    return isMissByAge({ before: counted, alive, usage, hasReadMost });
  }

  private buildRequest(answer: Answer, compared: RequestComparison | null): CacheRequest {
    const { head, entryId, model, prompt, time, usage, isUnbilled, alive, reported } = answer;
    const { counted } = this;
    const broken = compared === null || isUnbilled ? null : findBreak(compared);
    const missed = this.misses.at(head.index);
    const idle = counted && Math.max(0, time - counted.time);
    return {
      schema: 'ctx/cache-request',
      schemaVersion: 1,
      entryId,
      line: head.line,
      request: this.rated.length,
      time: formatTime(time),
      model,
      unbilled: isUnbilled,
      promptTokensEstimated: prompt.tokens,
      prefixTokensEstimated: compared && (compared.divergence?.prefixTokensEstimated ?? compared.before.prompt.tokens),
      expectedCacheReadEstimated: compared && this.countExpected(answer, compared, broken?.class === 'model switch'),
      recorded: usage && toRecordedTokens(usage),
      piMiss: missed === null ? null : { tokens: missed, cost: null },
      naiveMiss: usage !== null && counted !== null && usage.cacheRead < counted.cached,
      idleMilliseconds: Number.isFinite(idle) ? idle : null,
      retentionMinutes: usage && this.caches.newest.minutes,
      expiredTokens: counted && Math.max(0, counted.prompt - alive),
      break: broken,
      ...reported,
    };
  }

  /** The tokens that the request should have read; null if no earlier request has a record. */
  private countExpected(
    { usage, alive }: Answer,
    { before, divergence, read }: RequestComparison,
    isOtherModel: boolean,
  ): number | null {
    if (this.counted === null) return null;
    // Another model has no cache of the previous request.
    if (isOtherModel) return 0;
    const sent = usage?.promptTokens ?? Infinity;
    const most = read.isExpired ? Math.min(sent, alive) : sent;
    const compared = { divergence, hidden: this.hidden ?? 0, most, before: before.prompt, recorded: this.counted };
    return countExpectedRead(compared, this.options);
  }

  /** Makes this request the one to compare the next with. */
  private makePrevious({ head, place, prompt, target, agent, usage, time }: Answer): void {
    this.noteIdle();
    // The next answer is compared with the last model that is recorded.
    const asked = isModelRecorded(target) ? target : (this.previous?.target ?? target);
    this.previous = { head, place, prompt, target: asked, agent };
    if (usage) this.counted = toCountedRequest(usage, this.counted, time);
    this.prompts.candidates = [];
    this.settings.startOver();
    this.notices.startAt(head);
  }

  /** Notes a call that only kept the cache warm. */
  private noteWarming({ head, entry }: WalkStep): void {
    const usage = entry.kind === 'cache_warm' ? readPromptUsage(this.source.session.usage(head)) : null;
    if (!usage) return;
    this.counted = { ...toCountedRequest(usage, this.counted, head.time), reportedCache: true };
    this.caches.take(usage, head.time);
  }

  private noteIdle(): void {
    for (const declaration of listIdleDeclarations(this.prompts.candidates)) this.idle.push(declaration);
  }
}

/** The entries between two requests that a break names. */
const MOST_BETWEEN = 20;

function toCountedRequest(usage: PromptUsage, before: EarlierPrompt | null, time: number): CountedRequest {
  return { ...toEarlierPrompt(usage, before), cached: usage.cacheRead + usage.cacheWrite, time };
}
