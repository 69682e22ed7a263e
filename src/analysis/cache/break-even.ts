import * as z from 'zod/mini';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import { measureSizeUpTo } from '#context/size/tokens.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { CacheLife, LIFETIME_BASES } from './lifetime.js';
import { findDivergence, type Prompt, SentPrompts } from './prompt.js';
import { readAnswer, type RecordedAnswer } from './recorded.js';

/**
 * The cost of a change of the context at the next request, and its break-even point. All tokens are shares of the sizes
 * of the two contexts.
 */
export const breakEvenDocument = z.object({
  /** The tokens of the changed context after the common prefix: one cache miss. */
  rebilledTokens: z.int(),
  /** The number of tokens by which each request is shorter; negative if it gets longer. */
  savedTokensPerRequest: z.int(),
  /** The number of requests after which the change costs no more than no change; 0: it costs nothing. null: never. */
  requests: z.nullable(z.int()),
  /** Whether the next request pays for all after the common prefix anyway, since nothing of it is in the cache. */
  isCold: z.boolean(),
  /** Why: its lifetime has ended, another model is asked next, or no request came before; null if it is not cold. */
  coldBecause: z.nullable(z.enum(['expired', 'other model', 'no request'])),
  /** The lifetime in minutes of the cache, by what the last request wrote; null without a request. */
  retentionMinutes: z.nullable(z.number()),
  /** The lifetime is that of the recorded writes, or assumed; null without a request. */
  retentionBasis: z.nullable(z.enum(LIFETIME_BASES)),
  /** The time since the last request; null if there was none, or its time is unknown. */
  idleSeconds: z.nullable(z.int()),
  /** The recorded prices, or ratios: 0.1 of the price of a token for a cache read, and 1.25 for a cache write. */
  basis: z.enum(['recorded', 'assumed']),
});

export type BreakEven = z.infer<typeof breakEvenDocument>;

type Sent = Pick<ContextEnvelope, 'system' | 'tools' | 'messages'> & {
  readonly meta: Pick<ContextEnvelope['meta'], 'provenance'> & {
    readonly size: Pick<ContextSize, 'tokens' | 'notItemised' | 'declaredFactor'>;
  };
};

export interface BreakEvenInput {
  /** The current context, and the changed one. */
  readonly before: Sent;
  readonly after: Sent;
  /** The last request of the changed path: `lastRequest(session, path)`. */
  readonly last: LastRequest | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The rates of many providers for a token whose price is 1. Only their ratio matters. */
const ASSUMED: Rates = { paid: 1.25, read: 0.1 };

/**
 * Compares continuing with an unchanged context, all of it read from the cache, to continuing with a changed one, of
 * which the first request can only read the common prefix.
 */
export function measureBreakEven({ before, after, last, now }: BreakEvenInput): BreakEven {
  const [old, changed] = [promptOf(before, last), promptOf(after, last)];
  const prefix = findDivergence(old, changed)?.prefixTokensEstimated ?? old.tokens;
  const { size } = after.meta;
  const parts = { declared: changed.preamble.tokens, messages: changed.tokens - changed.preamble.tokens };
  const kept = measureSizeUpTo(prefix, size, parts);
  const rebilledTokens = prefix < changed.tokens ? Math.max(0, size.tokens - kept) : 0;
  // What is not sent, such as the thoughts of another model, saves nothing.
  const savedTokensPerRequest = old.tokens === changed.tokens ? 0 : before.meta.size.tokens - size.tokens;
  const idle = last ? Math.max(0, now - last.time) : NaN;
  const share = last === null || last.isOtherModelNow ? 0 : cachedShare(last.life.aliveShareAt(now), before, kept);
  const isCold = share <= 0;
  const rates = last?.rates ?? null;
  const lost = Math.ceil(rebilledTokens * share);
  return {
    rebilledTokens,
    savedTokensPerRequest,
    requests: requestsUntil({ rebilledTokens: lost, savedTokensPerRequest }, rates ?? ASSUMED),
    isCold,
    coldBecause: !isCold ? null : last === null ? 'no request' : last.isOtherModelNow ? 'other model' : 'expired',
    retentionMinutes: last && last.life.newest.minutes,
    retentionBasis: last && last.life.newest.basis,
    idleSeconds: Number.isFinite(idle) ? Math.floor(idle / SECOND) : null,
    basis: rates ? 'recorded' : 'assumed',
  };
}

/** The share of the tokens after the first `kept` ones that is still in the cache, where its beginning is. */
function cachedShare(alive: number, { meta: { size } }: Sent, kept: number): number {
  const after = size.tokens - kept;
  return after <= 0 ? alive : Math.min(1, Math.max(0, (alive * size.tokens - kept) / after));
}

const SECOND = 1000;

function requestsUntil(
  { rebilledTokens, savedTokensPerRequest }: Pick<BreakEven, 'rebilledTokens' | 'savedTokensPerRequest'>,
  { paid, read }: Rates,
): number | null {
  if (savedTokensPerRequest <= 0) return null;
  const extra = rebilledTokens * Math.max(0, paid - read);
  if (extra === 0) return 0;
  return read > 0 ? Math.ceil(extra / (savedTokensPerRequest * read)) : null;
}

/** The prompt that sends a context to the newest model. */
function promptOf({ system, tools, messages, meta }: Sent, last: LastRequest | null): Prompt {
  const sources = meta.provenance.map(({ entryId }) => entryId);
  const sent = { system, tools, messages: [...messages.cached, ...messages.uncached], sources };
  return new SentPrompts().next(sent, last?.target ?? { provider: null, api: null, model: null });
}

/** The prompt cache after the last request of a path. */
export const cacheStateDocument = z.object({
  /** The lifetime of the cache in minutes, by what the last request wrote. */
  retentionMinutes: z.number(),
  /** The lifetime is that of the recorded writes, or assumed. */
  retentionBasis: z.enum(LIFETIME_BASES),
  /** The time since the cache was last used; null if it is unknown. */
  idleSeconds: z.nullable(z.int()),
  /** The share of the last prompt that is still cached, from 0 to 1, by its lifetime alone; 0 for another model. */
  aliveShare: z.number(),
  /** Whether another model is asked next, which has no cache of it. */
  isOtherModel: z.boolean(),
});

export type CacheState = z.infer<typeof cacheStateDocument>;

/** null for a path without a request that may have been billed. `now`: milliseconds since 1970. */
export function findCacheState(session: Session, path: readonly Head[], now: number): CacheState | null {
  const last = findLastRequest(session, path);
  if (last === null) return null;
  const { minutes: retentionMinutes, basis: retentionBasis } = last.life.newest;
  const idle = Math.max(0, now - last.time);
  return {
    retentionMinutes,
    retentionBasis,
    idleSeconds: Number.isFinite(idle) ? Math.floor(idle / SECOND) : null,
    aliveShare: last.isOtherModelNow ? 0 : last.life.aliveShareAt(now),
    isOtherModel: last.isOtherModelNow,
  };
}

/** Dollars per uncached token, and per cached one. */
interface Rates {
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
  /** The newest rates of that model; null if the session does not record both, or records that it is free. */
  readonly rates: Rates | null;
}

/** null for a path without a request that may have been billed. */
export function findLastRequest(session: Session, path: readonly Head[]): LastRequest | null {
  let warmed = -Infinity;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head || (!answersRequest(head) && head.type !== 'usage')) continue;
    const entry = session.entry(head);
    if (head.type === 'usage') {
      if (entry['kind'] === 'cache_warm') warmed = Math.max(warmed, head.time || -Infinity);
      continue;
    }
    const { target, time, isUnbilled } = readAnswer(head, entry);
    if (isUnbilled) continue;
    const { model } = findSettings(session, path);
    const answers = answersOf(session, path.slice(0, at + 1), target);
    return {
      target,
      time: Math.max(time, warmed),
      life: lifeAfter(answers, { time, warmed }),
      isOtherModelNow:
        model?.provider !== (target.provider ?? undefined) || model?.modelId !== (target.model ?? undefined),
      rates: ratesOf(answers),
    };
  }
  return null;
}

/** Programs that record prices do so with every answer, and the parts of a cache are re-read or written by every answer. */
const MOST_ANSWERS = 50;

/** The answers of a model among the newest ones of a path, the newest first. */
function answersOf(
  session: Session,
  path: readonly Head[],
  { provider, model }: RequestTarget,
): readonly RecordedAnswer[] {
  return path
    .filter(answersRequest)
    .slice(-MOST_ANSWERS)
    .toReversed()
    .map((head) => readAnswer(head, session.entry(head)))
    .filter(({ target }) => target.provider === provider && target.model === model);
}

function lifeAfter(
  answers: readonly RecordedAnswer[],
  { time, warmed }: { readonly time: number; readonly warmed: number },
): CacheLife {
  const life = new CacheLife(null);
  for (const answer of answers.toReversed()) if (answer.usage) life.take(answer.usage, answer.time);
  // The age of a prompt is known without its tokens.
  if (answers[0]?.usage === null) life.take({ promptTokens: Infinity, cacheRead: 0, cacheWrite: 0 }, time);
  if (warmed !== -Infinity) life.touch(warmed);
  return life;
}

function ratesOf(answers: readonly RecordedAnswer[]): Rates | null {
  const paid = answers.find(({ usage }) => (usage?.paidRate ?? null) !== null)?.usage?.paidRate ?? null;
  const read = answers.find(({ usage }) => (usage?.readRate ?? null) !== null)?.usage?.readRate ?? null;
  return paid !== null && read !== null && paid > 0 ? { paid, read } : null;
}
