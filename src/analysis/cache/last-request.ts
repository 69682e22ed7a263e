import { findSettings } from '#context/replay/settings.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { CacheLife } from './cache-life.js';
import { readRecordedAnswer, type RecordedAnswer } from './recorded-answer.js';

/** The prices of an uncached and of a cached token, in one unit. */
export interface TokenPrices {
  readonly paid: number;
  readonly read: number;
}

/** The newest request of a path, whose prompt may still be cached. */
export interface LastRequest {
  readonly target: RequestTarget;
  /** The time of the last use of the cache, in milliseconds since 1970; NaN if unknown. */
  readonly time: number;
  /** The cache that it left, as far as the newest answers of its model tell. */
  readonly life: CacheLife;
  /** Whether the next request goes to another model, which has no cache of it. */
  readonly isOtherModelNow: boolean;
  /**
   * The newest prices of that model in dollars; null if the session does not record both, or records that it is free.
   */
  readonly prices: TokenPrices | null;
}

/** null for a path without a request that may have been billed. */
export function findLastRequest(session: Session, path: readonly Head[]): LastRequest | null {
  /** The time of the last call after that request that kept the cache warm. */
  let lastWarming = -Infinity;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head || (!answersRequest(head) && head.type !== 'usage')) continue;
    const entry = session.entry(head);
    if (entry.type === 'usage') {
      if (entry.kind === 'cache_warm') lastWarming = Math.max(lastWarming, head.time || -Infinity);
      continue;
    }
    const { target, time, isUnbilled } = readRecordedAnswer(head, entry);
    if (isUnbilled) continue;
    const { model } = findSettings(session, path);
    const answers = listNewestAnswers(session, path.slice(0, at + 1), target);
    return {
      target,
      time: Math.max(time, lastWarming),
      life: buildLife(answers, { time, lastWarming }),
      isOtherModelNow:
        model?.provider !== (target.provider ?? undefined) || model?.modelId !== (target.model ?? undefined),
      prices: findPrices(answers),
    };
  }
  return null;
}

/**
 * Programs that record prices do so with every answer, and the parts of a cache are re-read or written by every answer.
 */
const MOST_ANSWERS = 50;

/** The answers of a model among the newest ones of a path, the newest first. */
function listNewestAnswers(
  session: Session,
  path: readonly Head[],
  { provider, model }: RequestTarget,
): readonly RecordedAnswer[] {
  return path
    .filter(answersRequest)
    .slice(-MOST_ANSWERS)
    .toReversed()
    .map((head) => readRecordedAnswer(head, session.entry(head)))
    .filter(({ target }) => target.provider === provider && target.model === model);
}

function buildLife(
  answers: readonly RecordedAnswer[],
  { time, lastWarming }: { readonly time: number; readonly lastWarming: number },
): CacheLife {
  const life = new CacheLife(null);
  for (const answer of answers.toReversed()) {
    if (answer.usage) life.take(answer.usage, answer.time);
  }
  // The age of a prompt is known without its tokens.
  if (answers[0]?.usage === null) life.take({ promptTokens: Infinity, cacheRead: 0, cacheWrite: 0 }, time);
  if (lastWarming !== -Infinity) life.touch(lastWarming);
  return life;
}

function findPrices(answers: readonly RecordedAnswer[]): TokenPrices | null {
  const paid = answers.find(({ usage }) => (usage?.paidRate ?? null) !== null)?.usage?.paidRate ?? null;
  const read = answers.find(({ usage }) => (usage?.readRate ?? null) !== null)?.usage?.readRate ?? null;
  return paid !== null && read !== null && paid > 0 ? { paid, read } : null;
}
