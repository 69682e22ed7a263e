import type { LlmMessage } from './content.js';
import type { ContextEnvelope, Provenance } from './envelope.js';
import { type TokenMethod, tokensOfMessage } from './tokens.js';

/** Messages of which each is only made when somebody looks at it. */
export interface MessagesToLookAt {
  readonly length: number;
  at(index: number): MessageLookedAt | undefined;
}

interface MessageLookedAt {
  readonly message: LlmMessage;
  readonly from: Provenance | undefined;
  readonly tokens: number;
}

/** An envelope of which it is known how many messages there are. */
export interface EnvelopeSummary extends Omit<ContextEnvelope, 'messages' | 'meta'> {
  readonly messages: { readonly cached: { readonly length: number }; readonly uncached: { readonly length: number } };
  readonly meta: Omit<ContextEnvelope['meta'], 'provenance'>;
}

/** An envelope whose messages are not held. */
export interface EnvelopeOverview extends EnvelopeSummary {
  readonly messages: { readonly cached: MessagesToLookAt; readonly uncached: MessagesToLookAt };
}

/** The same of an envelope that holds its messages. */
export function overviewOf(envelope: ContextEnvelope, method?: TokenMethod): EnvelopeOverview {
  const { cached, uncached } = envelope.messages;
  const { provenance } = envelope.meta;
  return {
    ...envelope,
    messages: {
      cached: toLookAt(cached, provenance, method),
      uncached: toLookAt(uncached, provenance.slice(cached.length), method),
    },
  };
}

/** Messages that are held. */
export function toLookAt(
  messages: readonly LlmMessage[],
  provenance: readonly Provenance[],
  method?: TokenMethod,
): MessagesToLookAt {
  return {
    length: messages.length,
    at(index) {
      const message = messages[index];
      return message && { message, from: provenance[index], tokens: tokensOfMessage(message, method) };
    },
  };
}
