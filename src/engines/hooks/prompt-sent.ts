import { divergenceOf, preambleOf, type Prompt } from '#analysis/cache/prompt.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { WireMessages, type Target } from '#context/request/wire-messages.js';

/** Estimated tokens of a request, and of what it begins with of another one. */
export interface Reuse {
  readonly promptTokens: number;
  readonly prefixTokens: number;
  /** All that stands behind: a provider reads it anew. */
  readonly newTokens: number;
}

/** Where a message comes from does not matter here. */
const FROM: Provenance = { entryId: null, line: 0, origin: 'entry' };

/** What is sent of envelopes. Messages that were looked at before are not looked at again. */
export class PromptsSent {
  private list = WireMessages.to({ provider: null, api: null, model: null });

  of({ system, tools, messages }: EnvelopeContent, target: Target): Prompt {
    this.list = this.list.again(target);
    this.list.append([...messages.cached, ...messages.uncached].map((message) => ({ message, from: FROM })));
    const preamble = preambleOf({ system, tools });
    const { messages: sent } = this.list;
    const made = this.list.syntheticResults();
    let { tokens } = preamble;
    for (const message of sent) tokens += message.tokens;
    for (const message of made) tokens += message.tokens;
    return { preamble, messages: sent, length: sent.length, made, tokens, images: 0, firstImage: null };
  }
}

/** How much of a prompt a provider has that has cached the whole of another one; null: it has nothing. */
export function reuseOf(before: Prompt | null, now: Prompt): Reuse {
  const prefixTokens = before === null ? 0 : Math.min(now.tokens, divergenceOf(before, now)?.tokens ?? before.tokens);
  return { promptTokens: now.tokens, prefixTokens, newTokens: now.tokens - prefixTokens };
}
