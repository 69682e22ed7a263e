import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { OpenSession } from '../open.js';
import type { ContextSize } from '../replay/envelope.js';
import type { Replay, ReplayOptions } from '../replay/replay.js';
import { findModelName } from '../replay/settings.js';
import { drain, replayInSteps, type WalkOptions } from '../walk.js';
import {
  type ContextTokens,
  countAppendedTokens,
  estimateSize,
  measureAppendedSize,
  measureChangedSize,
  toContextTokens,
} from './counted-size.js';
import type { EstimatedParts } from './estimated-parts.js';
import { type FirstRecorded, fitPreamblePrice, measurePreamblePrice, type PreamblePrice } from './preamble-price.js';
import { readRecordedRequestAt } from './recorded-request.js';
import { findRecordedTail, walkUp } from './recorded-tail.js';
import type { MeasuredSize } from './split-size.js';
import { BY_CHARACTERS, type TokenMethod } from './tokens.js';

/** A path to the entry whose context is measured. */
export interface SizedPath {
  readonly session: OpenSession;
  readonly path: readonly Head[];
  readonly options: ReplayOptions;
}

/**
 * The size of a context: the tokens that a provider counted for it, or for the last recorded request of the path, and a
 * calibrated estimate of later changes. `replay`: of the whole path. Throws a CtxError (input) if a transform cannot be
 * replayed, unless the session is lenient.
 */
export function measureContextSize(sized: SizedPath, replay: Replay): ContextSize {
  return drain(measureContextSizeInSteps(sized, replay));
}

/**
 * Like `measureContextSize`, but yields the share of its work that is done, from 0 to 1. `uncached`: estimated tokens
 * of messages for this request only.
 */
export function* measureContextSizeInSteps(
  { session, path, options }: SizedPath,
  replay: Replay,
  uncached = 0,
): Generator<number, ContextSize> {
  const method = options.method ?? BY_CHARACTERS;
  const parts = replay.countParts();
  const now = { ...parts, messages: parts.messages + uncached };
  const tail = findRecordedTail(session, walkUp(path), method);
  if (tail === null) {
    const size = estimateSize(now, findModelName(session, path), method);
    return { ...size, notItemised: null, declaredFactor: size.factor };
  }
  const { isPreambleKnown } = replay;
  const own = { ...options, messages: 'sizes' } as const;
  // The first request of a path may end it, before its answer.
  const first = (yield* findFirstRecorded(session, path, own)) ?? { ...now, request: tail.request, isPreambleKnown };
  const preamble = measurePreamblePrice(first, isPreambleKnown, method);
  if (tail.appended !== null) {
    const appended = tail.appended + (tail.isSent ? 0 : uncached);
    return addPreamblePrice(measureAppendedSize(tail, appended, method), preamble, now);
  }
  const end = path.findLastIndex(({ index }) => index === tail.head.index) + 1;
  const atAnswer = yield* replayInSteps(session, path.slice(0, end), own);
  const contexts = { preamble, first: atAnswer.firstRecorded, last: atAnswer.countParts(), now };
  return addPreamblePrice(measureChangedSize(tail, contexts, method), preamble, now);
}

/** null if no answer of a path has a provider's token count. Yields like `replayInSteps`. */
export function* findFirstRecorded(
  session: OpenSession,
  path: readonly Head[],
  options: WalkOptions,
): Generator<number, FirstRecorded | null> {
  for (const [index, head] of path.entries()) {
    const request = readRecordedRequestAt(session, head);
    if (request === null) continue;
    const replay = yield* replayInSteps(session, path.slice(0, index), options);
    return { ...replay.countParts(), request, isPreambleKnown: replay.isPreambleKnown };
  }
  return null;
}

function addPreamblePrice<Size extends Pick<ContextSize, 'tokens'>>(
  size: Size,
  preamble: PreamblePrice,
  now: EstimatedParts,
): Size & PreamblePrice {
  const { notItemised, declaredFactor } = fitPreamblePrice(size.tokens, preamble, now);
  return { ...size, notItemised, declaredFactor: Number(declaredFactor.toPrecision(4)) };
}

/**
 * The size of a request of known tokens, as `measureContextSize` has it. `first`: the first recorded request of its
 * path.
 */
export function measureSentSize(tokens: number, first: FirstRecorded, replay: Replay): MeasuredSize {
  const preamble = measurePreamblePrice(first, replay.isPreambleKnown, BY_CHARACTERS);
  return addPreamblePrice({ tokens }, preamble, replay.countParts());
}

/**
 * The tokens of a context, with minimal reading. `upward`: the entries of its path, the last one first;
 * `whole` is called if a replay is needed.
 */
export function countContextTokens(
  session: Session,
  { upward, method }: { readonly upward: Iterable<Head>; readonly method: TokenMethod },
  whole: () => ContextSize,
): ContextTokens {
  const tail = findRecordedTail(session, upward, method);
  const isAppended = tail !== null && tail.appended !== null;
  return isAppended ? countAppendedTokens(tail, tail.appended, method) : toContextTokens(whole());
}
