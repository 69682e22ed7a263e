import { findNearestRate, listRatesByModel, type RequestRates } from '#analysis/cache/costs.js';
import { findPriceFactor } from '#context/models/modifiers.js';
import { findListedRates, type ListedRates, type PriceList } from '#context/models/prices.js';
import type { SummaryCall } from '../drive/summary-calls.js';
import type { Sums } from './document.js';
import type { RecordedExchange } from './recorded-exchanges.js';

/** A summary that an engine had written before a request; null: after the last one. */
export interface RunSummaryCall extends SummaryCall {
  readonly request: number | null;
}

/** The calls of a model for summaries, and what they come to. */
export type SummariesCost = Readonly<Sums['summaries']>;

export const NO_SUMMARIES: SummariesCost = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

/** Tokens of a prompt, as the provider counts them. */
interface PromptTokens {
  readonly paid: number;
  /** Those that are read from the cache. */
  readonly read: number;
}

/** The prices of a session's tokens, as its answers record them, else as the list of models does. */
export class Prices {
  /** Dollars for a token of output. */
  private readonly output: ReturnType<typeof listRatesByModel>;
  private readonly assumed = new Set<string>();

  constructor(
    private readonly facts: readonly RecordedExchange[],
    /** Of the prompt. */
    private readonly rates: (request: RecordedExchange) => RequestRates,
    /** Counted tokens for each estimated one. */
    private readonly factor: number,
    private readonly list: PriceList,
  ) {
    this.output = listRatesByModel(facts, ({ output: { tokens, cost } }) =>
      cost === null || tokens === 0 ? null : cost / tokens,
    );
  }

  /** The models whose listed price was used. */
  get listed(): readonly string[] {
    return [...this.assumed];
  }

  /** Dollars of a prompt; null where a price is unknown. */
  priceRequest(facts: RecordedExchange, { paid, read }: PromptTokens): number | null {
    const rates = this.rates(facts);
    const listed = this.findListed(facts, paid + read);
    const paidCost = this.toCost(facts, paid, [rates.paid, listed?.paid]);
    const readCost = this.toCost(facts, read, [rates.read, listed?.read]);
    return paidCost === null || readCost === null ? null : paidCost + readCost;
  }

  /** Dollars of an answer; null where neither it nor another one of its model records them, and the list has no price. */
  priceOutput(facts: RecordedExchange): number | null {
    const { output, usage } = facts;
    return output.cost ?? this.toCost(facts, output.tokens, this.outputRate(facts, usage?.promptTokens ?? 0));
  }

  /** A summary is written by the model of the request before which it was needed, and nothing of it is cached. */
  priceSummaries(all: readonly RunSummaryCall[]): SummariesCost {
    return all.map((each) => this.priceSummary(each)).reduce(addSummariesCost, NO_SUMMARIES);
  }

  private priceSummary({ request, isRecorded, cost, ...call }: RunSummaryCall): SummariesCost {
    const factor = isRecorded ? 1 : this.factor;
    const inputTokens = Math.round(call.inputTokens * factor);
    const outputTokens = Math.round(call.outputTokens * factor);
    const facts = this.facts[(request ?? this.facts.length) - 1];
    const known = (): number | null => {
      if (!facts) return null;
      const input = this.priceRequest(facts, { paid: inputTokens, read: 0 });
      const output = this.toCost(facts, outputTokens, this.outputRate(facts, inputTokens));
      return input === null || output === null ? null : input + output;
    };
    return { calls: 1, inputTokens, outputTokens, cost: cost ?? known() };
  }

  private outputRate(facts: RecordedExchange, promptTokens: number): Rates {
    return [findNearestRate(this.output.get(facts.model), facts.number), this.findListed(facts, promptTokens)?.output];
  }

  /** null where no tokens are recorded to which a price applies, and where the session records that they cost nothing. */
  private findListed(facts: RecordedExchange, promptTokens: number): ListedRates | null {
    const { model, usage } = facts;
    const prices = usage === null || this.rates(facts).paid === 0 ? null : this.list(model);
    const factor = findPriceFactor(model, usage?.modifiers ?? null);
    return usage && prices && factor !== null ? findListedRates(prices, promptTokens, usage, factor) : null;
  }

  /** Tokens that there are none of cost nothing, whatever their price. */
  private toCost({ model }: RecordedExchange, tokens: number, [recorded, listed = null]: Rates): number | null {
    if (tokens === 0) return 0;
    if (recorded === null && listed !== null) this.assumed.add(model);
    const rate = recorded ?? listed;
    return rate === null ? null : tokens * rate;
  }
}

/** Dollars for a token. */
type Rates = readonly [recorded: number | null, listed: number | null | undefined];

export function addSummariesCost(one: SummariesCost, other: SummariesCost): SummariesCost {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
  };
}
