import type { ContextSize } from '../replay/envelope.js';
import type { EstimatedParts } from './estimated-parts.js';
import type { EstimatedRequest } from './recorded-request.js';
import { findMethodRate, LARGEST_FACTOR, toPlausibleFactor } from './token-rate.js';
import type { TokenMethod } from './tokens.js';

/** The price of the parts of a context that are not messages, in tokens of the model's provider. */
export type PreamblePrice = Pick<ContextSize, 'notItemised' | 'declaredFactor'>;

/** The first recorded request of a path: mostly its system prompt and tools. */
export interface FirstRecorded extends EstimatedRequest {
  /** Whether the system prompt and the tools are recorded or supplied. */
  readonly isPreambleKnown: boolean;
}

/**
 * Measures the price of the system prompt and the tools. It is always that of the first recorded request. If they are
 * not recorded, it is what the request has beside its messages.
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

/**
 * The price of a preamble within a size: scaled down where the size is smaller, and scaled up where nothing else is in
 * it.
 */
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

/** The tokens that a provider counted for messages, but that no text of them in the file can have. */
export function countTokensNotInFile(
  total: number,
  { notItemised, declaredFactor }: PreamblePrice,
  { declared, messages }: EstimatedParts,
): number {
  const counted = total - (notItemised ?? 0) - declaredFactor * declared;
  return counted <= LARGEST_FACTOR * messages ? 0 : Math.round(counted - declaredFactor * messages);
}
