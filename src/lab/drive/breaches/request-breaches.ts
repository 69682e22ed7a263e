import type { BuiltRequest } from '../request-builder.js';
import type { Transcript } from '../transcript/transcript.js';
import { findEstimateFault } from './claimed-numbers.js';
import type { Breach, Clause } from './clauses.js';
import { findDuplicate, findOutOfOrder, findSwappedResult } from './message-order.js';

/** The sentences of the contract that a request of an engine breaks, but for those about providers. */
export function listRequestBreaches(request: BuiltRequest, transcript: Transcript): readonly Breach[] {
  const { content, given, messageTokens, addedTokens, isInOrder } = request;
  // What an engine adds to prompt and tools is part of its request.
  const sizes = [messageTokens + addedTokens, content.tokens];
  const disorder = isInOrder ? null : findOutOfOrder(given, transcript);
  return [
    ...toBreaches('order', disorder ?? findDuplicate(given, transcript)),
    ...toBreaches('own-results', findSwappedResult(given, transcript)),
    ...toBreaches('estimated-tokens', findEstimateFault(content.estimatedTokens, { sizes, messages: given })),
  ];
}

function toBreaches(clause: Clause, message: string | null): readonly Breach[] {
  return message === null ? [] : [{ clause, method: 'assemble', message }];
}
