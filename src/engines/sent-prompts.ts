import { type Preamble, preambleOf, type Prompt } from '#analysis/cache/prompt.js';
import { beginsWith } from '#base/lists.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isSameTarget, type Target, WireMessages } from '#context/request/wire-messages.js';
import type { Assembled } from './drive/driven.js';

type Sent = Pick<Assembled, 'system' | 'tools' | 'messages'> & Partial<Pick<Assembled, 'sources'>>;

/**
 * Yields requests as prompts that can be compared. A request that begins with all of the
 * one before costs what it appends, and any other one a look at each message.
 */
export class SentPrompts {
  private list = WireMessages.to({ provider: null, api: null, model: null });
  private messages: readonly LlmMessage[] = [];
  /** Of the list, tokens up to `counted`. */
  private tokens = 0;
  private counted = 0;
  private declared: Pick<Sent, 'system' | 'tools'> | null = null;
  private preamble: Preamble = { tools: [], system: [], tokens: 0 };

  next(sent: Sent, target: Target): Prompt {
    const goesOn = isSameTarget(target, this.list.target) && beginsWith(sent.messages, this.messages);
    const start = goesOn ? this.messages.length : 0;
    if (!goesOn) this.startOver(target);
    this.list.append(
      sent.messages
        .slice(start)
        .map((message, at) => ({ message, from: { entryId: sent.sources?.[start + at] ?? null } })),
    );
    this.messages = sent.messages;
    this.declare(sent);
    const { messages } = this.list;
    for (; this.counted < messages.length; this.counted += 1) this.tokens += messages[this.counted]?.tokens ?? 0;
    const made = this.list.syntheticResults();
    const tokens = made.reduce((sum, message) => sum + message.tokens, this.preamble.tokens + this.tokens);
    return { preamble: this.preamble, messages, length: this.counted, made, tokens, images: 0, firstImage: null };
  }

  private startOver(target: Target): void {
    this.list = this.list.again(target);
    this.tokens = 0;
    this.counted = 0;
  }

  /** Most requests declare what the one before has declared, and their preamble is the very same. */
  private declare({ system, tools }: Pick<Sent, 'system' | 'tools'>): void {
    if (system !== this.declared?.system || tools !== this.declared.tools)
      this.preamble = preambleOf({ system, tools });
    this.declared = { system, tools };
  }
}
