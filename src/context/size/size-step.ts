import { asText, isObject } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { LlmMessage } from '../replay/content.js';
import { readEntryMessage, toLlmMessage } from '../replay/convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from '../replay/selection.js';
import {
  BY_CHARACTERS,
  type CountedParts,
  countMessageTokens,
  isOutputPartial,
  isUsageDerived,
  readPromptUsage,
  readRecordedTokens,
  readUsageNumbers,
  type ReplayedParts,
  type TokenMethod,
} from './tokens.js';
import { plausibleFactor } from './window.js';

/** A request with a provider's token count. */
export interface RecordedRequest {
  readonly prompt: number;
  /** Prompt and answer: the context after the answer. Only the prompt if the output was not counted to its end. */
  readonly total: number;
  /** Estimated tokens of the answer that `total` excludes. */
  readonly uncounted: number;
  /** `provider/model`. */
  readonly model: string;
  /** Whether the counts follow from totals of the session, as no count of the request is recorded. */
  readonly isDerived: boolean;
}

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

/** null where Pi would not trust the usage: see `readRecordedTokens`. */
export function readRecordedRequest(message: LlmMessage, method: TokenMethod = BY_CHARACTERS): RecordedRequest | null {
  const total = readRecordedTokens(message);
  const { usage, provider, model } = message;
  if (total === null || !isObject(usage)) return null;
  const { input, cacheRead, cacheWrite } = readUsageNumbers(readPromptUsage(usage));
  const prompt = input + cacheRead + cacheWrite || total;
  const [counted, uncounted] = isOutputPartial(usage) ? [prompt, countMessageTokens(message, method)] : [total, 0];
  const isDerived = isUsageDerived(usage);
  return { prompt, total: counted, uncounted, model: `${asText(provider)}/${asText(model)}`, isDerived };
}

/** The recorded prompt of an answer, with its estimate; null for any other message. */
export function readCountedPrompt(message: StoredMessage, estimate: () => ReplayedParts): CountedParts | null {
  if (message['role'] !== 'assistant') return null;
  // Assistant messages are sent unchanged.
  const request = readRecordedRequest(message);
  return request && { counted: request.prompt, ...estimate() };
}

/** The end of a path, from the last request with a provider's token count. */
export interface RecordedTail {
  /** The answer, or the last entry of the path if that is the request. */
  readonly head: Head;
  readonly request: RecordedRequest;
  /** Whether the context at the end is itself the request. */
  readonly isSent: boolean;
  /** Estimated tokens of the messages after the answer; null if entries other than messages follow. */
  readonly appended: number | null;
  /** Reads the requests up to the answer. */
  growth(): Growth;
}

/** `upward`: the entries of a path, the last one first. null if no request of it has a provider's token count. */
export function findRecordedTail(session: Session, upward: Iterable<Head>, method: TokenMethod): RecordedTail | null {
  const heads = upward[Symbol.iterator]();
  const after: Head[] = [];
  const tailAt = (head: Head, request: RecordedRequest, isSent: boolean): RecordedTail => {
    const appended = isSent ? 0 : after.some(isContextChange) ? null : tokensOf(session, after, method);
    return { head, request, isSent, appended, growth: () => growthUpTo(session, head, heads, method) };
  };
  for (let next = heads.next(); !next.done; next = heads.next()) {
    const head = next.value;
    const request = readRecordedRequestAt(session, head, method);
    if (request) return tailAt(head, request, false);
    const sent = after.length === 0 ? findSentRequest(session, head) : null;
    if (sent) return tailAt(head, sent, true);
    after.push(head);
  }
  return null;
}

/** The most entries without an effect on the context that are read between a request and its answer. */
const MOST_BETWEEN = 16;

/**
 * The request that the context at an entry is, if its answer follows in the file; the context is then what the provider
 * counted for the prompt.
 */
export function findSentRequest(
  session: Session,
  { index }: Head,
  requestOf: (head: Head) => RecordedRequest | null = (head) => readRecordedRequestAt(session, head),
): RecordedRequest | null {
  const { heads } = session.tree;
  for (let next = index + 1; next <= index + MOST_BETWEEN && heads.parentAt(next) === next - 1; next += 1) {
    const head = heads.at(next);
    if (!head || head.type === 'model_change' || head.type === 'ephemeral') return null;
    if (!isContextChange(head) && !MESSAGE_TYPES.has(head.type)) continue;
    const request = answersRequest(head) ? requestOf(head) : null;
    return request && { ...request, total: request.prompt, uncounted: 0 };
  }
  return null;
}

/** The entries of a path, the last one first. */
export function* walkUp(path: readonly Head[]): Generator<Head> {
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head) yield head;
  }
}

/** Parses only answers with a usage. */
export function readRecordedRequestAt(session: Session, head: Head, method?: TokenMethod): RecordedRequest | null {
  if (!answersRequest(head) || head.usageLength === 0) return null;
  const { message } = session.entry(head);
  // The head confirms that it is an assistant message.
  return isObject(message) ? readRecordedRequest(message as LlmMessage, method) : null;
}

function tokensOf(session: Session, heads: readonly Head[], method: TokenMethod): number {
  return heads.reduce((sum, head) => {
    const step = readSizeEffect(session, head, method);
    return sum + (step?.kind === 'message' ? step.tokens : 0);
  }, 0);
}

/** Reads the entries before the answer that `Growth` needs. */
function growthUpTo(session: Session, answer: Head, above: Iterator<Head>, method: TokenMethod): Growth {
  const steps: SizeEffect[] = [];
  let [requests, bytes] = [0, 0];
  let next: IteratorResult<Head> = { value: answer, done: false };
  for (; !next.done && requests <= MOST_REQUESTS && bytes <= MOST_GROWTH_BYTES; next = above.next()) {
    const step = readSizeEffect(session, next.value, method);
    if (step === null) continue;
    steps.push(step);
    if (step.kind === 'change') continue;
    if (step.request) requests += 1;
    if (requests > 0) bytes += step.bytes;
  }
  const growth = new Growth();
  for (const step of steps.toReversed()) growth.take(step);
  return growth;
}

/** The number of requests on which growth is measured. */
const MOST_REQUESTS = 40;
/** The maximum number of bytes of lines read for it. */
export const MOST_GROWTH_BYTES = 400_000;
/** A smaller growth, in estimated tokens, is not significant. */
const LEAST_GROWTH = 500;
interface Sample {
  readonly request: RecordedRequest;
  /** Estimated tokens of all appended messages before the answer, and up to the end of what was counted. */
  readonly before: number;
  readonly after: number;
  /** The bytes of all lines up to the answer. */
  readonly bytes: number;
  /** Samples with the same number have only appended messages between them. */
  readonly run: number;
}

/** The growth of recorded prompts relative to the estimate, over the last requests of a path. */
export class Growth {
  private readonly samples: Sample[] = [];
  /** Sums over the pairs. */
  private readonly grown = { counted: 0, estimated: 0 };
  private estimated = 0;
  private bytes = 0;
  private run = 0;

  take(step: SizeEffect): void {
    if (step.kind === 'change') {
      this.run += 1;
      return;
    }
    const before = this.estimated;
    this.estimated += step.tokens;
    this.bytes += step.bytes;
    if (step.request === null) return;
    const { bytes, run, samples } = this;
    samples.push({ request: step.request, before, after: this.estimated - step.request.uncounted, bytes, run });
    this.addPair(samples.length - 1, 1);
    while (samples.length > MOST_REQUESTS + 1 || (samples[0]?.bytes ?? bytes) < bytes - MOST_GROWTH_BYTES) {
      this.addPair(1, -1);
      samples.shift();
    }
  }

  /** Counted tokens per estimated one; null if the requests are not sufficient. */
  factor(): number | null {
    const { counted, estimated } = this.grown;
    return estimated < LEAST_GROWTH ? null : plausibleFactor(counted / estimated);
  }

  /** The median error of the rule on these requests, as a share of each prompt; null without requests. */
  error(factor: number): number | null {
    const errors = this.samples.flatMap(({ before: estimated, request }, at) => {
      const before = this.pairedWith(at);
      if (!before) return [];
      const predicted = before.request.total + factor * (estimated - before.after);
      return [Math.abs(predicted - request.prompt) / request.prompt];
    });
    return errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? null;
  }

  /** The request before the one at `at`, if both have the same model and only messages were appended between them. */
  private pairedWith(at: number): Sample | null {
    const [before, sample] = [this.samples[at - 1], this.samples[at]];
    if (!before || !sample) return null;
    return before.run === sample.run && before.request.model === sample.request.model ? before : null;
  }

  /** Adds the growth between a request and the previous one to the sums, or subtracts it. */
  private addPair(at: number, sign: 1 | -1): void {
    const [before, sample] = [this.pairedWith(at), this.samples[at]];
    if (!before || !sample) return;
    this.grown.counted += sign * (sample.request.prompt - before.request.prompt);
    this.grown.estimated += sign * (sample.before - before.before);
  }
}
