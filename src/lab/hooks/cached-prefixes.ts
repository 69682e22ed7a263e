import { findDivergence } from '#analysis/cache/divergence.js';
import type { Prompt } from '#analysis/cache/prompt.js';
import { SentPrompts } from '#analysis/cache/sent-prompts.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import type { Reuse } from './document.js';
import type { BothRequests } from './hook-request.js';
import { listEventMessages } from './messages-patch.js';

/** The part of a prompt that is cached after another whole prompt was; null if none is. */
function measureReuse(before: Prompt | null, current: Prompt): Reuse {
  const prefixTokens =
    before === null
      ? 0
      : Math.min(current.tokens, findDivergence(before, current)?.prefixTokensEstimated ?? before.tokens);
  return { promptTokens: current.tokens, prefixTokens, newTokens: current.tokens - prefixTokens };
}

/** The part of each request that a provider has cached of the one before. */
export class CachedPrefixes {
  private readonly prompts = { sent: new SentPrompts(), without: new SentPrompts() };
  private before: { readonly sent: Prompt; readonly without: Prompt } | null = null;

  /**
   * Compares a request with what the provider has: the request before, or, for one request alone, the same without
   * hooks.
   */
  next(
    { sent, without }: BothRequests,
    { target, isOfMany }: { readonly target: RequestTarget; readonly isOfMany: boolean },
  ): Reuse & { readonly withoutHooks: Reuse } {
    const current = {
      sent: this.prompts.sent.next(toSent(sent), target),
      without: this.prompts.without.next(toSent(without), target),
    };
    const before = isOfMany ? this.before : { sent: current.without, without: current.without };
    this.before = current;
    return {
      ...measureReuse(before?.sent ?? null, current.sent),
      withoutHooks: measureReuse(before?.without ?? null, current.without),
    };
  }
}

function toSent({ system, tools, messages }: EnvelopeContent): Parameters<SentPrompts['next']>[0] {
  return { system, tools, messages: listEventMessages(messages) };
}
