import * as z from 'zod/mini';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { settingsOf } from '#context/replay/settings.js';
import { type Target, WireMessages } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { divergenceOf, preambleOf, type Prompt } from './prompt.js';
import { DEFAULTS } from './recorded.js';
import { readAnswer } from './recorded.js';

/**
 * What a change of the context costs at the next request, and when it has paid for itself. All tokens are estimated, at
 * the rate of the changed context's size.
 */
export const breakEvenDocument = z.object({
  /** Of the changed context, what stands behind all that both begin with: a provider has to read it anew once. */
  rebilledTokens: z.int(),
  /** The tokens that each request is shorter by; negative where it gets longer. */
  savedTokensPerRequest: z.int(),
  /** The requests after which it has cost no more than leaving everything as it was; 0: it costs nothing. null: never. */
  requests: z.nullable(z.int()),
  /** Nothing is left in the cache, so that the next request pays for everything anyway. */
  isCold: z.boolean(),
  /** Since the last request; null where there was none, or nothing says when. */
  idleSeconds: z.nullable(z.int()),
  /** The prices: those that the session records, or 0.1 of the price of a token to read it from a cache and 1.25 to write it there. */
  basis: z.enum(['recorded', 'assumed']),
});

export type BreakEven = z.infer<typeof breakEvenDocument>;

type Sent = Pick<ContextEnvelope, 'system' | 'tools' | 'messages'> & {
  readonly meta: Pick<ContextEnvelope['meta'], 'provenance'> & { readonly size: Pick<ContextSize, 'factor'> };
};

export interface BreakEvenInput {
  /** The context as it is, and as it will be. */
  readonly before: Sent;
  readonly after: Sent;
  /** Of the path at whose end the context is changed: `lastRequest(session, path)`. */
  readonly last: LastRequest | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The lifetime of a cached prefix that is not read, in minutes. */
  readonly retention?: number | undefined;
}

/** The rates of many providers for a token whose price is 1. Only their ratio matters. */
const ASSUMED: Rates = { paid: 1.25, read: 0.1 };

/**
 * Compares going on with a context as it is, all of it read from the cache, and going on with a changed one, of which
 * the first request can only read what both begin with.
 */
export function breakEven({ before, after, last, now, retention = DEFAULTS.retention }: BreakEvenInput): BreakEven {
  const [old, changed] = [promptOf(before, last), promptOf(after, last)];
  const prefix = divergenceOf(old, changed)?.prefixTokensEstimated ?? old.tokens;
  const { factor } = after.meta.size;
  const rebilledTokens = Math.round(factor * Math.max(0, changed.tokens - prefix));
  const savedTokensPerRequest = Math.round(factor * (old.tokens - changed.tokens));
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

/** The prompt that sends a context to the model that answered last. */
function promptOf({ system, tools, messages, meta }: Sent, last: LastRequest | null): Prompt {
  const preamble = preambleOf({ system, tools });
  const list = WireMessages.to(last?.target ?? { provider: null, api: null, model: null });
  for (const [at, message] of [...messages.cached, ...messages.uncached].entries()) {
    const from = meta.provenance[at];
    if (from) list.append([{ message, from }]);
  }
  const made = list.syntheticResults();
  const tokens = [...list.messages, ...made].reduce((sum, each) => sum + each.tokens, preamble.tokens);
  const { messages: sent } = list;
  return { preamble, messages: sent, length: sent.length, made, tokens, images: 0, firstImage: null };
}

/** Dollars for a token that is not read from the cache, and for one that is. */
interface Rates {
  readonly paid: number;
  readonly read: number;
}

/** The newest request of a path: what a provider may still have in its cache. */
export interface LastRequest {
  readonly target: Target;
  /** When the cache was used last, in milliseconds since 1970; NaN where nothing says it. */
  readonly time: number;
  /** The next request goes to another model, which has nothing of it. */
  readonly isOtherModelNow: boolean;
  /** The newest ones of that model; null where the session does not record both, or records that it costs nothing. */
  readonly rates: Rates | null;
}

/** null for a path on which nothing was asked that may have been billed. */
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

/** Who records prices does so with every answer. */
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
