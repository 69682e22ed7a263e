import { countCommon } from '#base/lists.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { isSameTarget, type RequestTarget, WireMessages } from '#context/request/wire-messages.js';
import { buildPreamble, type Preamble, type Prompt } from './prompt.js';

interface SentContext extends Pick<EnvelopeContent, 'system' | 'tools'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: an engine made it. */
  readonly sources?: readonly (string | null)[];
}

/** A place in a request at which no call waits for its result, so that another request can branch off there. */
interface Start {
  /** The number of messages before it, and of those that were sent for them. */
  readonly at: number;
  readonly sent: number;
  readonly tokens: number;
}

const BEGINNING: Start = { at: 0, sent: 0, tokens: 0 };

/**
 * Builds the prompts of consecutive requests, to compare them. A request that continues the previous one costs its new
 * messages only. One that diverges from it earlier also costs a copy of the messages that both share.
 */
export class SentPrompts {
  private list = WireMessages.to({ provider: null, api: null, model: null });
  private messages: readonly LlmMessage[] = [];
  /** The tokens of the first `counted` messages of the list. */
  private tokens = 0;
  private counted = 0;
  /** The places at which the next request may branch off, in order. */
  private starts = [BEGINNING];
  private declared: Pick<SentContext, 'system' | 'tools'> | null = null;
  private preamble: Preamble = { tools: [], system: [], tokens: 0 };

  /** The prompt of the next request. */
  next(sent: SentContext, target: RequestTarget): Prompt {
    const start = this.continueWith(sent.messages, target);
    for (const [at, message] of sent.messages.slice(start).entries()) {
      this.list.append([{ message, from: { entryId: sent.sources?.[start + at] ?? null } }]);
      this.count();
      if (this.list.isSettled) this.starts.push({ at: start + at + 1, sent: this.counted, tokens: this.tokens });
    }
    this.messages = sent.messages;
    this.declare(sent);
    const generated = this.list.buildMissingResults();
    const tokens = generated.reduce((sum, message) => sum + message.tokens, this.preamble.tokens + this.tokens);
    const { messages } = this.list;
    return {
      preamble: this.preamble,
      messages,
      length: this.counted,
      generated,
      tokens,
      images: 0,
      firstImage: null,
    };
  }

  /**
   * Drops the messages that a request does not share with the previous one, and returns the number of those that stay.
   */
  private continueWith(messages: readonly LlmMessage[], target: RequestTarget): number {
    const isOtherModel = !isSameTarget(target, this.list.target);
    const common = isOtherModel ? 0 : countCommon(messages, this.messages);
    if (!isOtherModel && common === this.messages.length) return common;
    while ((this.starts.at(-1)?.at ?? 0) > common) this.starts.pop();
    const { at, sent, tokens } = this.starts.at(-1) ?? BEGINNING;
    this.list = isOtherModel ? this.list.startOver(target) : this.list.takeFirst(sent);
    this.counted = sent;
    this.tokens = tokens;
    return at;
  }

  private count(): void {
    const { messages } = this.list;
    for (; this.counted < messages.length; this.counted += 1) this.tokens += messages[this.counted]?.tokens ?? 0;
  }

  /** Requests that declare the same tools and prompt share one preamble, so that comparing them is cheap. */
  private declare({ system, tools }: Pick<SentContext, 'system' | 'tools'>): void {
    if (system !== this.declared?.system || tools !== this.declared.tools)
      this.preamble = buildPreamble({ system, tools });
    this.declared = { system, tools };
  }
}
