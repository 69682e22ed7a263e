import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { MESSAGE_TYPES } from '../replay/entry-kinds.js';
import { Growth, MOST_GROWTH_BYTES, MOST_REQUESTS } from './growth.js';
import { readRecordedRequestAt, type RecordedRequest } from './recorded-request.js';
import { isContextChange, readSizeEffect, type SizeEffect } from './size-effect.js';
import type { TokenMethod } from './tokens.js';

/** The last request of a path with a provider's token count. */
export interface LastRecorded {
  readonly request: RecordedRequest;
  /** Reads the requests up to its answer. */
  growth(): Growth;
}

/** The end of a path, from the last request with a provider's token count. */
export interface RecordedTail extends LastRecorded {
  /** The answer, or the last entry of the path if that is the request. */
  readonly head: Head;
  /** Whether the context at the end is itself the request. */
  readonly isSent: boolean;
  /** Estimated tokens of the messages after the answer; null if entries other than messages follow. */
  readonly appended: number | null;
}

/** `upward`: the entries of a path, the last one first. null if no request of it has a provider's token count. */
export function findRecordedTail(session: Session, upward: Iterable<Head>, method: TokenMethod): RecordedTail | null {
  const heads = upward[Symbol.iterator]();
  const after: Head[] = [];
  for (let next = heads.next(); !next.done; next = heads.next()) {
    const head = next.value;
    const own = readRecordedRequestAt(session, head, method);
    const request = own ?? (after.length === 0 ? findSentRequest(session, head) : null);
    if (request) {
      const appended = countAppended(session, after, method);
      const growth = (): Growth => readGrowth(session, head, heads, method);
      return { head, request, isSent: own === null, appended, growth };
    }
    after.push(head);
  }
  return null;
}

/** Estimated tokens of the messages of entries; null if an entry of another kind is among them. */
function countAppended(session: Session, heads: readonly Head[], method: TokenMethod): number | null {
  if (heads.some(isContextChange)) return null;
  let sum = 0;
  for (const head of heads) {
    const effect = readSizeEffect(session, head, method);
    if (effect?.kind === 'message') sum += effect.tokens;
  }
  return sum;
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

/** Reads the entries before the answer that `Growth` needs. */
function readGrowth(session: Session, answer: Head, above: Iterator<Head>, method: TokenMethod): Growth {
  const steps: SizeEffect[] = [];
  let requests = 0;
  let bytes = 0;
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
