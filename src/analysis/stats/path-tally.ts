import type { Problem } from '#base/errors.js';
import { toLenient } from '#context/lenient.js';
import { buildComposition, type Composition } from '#context/size/composition.js';
import { measureContextSize } from '#context/size/context-size.js';
import { type ContextTokens, toContextTokens } from '#context/size/counted-size.js';
import { measureScale, type SizeScale } from '#context/size/split-size.js';
import type { TokenMethod } from '#context/size/tokens.js';
import type { PathSource } from '#context/walk.js';
import { type ContextWalk, walk, type WalkStep } from '#context/walk.js';
import { messageOf } from '#session/entry.js';
import { answersRequest } from '#session/tree/turns.js';
import { isClaudeAnswer, readRecordedPrompt, type Sample } from './calibration.js';

/** A request of the active path with a provider's count of its prompt. */
export interface RequestSample extends Sample {
  /** The index of the assistant's entry in the file. */
  readonly index: number;
  readonly isOfClaude: boolean;
}

/** The size of the context at the leaf, and what it consists of. */
export interface MeasuredContext {
  readonly size: ContextTokens;
  readonly composition: Omit<Composition, 'messages'>;
  readonly scale: SizeScale;
  /** The tokens of the whole context, as the method counts them. */
  readonly tokensEstimated: number;
}

/** A path to measure, and the method that estimates its tokens. */
export interface MeasuredPath extends PathSource {
  readonly method: TokenMethod;
}

/**
 * Measures the active path in one walk: each request whose prompt a provider counted, beside its estimate, and the
 * context at the leaf.
 */
export class PathTally {
  readonly samples: RequestSample[] = [];
  readonly walked: ContextWalk;

  constructor(private readonly source: MeasuredPath) {
    const { session, path } = source;
    this.walked = walk(toLenient(session), path, source);
  }

  /** Takes a step of `walked`, before its entry is replayed. */
  take({ head, entry, replay }: WalkStep): void {
    const message = answersRequest(head) ? messageOf(entry) : null;
    const recorded = message && readRecordedPrompt(message);
    if (message === null || recorded === null) return;
    const { declared, messages } = replay.countParts();
    this.samples.push({
      index: head.index,
      recorded,
      estimated: declared + messages,
      isOfClaude: isClaudeAnswer(message),
    });
  }

  /** The diagnostics of the replay, except notes. */
  get diagnostics(): readonly Problem[] {
    return this.walked.replay.diagnostics.filter(({ severity }) => severity !== 'note');
  }

  /** Whether the session, or a baseline, has the prompt and the tools. */
  get isPreambleKnown(): boolean {
    return this.walked.replay.isPreambleKnown;
  }

  /** Measures the context at the leaf. Call it after the walk. */
  measureContext(): MeasuredContext {
    const { session, path, baseline, method } = this.source;
    const { replay } = this.walked;
    const context = { session: toLenient(session), path, options: { baseline, method } };
    const size = measureContextSize(context, replay);
    const estimate = replay.countTokens();

    const { system, tools } = replay.declared();
    const contents = {
      system: system.parts,
      tools,
      sentTools: replay.declaredAsSent().tools,
      cached: replay.messages.weighSent(),
      uncached: [],
    };
    // The sums are kept for many sessions at once, and need no list of their messages.
    const { messages: _, ...composition } = buildComposition(contents, { size, estimate, method });
    return {
      size: toContextTokens(size),
      composition,
      scale: measureScale(size, estimate),
      tokensEstimated: estimate.total,
    };
  }
}
