import type { AgentMessage, Compacted } from '../../contract.js';
import { findSizeFault } from './claimed-numbers.js';
import type { Breach } from './clauses.js';

function findGrowth(before: number, after: number): string | null {
  return after < before ? null : `compacted is true, but the messages went from about ${before} to ${after} tokens`;
}

/** Compactions that left the transcript as it is: the next request shows what came of them. All tokens are estimated. */
export class CompactionClaims {
  /** Of the messages of the newest request, and of those that came since; null: there was no request. */
  private requestTokens: number | null = null;
  private addedTokens = 0;
  private openClaim: { readonly before: number; readonly tokensAfter: number | undefined } | null = null;

  /** A message was added to the transcript. */
  add(tokens: number): void {
    this.addedTokens += tokens;
  }

  /** The engine claims that it made smaller what it will show. */
  claim(result: Compacted | undefined): void {
    if (this.requestTokens === null) return;
    const before = this.requestTokens + this.addedTokens;
    this.openClaim = { before: this.openClaim?.before ?? before, tokensAfter: result?.tokensAfter };
    this.requestTokens = before;
    this.addedTokens = 0;
  }

  /** A request was assembled. `tokens`: of its messages; `whole`: of all of it. Gives the claims that do not hold. */
  takeRequest(messages: readonly AgentMessage[], tokens: number, whole: number): readonly Breach[] {
    const { openClaim: open } = this;
    const after = Math.max(0, tokens - this.addedTokens);
    this.requestTokens = tokens;
    this.addedTokens = 0;
    this.openClaim = null;
    if (open === null) return [];
    return listCompactionBreaches(open, after, { sizes: [after, whole], messages });
  }
}

/** `before`, `after`: tokens of the messages; `found`: what `tokensAfter` may be about. */
export function listCompactionBreaches(
  { before, tokensAfter }: { readonly before: number; readonly tokensAfter?: number | undefined },
  after: number,
  found: Parameters<typeof findSizeFault>[2],
): readonly Breach[] {
  const notSmaller = findGrowth(before, after);
  const notSize = tokensAfter === undefined ? null : findSizeFault('tokensAfter', tokensAfter, found);
  return [
    ...(notSmaller === null ? [] : [{ clause: 'compacted', method: 'compact', message: notSmaller } as const]),
    ...(notSize === null ? [] : [{ clause: 'compact-tokens', method: 'compact', message: notSize } as const]),
  ];
}
