import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { OpenSession } from '../open.js';
import type { ContextEnvelope, ContextSize } from '../replay/envelope.js';
import type { Replay, ReplayOptions } from '../replay/replay.js';
import { findSettings } from '../replay/settings.js';
import { drain, replayInSteps, type WalkOptions } from '../walk.js';
import {
  type CountedParts,
  countTokensNotInFile,
  fitPreamblePrice,
  type PreamblePrice,
  type ReplayedParts,
} from './preamble-price.js';
import { readRecordedRequestAt, type RecordedRequest } from './recorded-request.js';
import { findRecordedTail, type RecordedTail, walkUp } from './recorded-tail.js';
import { findMethodRate, findTokenRate, LEAST_FACTOR, toPlausibleFactor } from './token-rate.js';
import { BY_CHARACTERS, type TokenMethod } from './tokens.js';
import { type ContextWindow, readSessionWindow, selectWindow, type WindowOptions } from './window.js';

/** A context size without the fields that need a replay. */
export type CountedSize = Omit<ContextSize, 'notItemised' | 'declaredFactor'>;

/** The context after a replay. */
export interface ContextEstimate extends ReplayedParts {
  /** Estimated tokens of messages for this request only; they are among the messages. */
  readonly uncached: number;
  readonly model: ContextEnvelope['meta']['model'];
  /** Whether the system prompt and the tools are recorded or supplied. */
  readonly isPreambleKnown: boolean;
}

/** A path to the entry whose context is measured. */
export interface SizedPath {
  readonly session: OpenSession;
  readonly path: readonly Head[];
  readonly options: ReplayOptions;
}

/**
 * The size of a context: the tokens that a provider counted for it, or for the last recorded request of the path, and a
 * calibrated estimate of later changes. Throws a CtxError (input) if a transform cannot be replayed, unless the session is lenient.
 */
export function measureContextSize(sized: SizedPath, now: ContextEstimate): ContextSize {
  return drain(measureContextSizeInSteps(sized, now));
}

/** The `tokens` of `measureContextSize`, and whether all of them are recorded. */
export interface ContextTokens {
  readonly tokens: number;
  readonly isRecorded: boolean;
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

export function toContextTokens({ tokens, estimated, method }: CountedSize): ContextTokens {
  return { tokens, isRecorded: estimated === 0 && tokens > 0 && method !== 'derived' };
}

/** Like `measureContextSize`, but yields the share of its work that is done, from 0 to 1. */
export function* measureContextSizeInSteps(
  { session, path, options }: SizedPath,
  now: ContextEstimate,
): Generator<number, ContextSize> {
  const method = options.method ?? BY_CHARACTERS;
  const tail = findRecordedTail(session, walkUp(path), method);
  if (tail === null) {
    const size = estimateSize(now, method);
    return { ...size, notItemised: null, declaredFactor: size.factor };
  }
  const own = { ...options, messages: 'sizes' } as const;
  // The first request of a path may end it, before its answer.
  const first = (yield* findFirstRecorded(session, path, own)) ?? { ...now, request: tail.request };
  const preamble = measurePreamblePrice(first, now.isPreambleKnown, method);
  if (tail.appended !== null) {
    const appended = tail.appended + (tail.isSent ? 0 : now.uncached);
    return addPreamblePrice(measureAppendedSize(tail, appended, method), preamble, now);
  }
  const end = path.findLastIndex(({ index }) => index === tail.head.index) + 1;
  const replay = yield* replayInSteps(session, path.slice(0, end), own);
  const parts = { preamble, first: replay.firstRecorded, last: replay.parts(), now };
  return addPreamblePrice(measureChangedSize(tail, parts, method), preamble, now);
}

function addPreamblePrice<Size extends Pick<CountedSize, 'tokens'>>(
  size: Size,
  preamble: PreamblePrice,
  now: ReplayedParts,
): Size & PreamblePrice {
  const { notItemised, declaredFactor } = fitPreamblePrice(size.tokens, preamble, now);
  return { ...size, notItemised, declaredFactor: Number(declaredFactor.toPrecision(4)) };
}

/** The size of a request that a provider counted, as `measureContextSize` has it. `first`: the first such request of its path. */
export function measureSentSize(
  { prompt }: Pick<RecordedRequest, 'prompt'>,
  first: FirstRecorded,
  now: Omit<ContextEstimate, 'uncached' | 'model'>,
): Pick<ContextSize, 'tokens'> & PreamblePrice {
  return addPreamblePrice({ tokens: prompt }, measurePreamblePrice(first, now.isPreambleKnown, BY_CHARACTERS), now);
}

/** The first recorded request of a path: mostly its system prompt and tools. */
export interface FirstRecorded extends Pick<ContextEstimate, 'declared' | 'messages' | 'isPreambleKnown'> {
  readonly request: Pick<RecordedRequest, 'prompt' | 'model'>;
}

/** Provider tokens for each estimated one of messages at the end of a path. Reads the last requests. */
export function measureTokenFactor(session: Session, path: readonly Head[]): number {
  const tail = findRecordedTail(session, walkUp(path), BY_CHARACTERS);
  if (tail) return tail.growth().factor() ?? findMethodRate(tail.request.model, BY_CHARACTERS);
  return findTokenRate(findSettings(session, path).model?.modelId ?? null).rate;
}

/** null if no answer of a path has a provider's token count. Yields like `replayInSteps`. */
export function* findFirstRecorded(session: OpenSession, path: readonly Head[], options: WalkOptions) {
  for (const [index, head] of path.entries()) {
    const request = readRecordedRequestAt(session, head);
    if (request === null) continue;
    const replay = yield* replayInSteps(session, path.slice(0, index), options);
    return { ...replay.parts(), request, isPreambleKnown: isPreambleKnown(replay) } satisfies FirstRecorded;
  }
  return null;
}

/**
 * The price of the system prompt and the tools: that of the first recorded request, so that it stays the same. If they are
 * not recorded, it is what that request has beside its messages.
 */
export function measurePreamblePrice(
  { request, declared, messages, isPreambleKnown: wasKnown }: FirstRecorded,
  isKnown: boolean,
  method: TokenMethod,
): PreamblePrice {
  const rate = findMethodRate(request.model, method);
  const estimated = declared + messages;
  if (wasKnown) return { notItemised: null, declaredFactor: toPlausibleFactor(request.prompt / estimated) ?? rate };
  const rest = Math.max(0, Math.round(request.prompt - rate * estimated));
  return { notItemised: isKnown ? null : rest, declaredFactor: rate };
}

type TailCounts = Pick<RecordedTail, 'request' | 'growth'>;

/** The `tokens` of `measureAppendedSize`. */
export function countAppendedTokens(
  { request, growth }: TailCounts,
  appended: number,
  method: TokenMethod,
): ContextTokens {
  const added = appended + request.uncounted;
  if (added === 0) return { tokens: request.total, isRecorded: !request.isDerived };
  const estimated = Math.round((growth().factor() ?? findMethodRate(request.model, method)) * added);
  return { tokens: request.total + estimated, isRecorded: estimated === 0 && !request.isDerived };
}

/** The size if only messages follow the last recorded answer: `appended` estimated tokens. */
export function measureAppendedSize(
  { request, growth }: TailCounts,
  appended: number,
  method: TokenMethod,
): CountedSize {
  const grown = growth();
  const factor = grown.factor() ?? findMethodRate(request.model, method);
  const added = appended + request.uncounted;
  const recorded = request.isDerived ? 'derived' : 'recorded';
  const kind = added > 0 ? 'appended' : recorded;
  return toSize(kind, request.total, { estimated: factor * added, factor, error: grown.error(factor) });
}

/** The contexts between which the size is computed. */
export interface ChangedParts {
  readonly preamble: PreamblePrice;
  /** The first recorded request since the last compaction. */
  readonly first: CountedParts | null;
  /** After the last recorded answer. */
  readonly last: ReplayedParts;
  readonly now: ReplayedParts;
}

/**
 * The size if other entries than messages follow the last recorded answer. Prompt and tools keep their price. Fewer
 * messages have a share of the counted tokens, and new ones are priced like appended ones.
 */
export function measureChangedSize(
  { request, growth }: TailCounts,
  { preamble, first, last: answered, now }: ChangedParts,
  method: TokenMethod,
): CountedSize {
  const answer = { ...answered, messages: answered.messages - request.uncounted };
  const price = fitPreamblePrice(request.total, preamble, answer);
  // Nothing tells which messages had texts that the file lacks: each is taken to have had the same.
  const missing = countTokensNotInFile(request.total, price, answer) / Math.max(1, answer.count);
  const priceOf = ({ declared, count }: ReplayedParts): number =>
    (price.notItemised ?? 0) + price.declaredFactor * declared + missing * Math.min(count, answer.count);
  const last: CountedMessages = { estimated: answer.messages, counted: request.total - priceOf(answer) };
  const before = first && { estimated: first.messages, counted: first.counted - priceOf(first) };

  const rate = findMethodRate(request.model, method);
  const added = now.messages - last.estimated;
  const messages =
    added > 0
      ? last.counted + (growth().factor() ?? rate) * added
      : Math.max(Math.min(1, now.messages), interpolate(now.messages, { before, last, rate }));
  const factor = added === 0 ? rate : (messages - last.counted) / added;
  return toSize('changed', request.total, { estimated: priceOf(now) + messages - request.total, factor, error: null });
}

/** Estimated tokens of messages, and what a provider counted for them. */
interface CountedMessages {
  readonly estimated: number;
  readonly counted: number;
}

interface CountedLine {
  /** An earlier request; null if none is known. */
  readonly before: CountedMessages | null;
  readonly last: CountedMessages;
  /** Provider tokens per estimated one, where the counts cannot tell. */
  readonly rate: number;
}

/** The tokens of fewer messages than those that were counted, on the line through the counted ones. */
function interpolate(messages: number, { before, last, rate }: CountedLine): number {
  if (last.counted < LEAST_FACTOR * last.estimated) return Math.min(last.counted, rate * messages);
  const isBelow =
    before !== null && before.estimated < last.estimated && before.counted > 0 && before.counted < last.counted;
  if (!isBelow) return last.estimated === 0 ? 0 : (last.counted * messages) / last.estimated;
  if (messages < before.estimated) return (before.counted * messages) / before.estimated;
  const grown = messages - before.estimated;
  return before.counted + ((last.counted - before.counted) * grown) / (last.estimated - before.estimated);
}

/** The size without a provider's count. */
export function estimateSize(
  { declared, messages, model }: Pick<ContextEstimate, 'declared' | 'messages' | 'model'>,
  method: TokenMethod,
): CountedSize {
  const tokens = declared + messages;
  if (method.name !== BY_CHARACTERS.name) return toSize('tokenizer', 0, { estimated: tokens, factor: 1, error: null });
  const { rate, isOfFamily } = findTokenRate(model?.modelId ?? null);
  return toSize(isOfFamily ? 'family' : 'median', 0, { estimated: rate * tokens, factor: rate, error: null });
}

function toSize(
  method: ContextSize['method'],
  recorded: number,
  { estimated, factor, error }: Pick<ContextSize, 'estimated' | 'factor' | 'error'>,
): CountedSize {
  const rounded = Math.round(estimated);
  return {
    tokens: recorded + rounded,
    recorded,
    estimated: rounded,
    factor: Number(factor.toPrecision(4)),
    error: error === null ? null : Number(error.toPrecision(3)),
    method,
  };
}

export function buildEstimate(replay: Replay, model: ContextEstimate['model']): ContextEstimate {
  return { ...replay.parts(), uncached: 0, model, isPreambleKnown: isPreambleKnown(replay) };
}

export function isPreambleKnown(replay: Replay): boolean {
  const { system, tools } = replay.sources();
  return system !== 'unknown' && tools !== 'unknown';
}

/** The context window of the model at the end of a path. */
export function findWindow(session: Session, path: readonly Head[], options: WindowOptions): ContextWindow {
  return selectWindow(findSettings(session, path).model, options, readSessionWindow(session));
}
