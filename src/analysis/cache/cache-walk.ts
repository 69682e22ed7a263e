import type { Problem } from '#base/errors.js';
import { asObject, asString } from '#base/json.js';
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
import { CacheReads, type FoundCache } from './cache-reads.js';
import type { RatedRequest } from './costs.js';
import { findDivergence } from './divergence.js';
import type { CacheRequest, CacheSummary, Divergence } from './document.js';
import type { Lifetime } from './lifetime.js';
import type { CacheOptions } from './options.js';
import { PathPrompts } from './path-prompts.js';
import { PiMisses } from './pi-misses.js';
import type { Preamble, Prompt } from './prompt.js';
import { type ProviderReport, readProviderReport } from './provider-report.js';
import { readPromptUsage, readRecordedAnswer, type RecordedAnswer, toRecordedTokens } from './recorded-answer.js';
import type { RequestComparison } from './request-comparison.js';
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

/** An answer with its request, and the cache that the request found. */
interface Answer extends SentRequest, RecordedAnswer, FoundCache {
  readonly reported: ProviderReport;
}

/**
 * Follows a path once, and compares every request with the previous one. Costs are added later.
 *
 * At each answer, `compare` puts the request beside the previous one: what was sent (`prompts`), what the entries in between
 * changed (`settings`, `notices`), and what the provider read of its cache (`reads`). From this comparison, `findBreak`
 * finds what broke the cache. A request that was not billed is not compared with the next one.
 */
export class CacheWalk {
  /** Reasons of entries that did not break the cache. */
  readonly idle: CacheSummary['declaredForNothing'] = [];
  /** The requests so far, with their recorded rates. */
  readonly rated: RatedRequest[] = [];
  readonly walked: ContextWalk;

  /** The request that the next one is compared with; null before the first one. */
  private previous: SentRequest | null = null;

  private readonly prompts: PathPrompts;
  private readonly reads: CacheReads;
  private readonly settings: SettingChanges;
  private readonly notices: RequestNotices;
  private readonly misses: PiMisses;
  private readonly branches: BranchPoints;

  constructor(
    private readonly source: PathSource,
    options: CacheOptions,
  ) {
    const { session, path, baseline } = source;
    this.walked = walk(toLenient(session), path, { baseline });
    this.prompts = new PathPrompts(session, this.walked.replay);
    this.reads = new CacheReads(source, options);
    this.settings = new SettingChanges(session);
    this.notices = new RequestNotices(session);
    this.misses = new PiMisses(session);
    this.branches = new BranchPoints(session, path);
  }

  /** The lifetime of the cache that the last request left. */
  get lifetime(): Lifetime {
    return this.reads.lifetime;
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
    const { agent } = asObject(messageOf(entry));
    const cache = this.reads.findCache(recorded, prompt);
    return { ...recorded, ...cache, head, place, prompt, agent: asString(agent), reported: readProviderReport(entry) };
  }

  private takeAnswer(answer: Answer): CacheRequest {
    const { model, usage, time } = answer;
    this.rated.push({ model, number: this.rated.length + 1, usage });
    const compared = this.previous && this.compare(answer, this.previous);
    if (usage) this.reads.readCache(usage, time);
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
      read: {
        ...this.reads.compare(now),
        isPiMiss: this.misses.at(now.head.index) !== null,
        reportedReason: now.reported.providerReason?.type ?? null,
      },
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

  private buildRequest(answer: Answer, compared: RequestComparison | null): CacheRequest {
    const { head, entryId, model, prompt, time, usage, isUnbilled, alive, reported } = answer;
    const { counted, lifetime } = this.reads;
    const broken = compared === null || isUnbilled ? null : findBreak(compared);
    const isOtherModel = broken?.class === 'model switch';
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
      expectedCacheReadEstimated: compared && this.reads.countExpected(answer, compared, isOtherModel),
      recorded: usage && toRecordedTokens(usage),
      piMiss: missed === null ? null : { tokens: missed, cost: null },
      naiveMiss: usage !== null && counted !== null && usage.cacheRead < counted.cached,
      idleMilliseconds: Number.isFinite(idle) ? idle : null,
      retentionMinutes: usage && lifetime.minutes,
      expiredTokens: counted && Math.max(0, counted.prompt - alive),
      break: broken,
      ...reported,
    };
  }

  /** Makes this request the one to compare the next with. */
  private makePrevious({ head, place, prompt, target, agent, usage, time }: Answer): void {
    this.noteIdle();
    // The next answer is compared with the last model that is recorded.
    const lastTarget = isModelRecorded(target) ? target : (this.previous?.target ?? target);
    this.previous = { head, place, prompt, target: lastTarget, agent };
    if (usage) this.reads.count(usage, time);
    this.prompts.candidates = [];
    this.settings.startOver();
    this.notices.startAt(head);
  }

  /** Notes a call that only kept the cache warm. */
  private noteWarming({ head, entry }: WalkStep): void {
    const usage = entry.kind === 'cache_warm' ? readPromptUsage(this.source.session.usage(head)) : null;
    if (usage) this.reads.warm(usage, head.time);
  }

  private noteIdle(): void {
    for (const declaration of listIdleDeclarations(this.prompts.candidates)) this.idle.push(declaration);
  }
}

/** The entries between two requests that a break names. */
const MOST_BETWEEN = 20;
