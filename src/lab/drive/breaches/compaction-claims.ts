import type { AgentMessage, Compacted } from '../../contract.js';
import { type ActualSizes, findSizeFault } from './claimed-numbers.js';
import type { Breach } from './clauses.js';

/**
 * Compactions that an engine claims, and that left the transcript as it is. Whether a claim holds is seen in the next
 * request. All tokens are estimated.
 */
export class CompactionClaims {
  /**
   * The tokens of the messages of the newest request; those that came since are in `addedTokens`. null: there was no
   * request.
   */
  private requestTokens: number | null = null;
  private addedTokens = 0;
  private openClaim: CompactionClaim | null = null;

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

  /** A request was assembled. `tokens`: of its messages; `whole`: of all of it. Returns the claims that do not hold. */
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

/** A compaction as an engine claims it. */
interface CompactionClaim {
  /** Tokens of the messages before it. */
  readonly before: number;
  readonly tokensAfter: number | undefined;
}

/** The claims about a compaction that do not hold. `after`: tokens of the messages after it. */
export function listCompactionBreaches(
  { before, tokensAfter }: CompactionClaim,
  after: number,
  actual: ActualSizes,
): readonly Breach[] {
  const breaches: Breach[] = [];
  if (after >= before) {
    const message = `compacted is true, but the messages went from about ${before} to ${after} tokens`;
    breaches.push({ clause: 'compacted', method: 'compact', message });
  }
  const fault = tokensAfter === undefined ? null : findSizeFault('tokensAfter', tokensAfter, actual);
  if (fault !== null) breaches.push({ clause: 'compact-tokens', method: 'compact', message: fault });
  return breaches;
}
