import { deepFreeze } from '#base/freeze.js';
import { GrowingFold } from '#base/growing-fold.js';
import { memoizeByObject, memoizeLast } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import type { AgentMessage } from '../contract.js';
import type { Transcript } from './transcript/transcript.js';

/** A message of the agent as requests send it. */
interface SentMessage {
  /** null: it is not sent. */
  readonly message: LlmMessage | null;
  /** Estimated. */
  readonly tokens: number;
}

/** Converts each message once. */
export const toSentMessage = memoizeByObject((message: AgentMessage): SentMessage => {
  const sent = toLlmMessage(toMessage(message));
  return sent === null ? { message: null, tokens: 0 } : { message: deepFreeze(sent), tokens: countMessageTokens(sent) };
});

/** Messages of a request, each with its entry; null: it has none. */
export interface RequestMessages {
  readonly messages: readonly LlmMessage[];
  readonly sources: readonly (string | null)[];
}

interface CountedMessages extends RequestMessages {
  /** Estimated. */
  readonly tokens: number;
  /** Whether the messages of the transcript keep their order. */
  readonly isInOrder: boolean;
}

/** The messages of a request up to one of them. */
interface RequestStart {
  readonly sent: number;
  /** Estimated. */
  readonly tokens: number;
  /** The place in the transcript of the newest message that has one; null after a message that is out of order. */
  readonly place: number | null;
}

const EMPTY: RequestStart = { sent: 0, tokens: 0, place: -1 };

/**
 * The messages of one request after another, as they are sent. A message is looked at again only if one before it has
 * changed.
 */
export class SentMessages {
  private readonly messages: LlmMessage[] = [];
  private readonly sources: (string | null)[] = [];
  /** Other places of the transcript's messages come with other entries. */
  private readonly starts = memoizeLast(
    (places: Transcript['places']) =>
      new GrowingFold<AgentMessage, RequestStart>((before = EMPTY, each) => this.addMessage(before, each, places)),
  );

  constructor(private readonly transcript: Transcript) {}

  /** The messages that a request sends for these of the agent. */
  list(given: readonly AgentMessage[]): CountedMessages {
    const { sent, tokens, place } = this.starts(this.transcript.places).fold(given) ?? EMPTY;
    const messages = this.messages.slice(0, sent);
    const sources = this.sources.slice(0, sent);
    return { messages, sources, tokens, isInOrder: place !== null };
  }

  private addMessage(before: RequestStart, each: AgentMessage, places: Transcript['places']): RequestStart {
    const { message, tokens } = toSentMessage(each);
    const own = places.get(each);
    const isNext = before.place !== null && (own === undefined || own > before.place);
    const place = isNext ? (own ?? before.place) : null;
    if (message === null) return { ...before, place };
    this.messages[before.sent] = message;
    this.sources[before.sent] = this.transcript.sourceOf(each);
    return { sent: before.sent + 1, tokens: before.tokens + tokens, place };
  }
}
