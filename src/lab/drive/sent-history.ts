import { createHash } from 'node:crypto';
import { deepFreeze, isFrozen } from '#base/freeze.js';
import { GrowingFold } from '#base/growing-fold.js';
import { countCommon } from '#base/lists.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import type { AgentMessage } from '../contract.js';
import { EngineFailure } from './failure.js';

interface ConvertedMessage {
  /** null: it is not sent. */
  readonly message: LlmMessage | null;
  /** Estimated. */
  readonly tokens: number;
}

/** Messages as they are sent, each looked at once. */
export class SentHistory {
  private readonly known = new WeakMap<AgentMessage, ConvertedMessage>();
  /** By what they say, so that a copy of a message counts as that message. */
  private readonly bySaying = new Map<string, AgentMessage>();
  private readonly indexed = new WeakSet<AgentMessage>();
  /** The transcript that was indexed last. */
  private indexedTranscript: readonly AgentMessage[] = [];
  /** The messages that the engine gave last. */
  private last: readonly AgentMessage[] = [];
  private readonly sums = new GrowingFold<AgentMessage, number>(
    (sum = 0, message) => sum + this.convert(message).tokens,
  );

  convert(message: AgentMessage): ConvertedMessage {
    const found = this.known.get(message);
    if (found) return found;
    const llm = toLlmMessage(toMessage(message));
    const sent = { message: llm && deepFreeze(llm), tokens: llm === null ? 0 : countMessageTokens(llm) };
    this.known.set(message, sent);
    return sent;
  }

  countTokens(messages: readonly AgentMessage[]): number {
    return this.sums.of(messages) ?? 0;
  }

  /**
   * Freezes the messages of an engine, and replaces copies of known messages by the originals. Skips the prefix that
   * they share with the previous request, which is usually all of it.
   */
  adopt(given: readonly AgentMessage[], known: () => readonly AgentMessage[]): readonly AgentMessage[] {
    const same = countCommon(given, this.last);
    const rest = given.slice(same);
    if (rest.every(isFrozen)) this.last = given.slice();
    else {
      this.index(known());
      this.last = given
        .slice(0, same)
        .concat(rest.map((message) => (isFrozen(message) ? message : this.adoptCopy(message))));
    }
    return this.last;
  }

  /** A transcript mostly grows, so its beginning is usually known. */
  private index(messages: readonly AgentMessage[]): void {
    for (const message of messages.slice(countCommon(messages, this.indexedTranscript))) {
      if (this.indexed.has(message)) continue;
      this.indexed.add(message);
      this.bySaying.set(digest(JSON.stringify(message)), message);
    }
    this.indexedTranscript = messages;
  }

  private adoptCopy(message: AgentMessage): AgentMessage {
    const text = writeMessage(message);
    const key = digest(text);
    const found = this.bySaying.get(key);
    if (found) return found;
    const copy = deepFreeze(JSON.parse(text) as AgentMessage);
    this.bySaying.set(key, copy);
    return copy;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function writeMessage(message: AgentMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    throw new EngineFailure('not-json', 'assemble', 'a message is not JSON');
  }
}
