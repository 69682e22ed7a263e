import { findNearestRate, listRatesByModel, type NearestRates, type RatesByModel } from '#analysis/cache/costs.js';
import { findPriceFactor } from '#context/models/modifiers.js';
import { findListedRates, type ListedRates, type PriceList } from '#context/models/prices.js';
import type { SummaryCall } from '../drive/summary-calls.js';
import type { Sums } from './document.js';
import type { RecordedExchange } from './recorded-exchanges.js';

/** A call of an engine for a summary. */
export interface RunSummaryCall extends SummaryCall {
  /** The number of the request before which it was made; null after the last one. */
  readonly request: number | null;
}

/** The calls of a model for summaries, and what they come to. */
export type SummariesCost = Readonly<Sums['summaries']>;

export const NO_SUMMARIES: SummariesCost = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 };

/** Tokens of a prompt, as the provider counts them. */
interface PromptTokens {
  readonly paid: number;
  /** The tokens that are read from the cache. */
  readonly read: number;
}

/** The prices of a session's tokens: those that its answers record, else the listed ones. */
export class Prices {
  /** Dollars for a token of output. */
  private readonly output: RatesByModel;
  private readonly listedModels = new Set<string>();

  constructor(
    private readonly exchanges: readonly RecordedExchange[],
    /** The recorded rates of a prompt. */
    private readonly rates: (request: RecordedExchange) => NearestRates,
    /** Counted tokens for each estimated one. */
    private readonly factor: number,
    private readonly list: PriceList,
  ) {
    this.output = listRatesByModel(exchanges, ({ output: { tokens, cost } }) =>
      cost === null || tokens === 0 ? null : cost / tokens,
    );
  }

  /** The models whose listed price was used. */
  get listed(): readonly string[] {
    return [...this.listedModels];
  }

  /** Dollars of a prompt; null where a price is unknown. */
  priceRequest(exchange: RecordedExchange, { paid, read }: PromptTokens): number | null {
    const rates = this.rates(exchange);
    const listed = this.findListed(exchange, paid + read);
    const paidCost = this.toCost(exchange, paid, { recorded: rates.paid, listed: listed?.paid ?? null });
    const readCost = this.toCost(exchange, read, { recorded: rates.read, listed: listed?.read ?? null });
    return paidCost === null || readCost === null ? null : paidCost + readCost;
  }

  /**
   * Dollars of an answer; null where neither it nor another one of its model records them, and the list has no price.
   */
  priceOutput(exchange: RecordedExchange): number | null {
    const { output, usage } = exchange;
    return (
      output.cost ?? this.toCost(exchange, output.tokens, this.findOutputPrice(exchange, usage?.promptTokens ?? 0))
    );
  }

  /** A summary is written by the model of the request before which it was needed, and nothing of it is cached. */
  priceSummaries(all: readonly RunSummaryCall[]): SummariesCost {
    return all.map((each) => this.priceSummary(each)).reduce(addSummariesCost, NO_SUMMARIES);
  }

  private priceSummary({ request, isRecorded, cost, ...call }: RunSummaryCall): SummariesCost {
    const factor = isRecorded ? 1 : this.factor;
    const inputTokens = Math.round(call.inputTokens * factor);
    const outputTokens = Math.round(call.outputTokens * factor);
    const exchange = this.exchanges[(request ?? this.exchanges.length) - 1];
    const priceCall = (): number | null => {
      if (!exchange) return null;
      const input = this.priceRequest(exchange, { paid: inputTokens, read: 0 });
      const output = this.toCost(exchange, outputTokens, this.findOutputPrice(exchange, inputTokens));
      return input === null || output === null ? null : input + output;
    };
    return { calls: 1, inputTokens, outputTokens, cost: cost ?? priceCall() };
  }

  private findOutputPrice(exchange: RecordedExchange, promptTokens: number): TokenPrice {
    return {
      recorded: findNearestRate(this.output.get(exchange.model), exchange.number),
      listed: this.findListed(exchange, promptTokens)?.output ?? null,
    };
  }

  /**
   * null where no tokens are recorded to which a price applies, and where the session records that they cost nothing.
   */
  private findListed(exchange: RecordedExchange, promptTokens: number): ListedRates | null {
    const { model, usage } = exchange;
    const prices = usage === null || this.rates(exchange).paid === 0 ? null : this.list(model);
    const factor = findPriceFactor(model, usage?.modifiers ?? null);
    return usage && prices && factor !== null ? findListedRates(prices, promptTokens, usage, factor) : null;
  }

  /** The cost of tokens; null if their price is unknown. No tokens cost nothing at any price. */
  private toCost({ model }: RecordedExchange, tokens: number, { recorded, listed }: TokenPrice): number | null {
    if (tokens === 0) return 0;
    if (recorded === null && listed !== null) this.listedModels.add(model);
    const rate = recorded ?? listed;
    return rate === null ? null : tokens * rate;
  }
}

/** Dollars for a token; null for a price that is not recorded, or not in the list. */
interface TokenPrice {
  readonly recorded: number | null;
  readonly listed: number | null;
}

export function addSummariesCost(one: SummariesCost, other: SummariesCost): SummariesCost {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
  };
}
