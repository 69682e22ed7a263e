import type { JsonObject } from '#base/json.js';
import { usageNumbers } from '#context/replay/tokens.js';

/** Tokens and dollars as providers reported them, added up. */
export interface UsageSums {
  /** Calls that reported something. */
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
  /** Dollars of the calls that record no cost, at the listed prices of their models; 0 where they are unknown. */
  readonly costListed: number;
}

export const NO_USAGE: UsageSums = {
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: 0,
  costListed: 0,
};

type TokenSums = Pick<UsageSums, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;

/** Input, output, and what was read from and written to a cache: Pi's total, whatever `totalTokens` says. */
export function tokensUsed({ input, output, cacheRead, cacheWrite }: TokenSums): number {
  return input + output + cacheRead + cacheWrite;
}

/** Dollars, recorded and listed. */
export function costKnown({ cost, costListed }: UsageSums): number {
  return cost + costListed;
}

export function plusUsage(sums: UsageSums, usage: JsonObject, costListed = 0): UsageSums {
  const { input, output, cacheRead, cacheWrite, cost } = usageNumbers(usage);
  return plusSums(sums, { calls: 1, input, output, cacheRead, cacheWrite, cost: cost ?? 0, costListed });
}

export function plusSums(some: UsageSums, others: UsageSums): UsageSums {
  return {
    calls: some.calls + others.calls,
    input: some.input + others.input,
    output: some.output + others.output,
    cacheRead: some.cacheRead + others.cacheRead,
    cacheWrite: some.cacheWrite + others.cacheWrite,
    cost: some.cost + others.cost,
    costListed: some.costListed + others.costListed,
  };
}
