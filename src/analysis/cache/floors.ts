import { findFirstPast } from '#base/lists.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { countMissedTokens } from './earlier-prompt.js';
import { NOISE_TOKENS } from './options.js';
import { type PromptUsage, readPromptUsage } from './recorded-answer.js';

/** The share by which two reads of the same tools and prompt may differ: these contain a date, or a changed list. */
const TOLERANCE = 0.05;

/**
 * Finds the requests of a path that read tools and prompt but no messages: the first one, and those that missed the
 * rest. They read about the same number of tokens, which is the floor of the session.
 */
export class Floors {
  /** The tokens that these requests read, in increasing order. */
  private readonly reads: readonly number[];
  /** The first prompt holds all of the tools and the prompt. */
  private readonly most: number;

  constructor(session: Session, path: readonly Head[]) {
    let before: PromptUsage | null = null;
    let first: PromptUsage | null = null;
    const reads: number[] = [];
    for (const head of path) {
      const usage = answersRequest(head) ? readPromptUsage(session.usage(head)) : null;
      if (usage === null) continue;
      const earlier = before && { prompt: before.promptTokens, reportedCache: true };
      if (usage.cacheRead > 0 && (earlier === null || countMissedTokens(earlier, usage) !== null))
        reads.push(usage.cacheRead);
      first ??= usage;
      before = usage;
    }
    this.reads = reads.toSorted((a, b) => a - b);
    this.most = (first?.promptTokens ?? 0) + NOISE_TOKENS;
  }

  /** Whether a request that missed read about the tokens of another one, and no more than the first prompt. */
  has({ cacheRead }: Pick<PromptUsage, 'cacheRead'>): boolean {
    if (cacheRead === 0 || cacheRead > this.most) return false;
    const near = Math.min(NOISE_TOKENS, cacheRead * TOLERANCE);
    const from = findFirstPast(this.reads.length, (at) => (this.reads[at] ?? 0) >= cacheRead - near);
    // It is one of them itself.
    return (this.reads[from + 1] ?? Infinity) <= cacheRead + near;
  }
}
