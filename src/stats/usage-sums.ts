import { usageNumbers } from '../context/tokens.js';
import type { JsonObject } from '../session/values.js';

/** Tokens and dollars as providers reported them, added up. */
export interface UsageSums {
  /** Calls that reported something. */
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
}

export const NO_USAGE: UsageSums = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

/** Input, output, and what was read from and written to a cache: Pi's total, whatever `totalTokens` says. */
export function tokensUsed({ input, output, cacheRead, cacheWrite }: UsageSums): number {
  return input + output + cacheRead + cacheWrite;
}

export function plusUsage(sums: UsageSums, usage: JsonObject): UsageSums {
  const { input, output, cacheRead, cacheWrite, cost } = usageNumbers(usage);
  return plusSums(sums, { calls: 1, input, output, cacheRead, cacheWrite, cost: cost ?? 0 });
}

export function plusSums(some: UsageSums, others: UsageSums): UsageSums {
  return {
    calls: some.calls + others.calls,
    input: some.input + others.input,
    output: some.output + others.output,
    cacheRead: some.cacheRead + others.cacheRead,
    cacheWrite: some.cacheWrite + others.cacheWrite,
    cost: some.cost + others.cost,
  };
}
