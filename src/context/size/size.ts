import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { ContextEnvelope, ContextSize } from '../replay/envelope.js';
import type { ReadPatch } from '../replay/patch-step.js';
import type { Replay, ReplayOptions } from '../replay/replay.js';
import { settingsOf } from '../replay/settings.js';
import { BY_CHARACTERS, type TokenMethod } from '../replay/tokens.js';
import { drain, replayInSteps } from '../walk.js';
import { factorBetween, plausible, type RecordedTail, recordedTail, type SizePoint } from './size-step.js';
import { type ContextWindow, windowOf, type WindowOptions } from './window.js';

/** The minimum ratio of counted tokens to the estimate: a smaller result is invalid, unless the provider counted so. */
const LEAST_RATE = 0.5;

/** A context size without the fields that need a replay. */
export type CountedSize = Omit<ContextSize, 'notItemised'>;

/** The context after a replay. */
export interface Estimate {
  /** Estimated tokens of the sent content. */
  readonly tokens: number;
  /** Tokens of messages for this request only. */
  readonly uncached: number;
  readonly model: ContextEnvelope['meta']['model'];
  /** The first recorded request since the last compaction. */
  readonly first: SizePoint | null;
  /** Whether the system prompt and the tools are recorded or supplied. */
  readonly isPreambleKnown: boolean;
}

/** A path to the entry whose context is measured. */
export interface SizedPath {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly options: Omit<ReplayOptions, 'readPatch' | 'messages'>;
}

/**
 * The size of a context: the tokens that a provider counted for the last recorded request of the path, and a calibrated
 * estimate of later changes. Throws a CtxError (input) if a transform cannot be replayed, unless lenient.
 */
export function contextSize(sized: SizedPath, readPatch: ReadPatch, now: Estimate): ContextSize {
  return drain(contextSizeInSteps(sized, readPatch, now));
}

/** The `tokens` of `contextSize`, and whether all of them are recorded. */
export interface TokensNow {
  readonly tokens: number;
  readonly isRecorded: boolean;
}

/**
 * The tokens of a context, with minimal reading. `upward`: the entries of its path, the last one first;
 * `whole` is called if a replay is needed.
 */
export function tokensNow(
  session: Session,
  { upward, method }: { readonly upward: Iterable<Head>; readonly method: TokenMethod },
  whole: () => ContextSize,
): TokensNow {
  const tail = recordedTail(session, upward, method);
  const isAppended = tail !== null && tail.appended !== null;
  return isAppended ? appendedTokens(tail, tail.appended, method) : tokensOf(whole());
}

export function tokensOf({ tokens, estimated }: CountedSize): TokensNow {
  return { tokens, isRecorded: estimated === 0 };
}

/** Like `contextSize`, but yields the share of its work that is done, from 0 to 1. */
export function* contextSizeInSteps(
  sized: SizedPath,
  readPatch: ReadPatch,
  now: Estimate,
): Generator<number, ContextSize> {
  const method = sized.options.method ?? BY_CHARACTERS;
  const tail = recordedTail(sized.session, upFrom(sized.path), method);
  if (tail === null) return { ...unrecordedSize(now, method), notItemised: null };
  if (tail.appended !== null) {
    const appended = tail.appended + now.uncached;
    const last = { estimated: now.tokens - appended, counted: tail.request.total };
    const size = appendedSize(tail, appended, method);
    return { ...size, notItemised: notItemised(size, now, { first: now.first, last }) };
  }
  const { session, path, options } = sized;
  const upTo = path.slice(0, path.findLastIndex(({ index }) => index === tail.head.index) + 1);
  const then = yield* replayInSteps(session, upTo, { ...options, readPatch, messages: 'sizes' });
  const fit = { first: then.firstRecorded, last: { estimated: then.tokens(), counted: tail.request.total } };
  const size = changedSize(tail, fit, now, method);
  return { ...size, notItemised: size.recorded === 0 ? null : notItemised(size, now, fit) };
}

/** Two places at which both the estimate and a provider's count are known. */
export interface Fit {
  readonly first: SizePoint | null;
  /** After the last recorded answer. */
  readonly last: SizePoint;
}

/** The `tokens` of `appendedSize`. */
export function appendedTokens(
  { request, growth }: Pick<RecordedTail, 'request' | 'growth'>,
  appended: number,
  method: TokenMethod,
): TokensNow {
  if (appended === 0) return { tokens: request.total, isRecorded: true };
  const estimated = Math.round((growth().factor() ?? rateOf(request.model, method)) * appended);
  return { tokens: request.total + estimated, isRecorded: estimated === 0 };
}

/** The size if only messages follow the last recorded answer: `appended` estimated tokens. */
export function appendedSize(
  { request, growth }: Pick<RecordedTail, 'request' | 'growth'>,
  appended: number,
  method: TokenMethod,
): CountedSize {
  const grown = growth();
  const factor = grown.factor() ?? rateOf(request.model, method);
  const kind = appended === 0 ? 'recorded' : 'appended';
  return sizeOf(kind, request.total, { estimated: factor * appended, factor, error: grown.error(factor) });
}

/** The size if other entries than messages follow the last recorded answer. */
export function changedSize(
  { request, growth }: Pick<RecordedTail, 'request' | 'growth'>,
  { first, last }: Fit,
  now: Pick<Estimate, 'tokens' | 'model'>,
  method: TokenMethod,
): CountedSize {
  const change = now.tokens - last.estimated;
  const factor = (first && factorBetween(first, last, change)) ?? growth().factor() ?? rateOf(request.model, method);
  const size = sizeOf('changed', request.total, { estimated: factor * change, factor, error: null });
  if (size.tokens >= now.tokens * LEAST_RATE) return size;
  const rate = plausible(request.total / last.estimated);
  if (rate === null || rate >= LEAST_RATE) return unrecordedSize(now, method);
  // This provider counts that little throughout, as of images: the size keeps at least the proportion.
  const proportional = sizeOf('changed', request.total, { estimated: rate * change, factor: rate, error: null });
  const larger = size.tokens > proportional.tokens ? size : proportional;
  return larger.tokens === 0 ? unrecordedSize(now, method) : larger;
}

/** The size without a provider's count. */
export function unrecordedSize(
  { tokens, model }: Pick<Estimate, 'tokens' | 'model'>,
  method: TokenMethod,
): CountedSize {
  if (method.name !== BY_CHARACTERS.name) return sizeOf('tokenizer', 0, { estimated: tokens, factor: 1, error: null });
  const { rate, isOfFamily } = tokenRateOf(model?.modelId ?? null);
  return sizeOf(isOfFamily ? 'family' : 'median', 0, { estimated: rate * tokens, factor: rate, error: null });
}

function sizeOf(
  method: ContextSize['method'],
  recorded: number,
  { estimated, factor, error }: Pick<ContextSize, 'estimated' | 'factor' | 'error'>,
): CountedSize {
  const rounded = Math.round(estimated);
  const isShown = error === null ? null : Number(error.toPrecision(3));
  return {
    tokens: recorded + rounded,
    recorded,
    estimated: rounded,
    factor: Number(factor.toPrecision(4)),
    error: isShown,
    method,
  };
}

function rateOf(model: string, { name }: TokenMethod): number {
  return name === BY_CHARACTERS.name ? tokenRateOf(model).rate : 1;
}

/** The tokens of the first request beyond its estimate: the prompt and the tools that the session does not record. */
function notItemised({ tokens, factor }: CountedSize, now: Estimate, { first, last }: Fit): number | null {
  if (now.isPreambleKnown) return null;
  const from = first ?? last;
  const rate = factorBetween(from, last, last.estimated) ?? factor;
  return Math.round(Math.min(tokens, Math.max(0, from.counted - rate * from.estimated)));
}

/** The entries of a path, the last one first. */
export function* upFrom(path: readonly Head[]): Generator<Head> {
  for (let at = path.length - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head) yield head;
  }
}

export function estimateOf(replay: Replay, model: Estimate['model']): Estimate {
  const { system, tools } = replay.sources();
  return {
    tokens: replay.tokens(),
    uncached: 0,
    model,
    first: replay.firstRecorded,
    isPreambleKnown: system !== 'unknown' && tools !== 'unknown',
  };
}

/** Provider tokens per token of `chars/4`, measured on recorded sessions (docs/status.md). */
const RATES: readonly (readonly [family: RegExp, rate: number])[] = [
  [/kimi/, 1.1],
  [/deepseek/, 0.98],
  [/glm/, 1.4],
  [/claude-opus-4[-.]5/, 1.3],
  [/claude-sonnet-4[-.]5/, 1.5],
  [/claude-sonnet-4[-.]6/, 1.48],
  [/claude-opus-4[-.]8/, 2.04],
];

const MEDIAN_RATE = 1.4;

interface TokenRate {
  readonly rate: number;
  /** false: no session of the model's family was measured, and the rate is the median of all. */
  readonly isOfFamily: boolean;
}

/** The rate of a model, by its name; `null` for an unknown one. */
function tokenRateOf(model: string | null): TokenRate {
  const name = model?.toLowerCase() ?? '';
  const found = RATES.find(([family]) => family.test(name));
  return { rate: found?.[1] ?? MEDIAN_RATE, isOfFamily: found !== undefined };
}

/** The context window of the model at the end of a path. */
export function windowAt(session: Session, path: readonly Head[], options: WindowOptions): ContextWindow {
  return windowOf(settingsOf(session, path).model, options, session.foreign?.contextWindow);
}
