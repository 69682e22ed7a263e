import type { Problem } from '#base/errors.js';
import { asObject, asString } from '#base/json.js';
import { once } from '#base/memoize.js';
import { formatTime } from '#base/time.js';
import type { PathSource } from '#context/open.js';
import { initialThinkingLevel } from '#context/replay/settings.js';
import { toLenient } from '#context/replayable.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { messageOf } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { answersRequest } from '#session/tree/turns.js';
import { readRequestRecord } from '../sent-requests/request-record.js';
import { BranchPoints } from './branch-points.js';
import {
  type BreakContext,
  findBreak,
  isModelRecorded,
  isMostlyRead,
  listIdleDeclarations,
  type RequestNotice,
} from './cause.js';
import type { RatedRequest } from './costs.js';
import { findDivergence } from './divergence.js';
import type { CacheBreak, CacheRequest, CacheSummary, Divergence } from './document.js';
import { countExpectedRead, countHiddenTokens } from './expected-read.js';
import { Floors } from './floors.js';
import { CacheLife, describeLifetime, isMissByAge, type Lifetime } from './lifetime.js';
import type { CacheOptions } from './options.js';
import { PathPrompts } from './path-prompts.js';
import { type EarlierPrompt, PiMisses, toEarlierPrompt } from './pi-misses.js';
import type { Preamble, Prompt } from './prompt.js';
import { readProviderReport } from './provider-report.js';
import {
  type PromptUsage,
  readAnswer,
  readUsageOfPrompt,
  type RecordedAnswer,
  toRecordedTokens,
} from './recorded-answer.js';

/** The newest request that was billed, or may have been. */
interface SentRequest {
  readonly prompt: Prompt;
  readonly target: RequestTarget;
  readonly level: string;
  /** The agent of the program that asked; null if it is not recorded. */
  readonly agent: string | null;
}

/** The newest request with a provider's token count. */
interface Recorded extends EarlierPrompt {
  readonly known: number;
  readonly time: number;
}

interface Answer extends SentRequest, RecordedAnswer {
  readonly head: Head;
  /** Its position on the path. */
  readonly place: number;
  /** Tokens of the previous prompt of the model that had not expired. */
  readonly alive: number;
  /** Of that prompt. */
  readonly lifetime: Lifetime;
  readonly reported: ReturnType<typeof readProviderReport>;
}

/** Follows a path once, and compares every request with the previous one. Costs are added later. */
export class CacheWalk {
  /** Reasons of entries that did not break the cache. */
  readonly idle: CacheSummary['declaredForNothing'] = [];
  /** The requests so far, with their recorded rates. */
  readonly rated: RatedRequest[] = [];
  readonly walked: ContextWalk;
  private readonly prompts: PathPrompts;
  private readonly misses: PiMisses;
  private readonly branches: BranchPoints;
  /** The caches of each model. */
  private readonly lives = new Map<string, CacheLife>();
  private life: CacheLife;
  private before: SentRequest | null = null;
  private recorded: Recorded | null = null;
  private level: string;
  private levelChange: Head | null = null;
  private modelChange: Head | null = null;
  private hidden: number | null = null;
  /** The record of an extension's changes to the next request, and those to the previous one. */
  private differing: { readonly head: Head; readonly text: string } | null = null;
  private differedBefore: string | null = null;
  /** The answer that the next request is compared with. */
  private settled: Pick<Answer, 'head' | 'place'> | null = null;
  /** The entry from which on circumstances count: the first answer, or that of the newest break. */
  private noticedFrom: Head | null = null;
  private noticedBytes = 0;
  private readonly floors = once(() => new Floors(this.source.session, this.source.path));

  constructor(
    private readonly source: PathSource,
    private readonly options: CacheOptions,
  ) {
    const { session, path, baseline } = source;
    this.walked = walk(toLenient(session), path, { baseline });
    this.prompts = new PathPrompts(session, this.walked.replay);
    this.misses = new PiMisses(session);
    this.level = initialThinkingLevel(session);
    this.branches = new BranchPoints(session, path);
    this.life = new CacheLife(options.retention);
  }

  /** The lifetime of the cache that the last request left. */
  get lifetime(): Lifetime {
    return this.life.newest;
  }

  get diagnostics(): readonly Problem[] {
    return this.walked.replay.diagnostics;
  }

  get preamble(): Preamble {
    return this.prompts.preamble;
  }

  /** Takes a step of `walked`. Returns the request that its entry answers; null for any other entry. */
  take(step: WalkStep): CacheRequest | null {
    const { head } = step;
    const request = answersRequest(head) ? this.requestOf(this.answer(step)) : null;
    if (NOTED.has(head.type)) this.note(step);
    this.prompts.beforeStep(head);
    step.take();
    this.prompts.afterStep(head, this.before?.prompt ?? null);
    return request;
  }

  *requests(): Generator<CacheRequest> {
    for (const step of this.walked.steps) {
      const request = this.take(step);
      if (request) yield request;
    }
    this.noteIdle();
  }

  private note({ head, entry }: WalkStep): void {
    if (head.type === 'custom') {
      const differs = readRequestRecord(entry)?.differs;
      if (differs) this.differing = { head, text: JSON.stringify(differs) };
    }
    if (head.type === 'model_change') this.modelChange = head;
    if (entry.type === 'thinking_level_change') {
      this.level = asString(entry.thinkingLevel) ?? 'off';
      this.levelChange = head;
    }
    if (entry.type !== 'usage' || entry.kind !== 'cache_warm') return;
    const usage = readUsageOfPrompt(this.source.session.usage(head));
    if (!usage) return;
    this.recorded = { ...toRecorded(usage, this.recorded, head.time), reportedCache: true };
    this.life.take(usage, head.time);
  }

  private answer({ head, entry, index: place }: WalkStep): Answer {
    const recorded = readAnswer(head, entry);
    const prompt = this.prompts.sentTo(recorded.target);
    this.hidden ??= recorded.usage && countHiddenTokens(prompt, recorded.usage);
    if (isModelRecorded(recorded.target)) this.life = this.lifeOf(recorded.model);
    const alive = this.life.aliveAt(recorded.time);
    const lifetime = this.life.newest;
    const { agent: answering } = asObject(messageOf(entry));
    const agent = asString(answering);
    return {
      ...recorded,
      head,
      place,
      prompt,
      alive,
      lifetime,
      agent,
      level: this.level,
      reported: readProviderReport(entry),
    };
  }

  private lifeOf(model: string): CacheLife {
    const life = this.lives.get(model) ?? new CacheLife(this.options.retention);
    this.lives.set(model, life);
    return life;
  }

  private requestOf(answer: Answer): CacheRequest {
    const { head, entryId, model, prompt, time, usage, isUnbilled, alive, reported } = answer;
    const { before, recorded, rated } = this;
    rated.push({ model, number: rated.length + 1, usage });
    const divergence = before && this.divergence(before.prompt, prompt);
    const broken = before === null || isUnbilled ? null : findBreak(this.contextOf(answer, before, divergence));
    const idle = recorded && Math.max(0, time - recorded.time);
    if (usage) this.life.take(usage, time);
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
      prefixTokensEstimated: before && (divergence?.prefixTokensEstimated ?? before.prompt.tokens),
      expectedCacheReadEstimated: this.expectedAt(answer, divergence, broken),
      recorded: usage && toRecordedTokens(usage),
      piMiss: this.missAt(head),
      naiveMiss: usage !== null && recorded !== null && usage.cacheRead < recorded.known,
      idleMilliseconds: Number.isFinite(idle) ? idle : null,
      retentionMinutes: usage && this.life.newest.minutes,
      expiredTokens: recorded && Math.max(0, recorded.prompt - alive),
      break: broken,
      ...reported,
    };
    if (!isUnbilled) this.settle(answer);
    return request;
  }

  /** The first difference of two requests. Another agent may record its tools and its prompt after it has sent them. */
  private divergence(before: Prompt, now: Prompt): Divergence | null {
    const found = findDivergence(before, now);
    if (!this.source.session.agent || found === null || found.section === 'messages') return found;
    return before.preamble[found.section].length === 0 ? null : found;
  }

  /** null if no earlier request has a record. */
  private expectedAt(answer: Answer, divergence: Divergence | null, broken: CacheBreak | null): number | null {
    const { before, recorded } = this;
    if (before === null || recorded === null) return null;
    if (broken?.class === 'model switch') return 0;
    const hidden = this.hidden ?? 0;
    const sent = answer.usage?.promptTokens ?? Infinity;
    const most = this.isExpired(answer) ? Math.min(sent, answer.alive) : sent;
    return countExpectedRead({ divergence, hidden, most, before: before.prompt, recorded }, this.options);
  }

  private contextOf(now: Answer, before: SentRequest, divergence: Divergence | null): BreakContext {
    return {
      session: this.source.session,
      before,
      now,
      divergence,
      candidates: this.prompts.candidates,
      modelChange: this.modelChange,
      levelChange: now.level === before.level ? null : this.levelChange,
      recorded: this.recorded,
      usage: now.usage,
      changedRecord: this.differing?.text === this.differedBefore ? null : (this.differing?.head ?? null),
      isExpired: this.isExpired(now),
      lifetime: describeLifetime(now.lifetime.minutes, now.lifetime.basis),
      hasReadMost: this.hasReadMost(now),
      turnOff: this.branches.turnOff(this.misses.comparedWith(now.head.index)),
      isPiMiss: this.misses.at(now.head.index) !== null,
      between: this.source.path.slice(Math.max((this.settled?.place ?? -1) + 1, now.place - MOST_BETWEEN), now.place),
      reportedReason: now.reported.providerReason?.type ?? null,
      notices: () => this.noticesAt(now.head),
      isFloor: () => now.usage !== null && this.floors().has(now.usage),
    };
  }

  /** The circumstances of a request that its file records beside the messages. */
  private noticesAt(now: Head): readonly RequestNotice[] {
    const { session } = this.source;
    const before = this.settled?.head;
    const first = this.noticedFrom ?? before;
    if (!session.notices || !before || !first) return [];
    this.noticedBytes += Math.max(0, now.offset - first.offset);
    this.noticedFrom = now;
    // The entries of a damaged file may lead back and forth.
    if (this.noticedBytes > 2 * session.source.size) return [];
    return session.notices(first, before, now).map((notice) => {
      return { ...notice, entryId: formatId(findHeadAtLine(session, notice.line)?.id) };
    });
  }

  /** A miss by Pi's own rule, without a price yet. */
  private missAt({ index }: Head): CacheRequest['piMiss'] {
    const tokens = this.misses.at(index);
    return tokens === null ? null : { tokens, cost: null };
  }

  private isExpired(answer: Answer): boolean {
    const { recorded } = this;
    const { usage, alive } = answer;
    if (recorded === null) return false;
    if (usage === null) return 2 * alive < recorded.prompt;
    return isMissByAge({ before: recorded, alive, usage, hasReadMost: this.hasReadMost(answer) });
  }

  private hasReadMost({ prompt, usage }: Answer): boolean {
    const shared = Math.max(this.hidden ?? 0, prompt.preamble.tokens);
    return usage !== null && this.recorded !== null && isMostlyRead(this.recorded, usage, shared);
  }

  /** Makes this request the one to compare the next with. */
  private settle(answer: Answer): void {
    const { prompt, target, level, agent, usage, time, head } = answer;
    this.noteIdle();
    this.settled = { head, place: answer.place };
    this.noticedFrom ??= head;
    // The next answer is compared with the last model that is recorded.
    this.before = { prompt, target: isModelRecorded(target) ? target : (this.before?.target ?? target), level, agent };
    if (usage) this.recorded = toRecorded(usage, this.recorded, time);
    this.prompts.candidates = [];
    this.modelChange = null;
    this.levelChange = null;
    this.differedBefore = this.differing?.text ?? null;
    this.differing = null;
  }

  private noteIdle(): void {
    for (const declaration of listIdleDeclarations(this.prompts.candidates)) this.idle.push(declaration);
  }
}

/** The entries between two requests that a break names. */
const MOST_BETWEEN = 20;

const NOTED: ReadonlySet<string | null> = new Set(['custom', 'model_change', 'thinking_level_change', 'usage']);

function toRecorded(usage: PromptUsage, before: EarlierPrompt | null, time: number): Recorded {
  return { ...toEarlierPrompt(usage, before), known: usage.cacheRead + usage.cacheWrite, time };
}
