import { splitInProportion } from '#base/proportion.js';
import type { ContextSize, TokenCount } from '../replay/envelope.js';

/** The price of the parts of a context that are not messages, in tokens of the model's provider. */
export type PreamblePrice = Pick<ContextSize, 'notItemised' | 'declaredFactor'>;

/** A context as estimated. */
export interface EstimatedParts {
  /** Tokens of the system prompt and the tools. */
  readonly declared: number;
  readonly messages: number;
}

/** A context as estimated, with the number of its messages. */
export interface ReplayedParts extends EstimatedParts {
  readonly count: number;
}

/** A context as estimated, and as its provider counted it. */
export interface CountedParts extends ReplayedParts {
  readonly counted: number;
}

/** The price of a preamble within a size: scaled down where the size is smaller, and scaled up where nothing else is in it. */
export function fitPreamblePrice(
  total: number,
  { notItemised, declaredFactor }: PreamblePrice,
  { declared, messages }: EstimatedParts,
): PreamblePrice {
  const price = (notItemised ?? 0) + declaredFactor * declared;
  if (price === 0 || (price <= total && messages > 0)) return { notItemised, declaredFactor };
  const scale = total / (price + declaredFactor * messages);
  const rest = notItemised === null ? null : Math.round(scale * notItemised);
  return { notItemised: rest, declaredFactor: scale * declaredFactor };
}

/** More tokens than any text has for each estimated one: providers counted 0.9 to 2.1. */
export const LARGEST_FACTOR = 8;

/** The tokens that a provider counted for messages, but that no text of them in the file can have. */
export function countTokensNotInFile(
  total: number,
  { notItemised, declaredFactor }: PreamblePrice,
  parts: EstimatedParts,
) {
  const { declared, messages } = parts;
  const counted = total - (notItemised ?? 0) - declaredFactor * declared;
  return counted <= LARGEST_FACTOR * messages ? 0 : Math.round(counted - declaredFactor * messages);
}

/** The part of a size that the first `estimated` tokens of its context have. */
export function measureSizeUpTo(
  estimated: number,
  { tokens, notItemised, declaredFactor }: Pick<ContextSize, 'tokens'> & PreamblePrice,
  { declared, messages }: EstimatedParts,
): number {
  const rest = notItemised ?? 0;
  if (estimated <= declared) return Math.round(rest + declaredFactor * estimated);
  const preamble = rest + declaredFactor * declared;
  return Math.round(
    preamble + ((tokens - preamble) * Math.min(estimated - declared, messages)) / Math.max(1, messages),
  );
}

/** A context size by part; the parts add up to it. */
export interface SizeParts extends Record<'system' | 'tools' | 'cached' | 'uncached', number> {
  /** Counted by the provider, but not in the session; null where all parts are. */
  readonly notItemised: number | null;
  /** The part of it that messages had when they were sent. */
  readonly notInFile: number;
}

/** The parts of a size: the preamble at its price, and the messages with the rest. */
export function splitSize(
  size: Pick<ContextSize, 'tokens'> & PreamblePrice,
  estimate: Omit<TokenCount, 'total' | 'method'>,
): SizeParts {
  const declared = estimate.system + estimate.tools;
  const messages = estimate.cached + estimate.uncached;
  const price = fitPreamblePrice(size.tokens, size, { declared, messages });
  const notInFile = countTokensNotInFile(size.tokens, price, { declared, messages });
  const notItemised = notInFile > 0 ? (price.notItemised ?? 0) + notInFile : price.notItemised;
  const own = Math.min(size.tokens - (notItemised ?? 0), Math.round(price.declaredFactor * declared));
  const [system = 0, tools = 0] = splitInProportion([estimate.system, estimate.tools], own);
  const rest = size.tokens - (notItemised ?? 0) - system - tools;
  const [cached = 0, uncached = 0] = splitInProportion([estimate.cached, estimate.uncached], rest);
  const isItemised = cached + uncached === rest;
  const all = isItemised ? notItemised : (notItemised ?? 0) + rest;
  return { system, tools, cached, uncached, notItemised: all, notInFile };
}
