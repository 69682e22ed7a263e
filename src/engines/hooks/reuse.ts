import type { Prompt } from '#analysis/cache/prompt.js';
import { partedIds } from '#change/plan/draft.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Target } from '#context/request/wire-messages.js';
import { quotedId } from '#session/table/head.js';
import { messagesGiven } from './boundary-rules.js';
import { PromptsSent, type Reuse, reuseOf } from './requests.js';

/** A request with and without hooks. */
interface BothRequests {
  readonly sent: EnvelopeContent;
  readonly without: EnvelopeContent;
}

/** The part of each request that a provider has cached of the one before. */
export class CacheRun {
  private readonly prompts = { sent: new PromptsSent(), without: new PromptsSent() };
  private before: { readonly sent: Prompt; readonly without: Prompt } | null = null;

  /** Of one request alone, the provider has what it would have been without hooks; of many, the one before. */
  next(
    { sent, without }: BothRequests,
    { target, isOfMany }: { readonly target: Target; readonly isOfMany: boolean },
  ): Reuse & { readonly withoutHooks: Reuse } {
    const now = { sent: this.prompts.sent.of(sent, target), without: this.prompts.without.of(without, target) };
    const before = isOfMany ? this.before : { sent: now.without, without: now.without };
    this.before = now;
    return {
      ...reuseOf(before?.sent ?? null, now.sent),
      withoutHooks: reuseOf(before?.without ?? null, now.without),
    };
  }
}

/** The reasons why a provider would reject a request after the hooks, a sentence each. Faults that it had before do not count. */
export function refusalsOf({ without, sent }: BothRequests): readonly string[] {
  const [before, after] = [messagesGiven(without.messages), messagesGiven(sent.messages)];
  if (before.length > 0 && after.length === 0) return ['the request has no messages'];
  return partedIds(before, after).map((id) => `the tool call ${quotedId(id)} is separated from its result`);
}
