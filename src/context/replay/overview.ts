import type { EnvelopeContent, LlmMessage } from './content.js';
import type { ContextEnvelope, Provenance } from './envelope.js';

// Apart from envelope.ts: every start loads this, and most need no schema.

/** The content of a session without any entry. */
export const EMPTY_ENVELOPE: EnvelopeContent = {
  system: { parts: [], compiled: '' },
  tools: [],
  messages: { cached: [], uncached: [] },
  options: {},
};

/** Messages that are created on demand. */
export interface LazyMessages {
  readonly length: number;
  /** The role of a message, without creating it. */
  readonly roleAt: (index: number) => LlmMessage['role'] | undefined;
  at(index: number): { readonly message: LlmMessage; readonly from: Provenance | undefined } | undefined;
}

/** An envelope whose messages are not kept in memory. */
export interface EnvelopeOverview extends Omit<ContextEnvelope, 'messages'> {
  readonly messages: { readonly cached: LazyMessages; readonly uncached: LazyMessages };
}

/** The overview of an envelope that has its messages in memory. */
export function toOverview(envelope: ContextEnvelope): EnvelopeOverview {
  const { messages, meta } = envelope;
  const { cached, uncached } = messages;
  return {
    ...envelope,
    messages: {
      cached: toLazyMessages(cached, meta.provenance),
      uncached: toLazyMessages(uncached, meta.provenance.slice(cached.length)),
    },
  };
}

/** Messages in memory. */
export function toLazyMessages(messages: readonly LlmMessage[], sources: readonly Provenance[]): LazyMessages {
  return {
    length: messages.length,
    roleAt: (index) => messages[index]?.role,
    at(index) {
      const message = messages[index];
      return message && { message, from: sources[index] };
    },
  };
}
