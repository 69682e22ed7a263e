import type { ContextSize } from '../replay/envelope.js';
import type { EstimatedParts, ReplayedParts } from './estimated-parts.js';
import { countTokensNotInFile, fitPreamblePrice, type PreamblePrice } from './preamble-price.js';
import type { EstimatedRequest } from './recorded-request.js';
import type { LastRecorded } from './recorded-tail.js';
import { findMethodRate, findTokenRate, LEAST_FACTOR } from './token-rate.js';
import { BY_CHARACTERS, type TokenMethod } from './tokens.js';

/** A context size without the price of its preamble. */
export type CountedSize = Omit<ContextSize, 'notItemised' | 'declaredFactor'>;

/** The tokens of a context, and whether all of them are recorded. */
export interface ContextTokens {
  readonly tokens: number;
  readonly isRecorded: boolean;
}

export function toContextTokens({ tokens, estimated, method }: CountedSize): ContextTokens {
  return { tokens, isRecorded: estimated === 0 && tokens > 0 && method !== 'derived' };
}

/** The `tokens` of `measureAppendedSize`. */
export function countAppendedTokens(
  { request, growth }: LastRecorded,
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
  { request, growth }: LastRecorded,
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
  readonly first: EstimatedRequest | null;
  /** The parts after the last recorded answer. */
  readonly last: ReplayedParts;
  readonly now: ReplayedParts;
}

/**
 * The size if other entries than messages follow the last recorded answer. Prompt and tools keep their price. Fewer
 * messages have a share of the counted tokens, and new ones are priced like appended ones.
 */
export function measureChangedSize(
  { request, growth }: LastRecorded,
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
  const before = first && { estimated: first.messages, counted: first.request.prompt - priceOf(first) };

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

/** Estimates the tokens of fewer messages than those that were counted, on the line through the counted ones. */
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
  { declared, messages }: EstimatedParts,
  model: string | null,
  method: TokenMethod,
): CountedSize {
  const tokens = declared + messages;
  if (method.name !== BY_CHARACTERS.name) return toSize('tokenizer', 0, { estimated: tokens, factor: 1, error: null });
  const { rate, isOfFamily } = findTokenRate(model);
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
