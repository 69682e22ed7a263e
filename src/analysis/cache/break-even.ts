import * as z from 'zod/mini';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { settingsOf } from '#context/replay/settings.js';
import { sizeUpTo } from '#context/replay/tokens.js';
import type { Target } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { divergenceOf, type Prompt, SentPrompts } from './prompt.js';
import { DEFAULTS, readAnswer } from './recorded.js';

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
  /** Whether the cache has expired, so that the next request pays for everything anyway. */
  isCold: z.boolean(),
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
  /** The TTL of the cache in minutes. */
  readonly retention?: number | undefined;
}

/** The rates of many providers for a token whose price is 1. Only their ratio matters. */
const ASSUMED: Rates = { paid: 1.25, read: 0.1 };

/**
 * Compares continuing with an unchanged context, all of it read from the cache, to continuing with a changed one, of
 * which the first request can only read the common prefix.
 */
export function breakEven({ before, after, last, now, retention = DEFAULTS.retention }: BreakEvenInput): BreakEven {
  const [old, changed] = [promptOf(before, last), promptOf(after, last)];
  const prefix = divergenceOf(old, changed)?.prefixTokensEstimated ?? old.tokens;
  const { size } = after.meta;
  const parts = { declared: changed.preamble.tokens, messages: changed.tokens - changed.preamble.tokens };
  const rebilledTokens = prefix < changed.tokens ? Math.max(0, size.tokens - sizeUpTo(prefix, size, parts)) : 0;
  // What is not sent, such as the thoughts of another model, saves nothing.
  const savedTokensPerRequest = old.tokens === changed.tokens ? 0 : before.meta.size.tokens - size.tokens;
  const idle = last ? Math.max(0, now - last.time) : NaN;
  const isCold = last === null || last.isOtherModelNow || idle >= retention * MINUTE;
  const rates = last?.rates ?? null;
  return {
    rebilledTokens,
    savedTokensPerRequest,
    requests: requestsUntil({ rebilledTokens: isCold ? 0 : rebilledTokens, savedTokensPerRequest }, rates ?? ASSUMED),
    isCold,
    idleSeconds: Number.isFinite(idle) ? Math.floor(idle / SECOND) : null,
    basis: rates ? 'recorded' : 'assumed',
  };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

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

/** Dollars per uncached token, and per cached one. */
interface Rates {
  readonly paid: number;
  readonly read: number;
}

/** The newest request of a path, whose prompt may still be cached. */
export interface LastRequest {
  readonly target: Target;
  /** The time of the last use of the cache, in milliseconds since 1970; NaN if unknown. */
  readonly time: number;
  /** Whether the next request goes to another model, which has no cache of it. */
  readonly isOtherModelNow: boolean;
  /** The newest rates of that model; null if the session does not record both, or records that it is free. */
  readonly rates: Rates | null;
}

/** null for a path without a request that may have been billed. */
export function lastRequest(session: Session, path: readonly Head[]): LastRequest | null {
  let warmed = -Infinity;
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (!head || (head.role !== 'assistant' && head.type !== 'usage')) continue;
    const entry = session.entry(head);
    if (head.type === 'usage') {
      if (entry['kind'] === 'cache_warm') warmed = Math.max(warmed, head.time || -Infinity);
      continue;
    }
    const { target, time, isUnbilled } = readAnswer(head, entry);
    if (isUnbilled) continue;
    const { model } = settingsOf(session, path);
    return {
      target,
      time: Math.max(time, warmed),
      isOtherModelNow:
        model?.provider !== (target.provider ?? undefined) || model?.modelId !== (target.model ?? undefined),
      rates: ratesOf(session, path.slice(0, at + 1), target),
    };
  }
  return null;
}

/** Programs that record prices do so with every answer. */
const MOST_ANSWERS = 50;

function ratesOf(session: Session, path: readonly Head[], { provider, model }: Target): Rates | null {
  let [paid, read]: (number | null)[] = [null, null];
  let answers = 0;
  for (let at = path.length - 1; at >= 0 && answers < MOST_ANSWERS; at -= 1) {
    const head = path[at];
    if (head?.role !== 'assistant') continue;
    answers += 1;
    const { target, usage } = readAnswer(head, session.entry(head));
    if (target.provider !== provider || target.model !== model) continue;
    paid ??= usage?.paidRate ?? null;
    read ??= usage?.readRate ?? null;
    if (paid !== null && read !== null) return paid > 0 ? { paid, read } : null;
  }
  return null;
}
