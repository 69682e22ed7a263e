import { asText, isObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { LlmMessage } from '../replay/content.js';
import { type AgentMessage, toLlm } from '../replay/convert.js';
import { messageOfEntry } from '../replay/entry-message.js';
import { CHANGES_CONTEXT, MESSAGE_TYPES } from '../replay/selection.js';
import { recordedTokens, type TokenMethod, tokensOfMessage, usageNumbers } from '../replay/tokens.js';
import type { SizePoint } from './growth.js';

/** A request with a provider's token count. */
export interface RecordedRequest {
  readonly prompt: number;
  /** Prompt and answer: the context after the answer. */
  readonly total: number;
  /** `provider/model`. */
  readonly model: string;
}

/** An appended message. */
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
export type SizeStep = AppendedMessage | { readonly kind: 'change' };

/** Whether an entry changes the context in another way than by appending a message. */
export function isChange({ type, role }: Head): boolean {
  return CHANGES_CONTEXT.has(type) || role === 'system';
}

/** null for an entry that does not change the context. */
export function sizeStepOf(session: Session, head: Head, method: TokenMethod): SizeStep | null {
  if (isChange(head)) return { kind: 'change' };
  if (!MESSAGE_TYPES.has(head.type)) return null;
  const contributed = messageOfEntry(session.entry(head));
  const message = contributed && toLlm(contributed);
  const tokens = message ? tokensOfMessage(message, method) : 0;
  return { kind: 'message', tokens, bytes: head.length, request: message && recordedRequest(message) };
}

/** null where Pi would not trust the usage: see `recordedTokens`. */
export function recordedRequest(message: LlmMessage): RecordedRequest | null {
  const total = recordedTokens(message);
  const { usage, provider, model } = message;
  if (total === null || !isObject(usage)) return null;
  const { input, cacheRead, cacheWrite } = usageNumbers(usage);
  const prompt = input + cacheRead + cacheWrite;
  return { prompt: prompt === 0 ? total : prompt, total, model: `${asText(provider)}/${asText(model)}` };
}

/** The recorded prompt of an answer, with its estimate; null for any other message. */
export function promptPoint(message: AgentMessage, estimate: () => number): SizePoint | null {
  if (message['role'] !== 'assistant') return null;
  // Assistant messages are sent unchanged.
  const request = recordedRequest(message as LlmMessage);
  return request && { estimated: estimate(), counted: request.prompt };
}
