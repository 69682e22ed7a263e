import type { ContextEnvelope } from '../context/envelope.js';
import { tokensOfMessage } from '../context/tokens.js';

/** How much a context holds, in tokens. */
export interface Pressure {
  readonly tokens: number;
  /** So many of them the provider has counted; the others are estimated. */
  readonly recorded: number;
}

/** What the provider counted for the last request, and an estimate of what was said since; or an estimate of it all. */
export function pressureOf({ messages, meta }: Pick<ContextEnvelope, 'messages' | 'meta'>): Pressure {
  const { usage, provenance, tokens } = meta;
  if (!usage?.current) return { tokens: tokens.total, recorded: 0 };
  const answer = provenance.findLastIndex(({ entryId }) => entryId === usage.entryId);
  const since = messages.cached.slice(answer + 1).reduce((sum, message) => sum + tokensOfMessage(message), 0);
  return { tokens: usage.tokens + since, recorded: usage.tokens };
}
