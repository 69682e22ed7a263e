import type { Problem } from '#base/errors.js';
import { asString, isObject } from '#base/json.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { type Target, targetOf } from '#context/request/wire-messages.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { Branches } from './branches.js';
import { breakOf, idleDeclarations } from './cause.js';
import { divergenceOf, type Preamble, type Prompt } from './prompt.js';
import { PathPrompts } from './prompts.js';
import {
  asBefore,
  type EarlierPrompt,
  expectedRead,
  hiddenTokens,
  missesByPi,
  promptUsage,
  type PromptUsage,
} from './recorded.js';
import type { CacheBreak, CacheOptions, CacheRequest, IdleDeclaration } from './request.js';

/** What prompts are made of. */
export interface CacheSource {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
}

/** The newest request that was billed, or may have been. */
interface Sent {
  readonly prompt: Prompt;
  readonly target: Target;
  readonly level: string;
}

/** The newest request whose tokens a provider reported. */
interface Recorded extends EarlierPrompt {
  readonly known: number;
  readonly time: number;
}

/** A request as its entry tells it. */
interface Answer extends Sent {
  readonly head: Head;
  readonly usage: PromptUsage | null;
  readonly time: number;
  readonly isUnbilled: boolean;
}

const MINUTE = 60_000;

/** Follows a path once, and says of every request on it what it could use of the one before it. Costs are not known yet. */
export class CacheWalk {
  /** Reasons that were declared for nothing. */
  readonly idle: IdleDeclaration[] = [];
  private readonly walked: ContextWalk;
  private readonly prompts: PathPrompts;
  private readonly misses: ReadonlyMap<number, number>;
  private readonly branches: Branches;
  private before: Sent | null = null;
  private recorded: Recorded | null = null;
  private number = 0;
  private level = 'off';
  private levelChange: Head | null = null;
  private modelChange: Head | null = null;
  private hidden: number | null = null;

  constructor(
    private readonly source: CacheSource,
    private readonly options: CacheOptions,
  ) {
    const { session, path, readPatch, baseline } = source;
    this.walked = walk(session, path, { readPatch, baseline, lenient: true });
    this.prompts = new PathPrompts(session, this.walked.replay);
    this.misses = missesByPi(session);
    this.branches = new Branches(session, path);
  }

  /** What was noted on the way. */
  get diagnostics(): readonly Problem[] {
    return this.walked.replay.diagnostics;
  }

  /** Tools and system prompt at the end of the path. */
  get preamble(): Preamble {
    return this.prompts.preamble;
  }

  *requests(): Generator<CacheRequest> {
    for (const step of this.walked.steps) {
      const { head } = step;
      if (head.role === 'assistant') yield this.take(this.answer(step));
      else if (NOTED.has(head.type)) this.note(step);
      this.prompts.beforeStep(head);
      step.take();
      this.prompts.afterStep(head, this.before?.prompt ?? null);
    }
    this.noteIdle();
  }

  private note({ head, entry }: WalkStep): void {
    if (head.type === 'model_change') this.modelChange = head;
    if (head.type === 'thinking_level_change') {
      this.level = asString(entry['thinkingLevel']) ?? 'off';
      this.levelChange = head;
    }
    if (head.type !== 'usage' || entry['kind'] !== 'cache_warm') return;
    const usage = promptUsage(this.source.session.usage(head));
    if (usage) this.recorded = { ...recordedOf(usage, this.recorded, head.time), reportedCache: true };
  }

  private answer({ head, entry }: WalkStep): Answer {
    const message = isObject(entry['message']) ? entry['message'] : {};
    const { timestamp, stopReason } = message;
    const target = targetOf(message);
    const usage = promptUsage(isObject(message['usage']) ? message['usage'] : null);
    return {
      head,
      target,
      prompt: this.prompts.sentTo(target),
      level: this.level,
      usage,
      time: typeof timestamp === 'number' ? timestamp : head.time,
      isUnbilled: usage === null && (stopReason === 'error' || stopReason === 'aborted'),
    };
  }

  private take(answer: Answer): CacheRequest {
    const { head, prompt, target, usage, time, isUnbilled } = answer;
    const { before, recorded } = this;
    this.number += 1;
    const divergence = before && divergenceOf(before.prompt, prompt);
    const broken = before === null || isUnbilled ? null : this.breakAt(answer, before);
    const isKept = broken?.class !== 'model switch' && !this.isLate(time);
    this.hidden ??= usage && hiddenTokens(prompt, usage);
    const known = { divergence, hidden: this.hidden ?? 0, most: usage?.prompt ?? Infinity };
    const request: CacheRequest = {
      entryId: idText(head.id),
      line: head.line,
      number: this.number,
      time,
      model: `${target.provider ?? '?'}/${target.model ?? '?'}`,
      isUnbilled,
      prompt: prompt.tokens,
      prefix: before && (divergence?.tokens ?? before.prompt.tokens),
      expectedRead:
        before && recorded && (isKept ? expectedRead({ ...known, before: before.prompt, recorded }, this.options) : 0),
      usage,
      piMiss: this.misses.get(head.index) ?? null,
      piMissCost: null,
      isNaiveMiss: usage !== null && recorded !== null && usage.cacheRead < recorded.known,
      idle: recorded && Math.max(0, time - recorded.time),
      broken,
    };
    if (!isUnbilled) this.settle(answer);
    return request;
  }

  private breakAt({ head, prompt, target, level, usage, time }: Answer, before: Sent): CacheBreak | null {
    return breakOf({
      session: this.source.session,
      before,
      now: { prompt, target },
      divergence: divergenceOf(before.prompt, prompt),
      candidates: this.prompts.candidates,
      modelChange: this.modelChange,
      levelChange: level === before.level ? null : this.levelChange,
      recorded: this.recorded,
      usage,
      isLate: this.isLate(time),
      turnOff: this.branches.turnOff(head),
      piMiss: this.misses.get(head.index) ?? null,
    });
  }

  private isLate(time: number): boolean {
    return this.recorded !== null && time - this.recorded.time >= this.options.retention * MINUTE;
  }

  /** The next request is compared with this one. */
  private settle({ prompt, target, level, usage, time }: Answer): void {
    this.noteIdle();
    this.before = { prompt, target, level };
    if (usage) this.recorded = recordedOf(usage, this.recorded, time);
    this.prompts.candidates = [];
    this.modelChange = null;
    this.levelChange = null;
  }

  private noteIdle(): void {
    for (const declaration of idleDeclarations(this.prompts.candidates)) this.idle.push(declaration);
  }
}

const NOTED: ReadonlySet<string | null> = new Set(['model_change', 'thinking_level_change', 'usage']);

function recordedOf(usage: PromptUsage, before: EarlierPrompt | null, time: number): Recorded {
  return { ...asBefore(usage, before), known: usage.cacheRead + usage.cacheWrite, time };
}
