import type { Problem } from '#base/errors.js';
import { asObject, asString } from '#base/json.js';
import { once } from '#base/memoize.js';
import { formatTime } from '#base/time.js';
import type { PathSource } from '#context/open.js';
import { toLenient } from '#context/replayable.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { BranchPoints } from './branch-points.js';
import { CachesByModel } from './caches-by-model.js';
import { type BreakContext, findBreak, isModelRecorded, isMostlyRead, listIdleDeclarations } from './cause.js';
import type { RatedRequest } from './costs.js';
import { findDivergence } from './divergence.js';
import type { CacheBreak, CacheRequest, CacheSummary, Divergence } from './document.js';
import { countExpectedRead, countHiddenTokens } from './expected-read.js';
import { Floors } from './floors.js';
import { describeLifetime, isMissByAge, type Lifetime } from './lifetime.js';
import type { CacheOptions } from './options.js';
import { PathPrompts } from './path-prompts.js';
import { type EarlierPrompt, PiMisses, toEarlierPrompt } from './pi-misses.js';
import type { Preamble, Prompt } from './prompt.js';
import { readProviderReport } from './provider-report.js';
import {
  type PromptUsage,
  readPromptUsage,
  readRecordedAnswer,
  type RecordedAnswer,
  toRecordedTokens,
} from './recorded-answer.js';
import { RequestNotices } from './request-notices.js';
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
 * At each answer, `prompts` has the request that was sent, `previous` the one before it, and `counted` the newest one whose
 * tokens are recorded. `caches` tells how much of that had not expired. What changed in between is in `settings`, in the
 * rewriting entries of `prompts` and in `notices`. From all of this, `findBreak` finds what broke the cache. A request that
 * was not billed is not compared with the next one.
 */
export class CacheWalk {
  /** Reasons of entries that did not break the cache. */
  readonly idle: CacheSummary['declaredForNothing'] = [];
  /** The requests so far, with their recorded rates. */
  readonly rated: RatedRequest[] = [];
  readonly walked: ContextWalk;
  private previous: SentRequest | null = null;
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
    const request = answersRequest(head) ? this.compareRequest(this.readAnswer(step)) : null;
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

  private compareRequest(answer: Answer): CacheRequest {
    const { head, entryId, model, prompt, time, usage, isUnbilled, alive, reported } = answer;
    const { previous, counted, rated } = this;
    rated.push({ model, number: rated.length + 1, usage });
    const divergence = previous && this.findDivergence(previous.prompt, prompt);
    const broken = previous === null || isUnbilled ? null : findBreak(this.toContext(answer, previous, divergence));
    const idle = counted && Math.max(0, time - counted.time);
    if (usage) this.caches.take(usage, time);
    const missed = this.misses.at(head.index);
    const request: CacheRequest = {
      schema: 'ctx/cache-request',
      schemaVersion: 1,
      entryId,
      line: head.line,
      request: rated.length,
      time: formatTime(time),
      model,
      unbilled: isUnbilled,
      promptTokensEstimated: prompt.tokens,
      prefixTokensEstimated: previous && (divergence?.prefixTokensEstimated ?? previous.prompt.tokens),
      expectedCacheReadEstimated: this.countExpected(answer, divergence, broken),
      recorded: usage && toRecordedTokens(usage),
      piMiss: missed === null ? null : { tokens: missed, cost: null },
      naiveMiss: usage !== null && counted !== null && usage.cacheRead < counted.cached,
      idleMilliseconds: Number.isFinite(idle) ? idle : null,
      retentionMinutes: usage && this.caches.newest.minutes,
      expiredTokens: counted && Math.max(0, counted.prompt - alive),
      break: broken,
      ...reported,
    };
    if (!isUnbilled) this.settle(answer);
    return request;
  }

  /** The first difference of two requests. Another agent may record its tools and its prompt after it has sent them. */
  private findDivergence(before: Prompt, now: Prompt): Divergence | null {
    const found = findDivergence(before, now);
    if (!this.source.session.agent || found === null || found.section === 'messages') return found;
    return before.preamble[found.section].length === 0 ? null : found;
  }

  /** The tokens that the request should have read; null if no earlier request has a record. */
  private countExpected(answer: Answer, divergence: Divergence | null, broken: CacheBreak | null): number | null {
    const { previous, counted } = this;
    if (previous === null || counted === null) return null;
    if (broken?.class === 'model switch') return 0;
    const sent = answer.usage?.promptTokens ?? Infinity;
    const most = this.isExpired(answer) ? Math.min(sent, answer.alive) : sent;
    const compared = { divergence, hidden: this.hidden ?? 0, most, before: previous.prompt, recorded: counted };
    return countExpectedRead(compared, this.options);
  }

  private toContext(now: Answer, before: SentRequest, divergence: Divergence | null): BreakContext {
    const { head, usage } = now;
    return {
      session: this.source.session,
      before,
      now,
      divergence,
      candidates: this.prompts.candidates,
      modelChange: this.settings.modelChange,
      levelChange: this.settings.levelChange,
      recorded: this.counted,
      usage,
      changedRecord: this.settings.changedRecord,
      isExpired: this.isExpired(now),
      lifetime: describeLifetime(now.lifetime.minutes, now.lifetime.basis),
      hasReadMost: this.hasReadMost(now),
      turnOff: this.branches.findTurnOff(this.misses.findEarlier(head.index)),
      isPiMiss: this.misses.at(head.index) !== null,
      between: this.source.path.slice(Math.max(before.place + 1, now.place - MOST_BETWEEN), now.place),
      reportedReason: now.reported.providerReason?.type ?? null,
      notices: () => this.notices.readBetween(before.head, head),
      isFloor: () => usage !== null && this.floors().has(usage),
    };
  }

  private isExpired(answer: Answer): boolean {
    const { counted } = this;
    const { usage, alive } = answer;
    if (counted === null) return false;
    if (usage === null) return 2 * alive < counted.prompt;
    return isMissByAge({ before: counted, alive, usage, hasReadMost: this.hasReadMost(answer) });
  }

  private hasReadMost({ prompt, usage }: Answer): boolean {
    const shared = Math.max(this.hidden ?? 0, prompt.preamble.tokens);
    return usage !== null && this.counted !== null && isMostlyRead(this.counted, usage, shared);
  }

  /** Makes this request the one to compare the next with. */
  private settle({ head, place, prompt, target, agent, usage, time }: Answer): void {
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
