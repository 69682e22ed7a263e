import { GrowingFold } from '#base/growing-fold.js';
import { memoizeLast } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { AgentMessage } from '../contract.js';
import type { SentHistory } from './sent-history.js';
import type { Transcript } from './transcript/transcript.js';

/** Messages of a request, each with its entry; null: it has none. */
export interface RequestMessages {
  readonly messages: readonly LlmMessage[];
  readonly sources: readonly (string | null)[];
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

/** Builds the requests of an engine. A message is looked at again only if one before it has changed. */
export class RequestBuilder {
  private readonly messages: LlmMessage[] = [];
  private readonly sources: (string | null)[] = [];
  /** Other places of the transcript's messages come with other entries. */
  private readonly starts = memoizeLast(
    (places: Transcript['places']) =>
      new GrowingFold<AgentMessage, RequestStart>((before = EMPTY, each) => this.addMessage(before, each, places)),
  );

  constructor(
    private readonly sent: SentHistory,
    private readonly transcript: Transcript,
  ) {}

  /** Messages of the agent as a request sends them, with their estimated tokens. */
  build(all: readonly AgentMessage[]): RequestMessages & { readonly tokens: number; readonly isInOrder: boolean } {
    const { sent, tokens, place } = this.starts(this.transcript.places).of(all) ?? EMPTY;
    const messages = this.messages.slice(0, sent);
    const sources = this.sources.slice(0, sent);
    return { messages, sources, tokens, isInOrder: place !== null };
  }

  private addMessage(before: RequestStart, each: AgentMessage, places: Transcript['places']): RequestStart {
    const { message, tokens } = this.sent.convert(each);
    const own = places.get(each);
    const isNext = before.place !== null && (own === undefined || own > before.place);
    const place = isNext ? (own ?? before.place) : null;
    if (message === null) return { ...before, place };
    this.messages[before.sent] = message;
    this.sources[before.sent] = this.transcript.sourceOf(each);
    return { sent: before.sent + 1, tokens: before.tokens + tokens, place };
  }
}
