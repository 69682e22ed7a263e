import * as z from 'zod/mini';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { measureSizeUpTo } from '#context/size/split-size.js';
import { findDivergence } from './divergence.js';
import type { LastRequest, TokenPrices } from './last-request.js';
import { LIFETIME_BASES } from './lifetime.js';
import type { Prompt } from './prompt.js';
import { SentPrompts } from './sent-prompts.js';

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

/** The parts of a context that decide what a request sends. */
type SentContext = Pick<ContextEnvelope, 'system' | 'tools' | 'messages'> & {
  readonly meta: Pick<ContextEnvelope['meta'], 'provenance'> & {
    readonly size: Pick<ContextSize, 'tokens' | 'notItemised' | 'declaredFactor'>;
  };
};

export interface BreakEvenInput {
  /** The current context, and the changed one. */
  readonly before: SentContext;
  readonly after: SentContext;
  /** The last request of the changed path: see `findLastRequest`. */
  readonly last: LastRequest | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The prices of many providers, where a token of input costs 1. Only their ratio matters. */
const ASSUMED: TokenPrices = { paid: 1.25, read: 0.1 };

/**
 * Compares two ways to continue: with an unchanged context, which is read from the cache, and with a changed one. The
 * first request of the changed context can only read the common prefix.
 */
export function measureBreakEven({ before, after, last, now }: BreakEvenInput): BreakEven {
  const { keptTokens, rebilledTokens, savedTokensPerRequest } = measureChange(before, after, last);

  const hasCache = last !== null && !last.isOtherModelNow;
  const cachedShare = hasCache ? measureCachedShare(last.life.aliveShareAt(now), before, keptTokens) : 0;
  const isCold = cachedShare <= 0;
  // What is not in the cache any more is billed again anyway.
  const lostTokens = Math.ceil(rebilledTokens * cachedShare);
  const prices = last?.prices ?? null;
  const idle = last ? Math.max(0, now - last.time) : NaN;
  return {
    rebilledTokens,
    savedTokensPerRequest,
    requests: countRequestsUntil({ rebilledTokens: lostTokens, savedTokensPerRequest }, prices ?? ASSUMED),
    isCold,
    coldBecause: isCold ? findColdReason(last) : null,
    retentionMinutes: last && last.life.newest.minutes,
    retentionBasis: last && last.life.newest.basis,
    idleSeconds: Number.isFinite(idle) ? Math.floor(idle / 1000) : null,
    basis: prices ? 'recorded' : 'assumed',
  };
}

interface ChangeSizes extends Pick<BreakEven, 'rebilledTokens' | 'savedTokensPerRequest'> {
  /** The tokens of the common prefix. */
  readonly keptTokens: number;
}

function measureChange(before: SentContext, after: SentContext, last: LastRequest | null): ChangeSizes {
  const old = buildPrompt(before, last);
  const changed = buildPrompt(after, last);
  const { size } = after.meta;
  const prefix = findDivergence(old, changed)?.prefixTokensEstimated ?? old.tokens;
  const parts = { declared: changed.preamble.tokens, messages: changed.tokens - changed.preamble.tokens };
  const keptTokens = measureSizeUpTo(prefix, size, parts);
  const hasMore = prefix < changed.tokens;
  // What is not sent, such as the thoughts of another model, saves nothing.
  const hasOtherSize = old.tokens !== changed.tokens;
  return {
    keptTokens,
    rebilledTokens: hasMore ? Math.max(0, size.tokens - keptTokens) : 0,
    savedTokensPerRequest: hasOtherSize ? before.meta.size.tokens - size.tokens : 0,
  };
}

function findColdReason(last: LastRequest | null): BreakEven['coldBecause'] {
  if (last === null) return 'no request';
  return last.isOtherModelNow ? 'other model' : 'expired';
}

/** The share of the tokens after the first `kept` ones that is still in the cache, where its beginning is. */
function measureCachedShare(alive: number, { meta: { size } }: SentContext, kept: number): number {
  const after = size.tokens - kept;
  return after <= 0 ? alive : Math.min(1, Math.max(0, (alive * size.tokens - kept) / after));
}

function countRequestsUntil(
  { rebilledTokens, savedTokensPerRequest }: Pick<BreakEven, 'rebilledTokens' | 'savedTokensPerRequest'>,
  { paid, read }: TokenPrices,
): number | null {
  if (savedTokensPerRequest <= 0) return null;
  const extra = rebilledTokens * Math.max(0, paid - read);
  if (extra === 0) return 0;
  return read > 0 ? Math.ceil(extra / (savedTokensPerRequest * read)) : null;
}

/** The prompt that sends a context to the newest model. */
function buildPrompt({ system, tools, messages, meta }: SentContext, last: LastRequest | null): Prompt {
  const sources = meta.provenance.map(({ entryId }) => entryId);
  const sent = { system, tools, messages: [...messages.cached, ...messages.uncached], sources };
  return new SentPrompts().next(sent, last?.target ?? { provider: null, api: null, model: null });
}
