import { nearestRate, type RatesAt } from '../cache/costs.js';
import type { SummaryCall } from '../engines/summary-calls.js';
import type { RequestFacts } from './request-facts.js';

/** A summary that an engine had written before a request; null: behind the last one. */
export interface Summarised extends SummaryCall {
  readonly request: number | null;
}

/** The calls of a model for summaries, and what they come to. Tokens as the provider counts them. */
export interface SummariesCost {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Dollars; null where the session records no price of the model. */
  readonly cost: number | null;
}

export const NO_SUMMARIES: SummariesCost = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

/** What the tokens of a session cost, by the prices that its answers record. */
export class Prices {
  private readonly output: ReturnType<typeof outputRates>;

  constructor(
    private readonly facts: readonly RequestFacts[],
    /** Of the prompt. */
    readonly rates: (request: RequestFacts) => RatesAt,
    /** Counted tokens for each estimated one. */
    private readonly factor: number,
  ) {
    this.output = outputRates(facts);
  }

  /** Dollars of an answer; null where neither it nor another one of its model records them. */
  ofOutput({ output, model, number }: RequestFacts): number | null {
    if (output.cost !== null || output.tokens === 0) return output.cost ?? 0;
    const rate = nearestRate(this.output.get(model), number);
    return rate === null ? null : output.tokens * rate;
  }

  /** A summary is written by the model of the request before which it was needed, and nothing of it is cached. */
  ofSummaries(all: readonly Summarised[]): SummariesCost {
    return all.map((each) => this.ofSummary(each)).reduce(added, NO_SUMMARIES);
  }

  private ofSummary({ request, isRecorded, cost, ...call }: Summarised): SummariesCost {
    const factor = isRecorded ? 1 : this.factor;
    const [inputTokens, outputTokens] = [Math.round(call.inputTokens * factor), Math.round(call.outputTokens * factor)];
    const facts = this.facts[(request ?? this.facts.length) - 1];
    const [input, output] = facts
      ? [this.rates(facts).paid, nearestRate(this.output.get(facts.model), facts.number)]
      : [null, null];
    const known = input === null || output === null ? null : inputTokens * input + outputTokens * output;
    return { calls: 1, inputTokens, outputTokens, cost: cost ?? known };
  }
}

export function added(one: SummariesCost, other: SummariesCost): SummariesCost {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
  };
}

/** Dollars for a token of output, by model, in the order of the requests. */
function outputRates(facts: readonly RequestFacts[]): ReadonlyMap<string, { number: number; rate: number }[]> {
  const rates = new Map<string, { number: number; rate: number }[]>();
  for (const { model, number, output } of facts) {
    if (output.cost === null || output.tokens === 0) continue;
    const known = rates.get(model) ?? [];
    known.push({ number, rate: output.cost / output.tokens });
    rates.set(model, known);
  }
  return rates;
}
