import { hiddenTokens } from '#analysis/cache/recorded.js';
import { factorOf } from '#analysis/stats/calibration.js';
import type { Followed } from './follow.js';

/**
 * How estimated tokens become those that a provider counts. The recorded prompt of each request is the anchor: what an
 * engine makes shorter or longer counts at the rate at which the prompts of this session grow.
 */
export interface Scale {
  /** Counted tokens for each estimated one; null: no request records any, and all tokens are estimates. */
  readonly factor: number | null;
  /** Counted tokens of prompt and tools that the session does not record. */
  readonly hidden: number;
  /** Counted tokens of a request, by its number. */
  tokens(number: number, estimated: number): number;
}

/** By the requests as they were recorded. */
export function scaleOf(recorded: readonly Followed[]): Scale {
  const samples = recorded.flatMap(({ facts: { usage }, tokens }) =>
    usage ? [{ recorded: usage.prompt, estimated: tokens }] : [],
  );
  const first = recorded.find(({ facts }) => facts.usage !== null);
  const usage = first?.facts.usage ?? null;
  const hidden =
    first && usage ? hiddenTokens({ preamble: { tokens: first.preamble }, tokens: first.tokens }, usage) : 0;
  const isPreambleKnown = (first?.preamble ?? 0) > 0;
  const known = samples.length === 0 ? null : factorOf(samples, isPreambleKnown);
  const factor = known ?? 1;
  return {
    factor: samples.length === 0 ? null : factor,
    hidden,
    tokens(number, estimated) {
      const at = recorded[number - 1];
      const counted = at?.facts.usage?.prompt;
      if (!at || counted === undefined) return Math.round(hidden + factor * estimated);
      return Math.max(0, Math.round(counted + factor * (estimated - at.tokens)));
    },
  };
}
