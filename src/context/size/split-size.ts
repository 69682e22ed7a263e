import { splitInProportion } from '#base/proportion.js';
import type { ContextSize, TokenCount } from '../replay/envelope.js';
import type { EstimatedParts } from './estimated-parts.js';
import { countTokensNotInFile, fitPreamblePrice, type PreamblePrice } from './preamble-price.js';

/** A measured size, with the price of what is not a message in it. */
export type MeasuredSize = Pick<ContextSize, 'tokens'> & PreamblePrice;

/** A context size by part; the parts add up to it. */
export interface SizeParts extends Record<'system' | 'tools' | 'cached' | 'uncached', number> {
  /** Counted by the provider, but not in the session; null where all parts are. */
  readonly notItemised: number | null;
  /** The part of it that messages had when they were sent. */
  readonly notInFile: number;
}

/** The parts of a size: the preamble at its price, and the messages with the rest. */
export function splitSize(size: MeasuredSize, estimate: Omit<TokenCount, 'total' | 'method'>): SizeParts {
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

/** The part of a size that the first `estimated` tokens of its context have. */
export function measureSizeUpTo(
  estimated: number,
  { tokens, notItemised, declaredFactor }: MeasuredSize,
  { declared, messages }: EstimatedParts,
): number {
  const rest = notItemised ?? 0;
  if (estimated <= declared) return Math.round(rest + declaredFactor * estimated);
  const preamble = rest + declaredFactor * declared;
  return Math.round(
    preamble + ((tokens - preamble) * Math.min(estimated - declared, messages)) / Math.max(1, messages),
  );
}

/** Measured tokens for each estimated one, in a context. */
export interface SizeScale {
  /** The scale of the system prompt and the tools. */
  readonly declared: number;
  readonly messages: number;
}

/** The scale of a context, with which texts outside it are brought to the same unit. */
export function measureScale(size: MeasuredSize & Pick<ContextSize, 'factor'>, estimate: TokenCount): SizeScale {
  const { system, tools, cached, uncached } = splitSize(size, estimate);
  const declared = estimate.system + estimate.tools;
  const messages = estimate.cached + estimate.uncached;
  return {
    declared: declared === 0 ? size.declaredFactor : (system + tools) / declared,
    messages: messages === 0 ? size.factor : (cached + uncached) / messages,
  };
}
