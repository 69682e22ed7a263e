import { countCommon } from '#base/lists.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { isSameTarget, type RequestTarget, WireMessages } from '#context/request/wire-messages.js';
import { buildPreamble, type Preamble, type Prompt } from './prompt.js';

interface SentContext extends Pick<EnvelopeContent, 'system' | 'tools'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: an engine made it. */
  readonly sources?: readonly (string | null)[];
}

/** A place of a request without pending calls. */
interface Start {
  /** The messages of the request before it, and the messages that were sent for them. */
  readonly at: number;
  readonly sent: number;
  readonly tokens: number;
}

const BEGINNING: Start = { at: 0, sent: 0, tokens: 0 };

/**
 * Yields requests as prompts that can be compared. A request costs the messages after those with which the one before
 * begins too, and a copy of the list where that one went on otherwise.
 */
export class SentPrompts {
  private list = WireMessages.to({ provider: null, api: null, model: null });
  private messages: readonly LlmMessage[] = [];
  /** Of the list, tokens up to `counted`. */
  private tokens = 0;
  private counted = 0;
  /** The places at which a request can go on otherwise, in order. */
  private starts = [BEGINNING];
  private declared: Pick<SentContext, 'system' | 'tools'> | null = null;
  private preamble: Preamble = { tools: [], system: [], tokens: 0 };

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

  /** Keeps the messages with which a request begins too, and returns their number. */
  private continueWith(messages: readonly LlmMessage[], target: RequestTarget): number {
    const isOther = !isSameTarget(target, this.list.target);
    const same = isOther ? 0 : countCommon(messages, this.messages);
    if (!isOther && same === this.messages.length) return same;
    while ((this.starts.at(-1)?.at ?? 0) > same) this.starts.pop();
    const { at, sent, tokens } = this.starts.at(-1) ?? BEGINNING;
    this.list = isOther ? this.list.startOver(target) : this.list.takeFirst(sent);
    this.counted = sent;
    this.tokens = tokens;
    return at;
  }

  private count(): void {
    const { messages } = this.list;
    for (; this.counted < messages.length; this.counted += 1) this.tokens += messages[this.counted]?.tokens ?? 0;
  }

  /** Most requests declare what the one before has declared, and their preamble is the very same. */
  private declare({ system, tools }: Pick<SentContext, 'system' | 'tools'>): void {
    if (system !== this.declared?.system || tools !== this.declared.tools)
      this.preamble = buildPreamble({ system, tools });
    this.declared = { system, tools };
  }
}
