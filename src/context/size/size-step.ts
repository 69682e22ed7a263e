import { asText, isObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { LlmMessage } from '../replay/content.js';
import { type AgentMessage, messageOfEntry, toLlm } from '../replay/convert.js';
import { CHANGES_CONTEXT, MESSAGE_TYPES } from '../replay/selection.js';
import { recordedTokens, type TokenMethod, tokensOfMessage, usageNumbers } from '../replay/tokens.js';
import { Growth, MOST_BYTES, MOST_REQUESTS, type SizePoint } from './growth.js';

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
function recordedRequest(message: LlmMessage): RecordedRequest | null {
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

/** The end of a path, from the last request with a provider's token count. */
export interface RecordedTail {
  /** The answer. */
  readonly head: Head;
  readonly request: RecordedRequest;
  /** Estimated tokens of the messages after the answer; null if entries other than messages follow. */
  readonly appended: number | null;
  /** Reads the requests up to the answer. */
  growth(): Growth;
}

/** `upward`: the entries of a path, the last one first. null if no request of it has a provider's token count. */
export function recordedTail(session: Session, upward: Iterable<Head>, method: TokenMethod): RecordedTail | null {
  const heads = upward[Symbol.iterator]();
  const after: Head[] = [];
  for (let next = heads.next(); !next.done; next = heads.next()) {
    const head = next.value;
    const request = requestAt(session, head);
    if (request) {
      const appended = after.some(isChange) ? null : tokensOf(session, after, method);
      return { head, request, appended, growth: () => growthUpTo(session, head, heads, method) };
    }
    after.push(head);
  }
  return null;
}

/** Parses only answers with a usage. */
function requestAt(session: Session, head: Head): RecordedRequest | null {
  if (head.role !== 'assistant' || head.usageLength === 0) return null;
  const { message } = session.entry(head);
  // The head confirms that it is an assistant message.
  return isObject(message) ? recordedRequest(message as LlmMessage) : null;
}

function tokensOf(session: Session, heads: readonly Head[], method: TokenMethod): number {
  return heads.reduce((sum, head) => {
    const step = sizeStepOf(session, head, method);
    return sum + (step?.kind === 'message' ? step.tokens : 0);
  }, 0);
}

/** Reads the entries before the answer that `Growth` needs. */
function growthUpTo(session: Session, answer: Head, above: Iterator<Head>, method: TokenMethod): Growth {
  const steps: SizeStep[] = [];
  let [requests, bytes] = [0, 0];
  let next: IteratorResult<Head> = { value: answer, done: false };
  for (; !next.done && requests <= MOST_REQUESTS && bytes <= MOST_BYTES; next = above.next()) {
    const step = sizeStepOf(session, next.value, method);
    if (step === null) continue;
    steps.push(step);
    if (step.kind === 'change') continue;
    bytes += step.bytes;
    if (step.request) requests += 1;
  }
  const growth = new Growth();
  for (const step of steps.toReversed()) growth.take(step);
  return growth;
}
