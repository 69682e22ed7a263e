import type { LlmMessage } from '#context/replay/content.js';

/** The fields of a message that no request has: its time, and reports about the answer or the call. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['timestamp', 'usage', 'responseId', 'diagnostics', 'details']);

/** The message without its bookkeeping, such as the usage of an answer, which the model never sees. */
export function toSentMessage(message: LlmMessage): LlmMessage {
  const sent = Object.entries(message).filter(([name]) => !BOOKKEEPING.has(name));
  return { ...Object.fromEntries(sent), role: message.role };
}
