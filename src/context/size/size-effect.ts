import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { readEntryMessage, toLlmMessage } from '../replay/convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from '../replay/entry-kinds.js';
import { readRecordedRequest, type RecordedRequest } from './recorded-request.js';
import { countMessageTokens, type TokenMethod } from './tokens.js';

interface AppendedMessage {
  readonly kind: 'message';
  /** Estimated. */
  readonly tokens: number;
  /** The bytes of its line. */
  readonly bytes: number;
  /** null for a message that is not an answer, or without a recorded count. */
  readonly request: RecordedRequest | null;
}

/** The effect of an entry on the size of the context. */
export type SizeEffect = AppendedMessage | { readonly kind: 'change' };

/** Whether an entry changes the context in another way than by appending a message. */
export function isContextChange({ type, role }: Head): boolean {
  return CONTEXT_CHANGE_TYPES.has(type) || role === 'system';
}

/** null for an entry that does not change the context. */
export function readSizeEffect(session: Session, head: Head, method: TokenMethod): SizeEffect | null {
  if (isContextChange(head)) return { kind: 'change' };
  if (!MESSAGE_TYPES.has(head.type)) return null;
  const contributed = readEntryMessage(session.entry(head));
  const message = contributed && toLlmMessage(contributed);
  const tokens = message ? countMessageTokens(message, method) : 0;
  return { kind: 'message', tokens, bytes: head.length, request: message && readRecordedRequest(message, method) };
}
