import { sumNumbers } from '#base/lists.js';
import { splitInProportion } from '#base/proportion.js';
import { CONTENT_KINDS } from '#context/contents/kinds.js';
import { type KindWeights, scaleKinds, splitKinds } from '#context/size/kind-sizes.js';
import { rebilledTokensOf } from '../cache/rebilled.js';
import type { CacheBreakData, ReportPreamble, SessionReport } from './document.js';

/** The content of a request, by the numbers of its messages. */
interface ListedContent {
  readonly preamble: ReportPreamble;
  readonly messages: readonly number[];
  readonly uncached: readonly number[];
}

/** The tokens of the pieces of a request. */
interface EnvelopeShares {
  readonly parts: readonly number[];
  readonly tools: readonly number[];
  /** The tokens of its messages, then of the messages for this request only. */
  readonly messages: readonly number[];
}

type PromptTokens = readonly [cached: number, again: number, fresh: number];

interface SizedReport {
  readonly data: SessionReport;
  readonly breaks: ReadonlyMap<number, CacheBreakData>;
  envelope(number: number): ListedContent;
}

/** The tokens of the requests of a report: recorded ones where a provider counted them, else estimated. */
export class RequestSizes {
  private readonly data: SessionReport;
  private readonly estimated: ReadonlySet<number>;

  constructor(private readonly report: SizedReport) {
    this.data = report.data;
    this.estimated = new Set(report.data.requests.estimated);
  }

  total(number: number): number {
    return sumNumbers(this.byKind(number));
  }

  /** The tokens of a request by kind of content, which add up to its size. The last number is what is not recorded. */
  byKind(number: number): readonly number[] {
    return scaleKinds(this.weights(number), this.measured(number));
  }

  /** The tokens of each system part, tool and message of a request, which add up to its tokens by kind. */
  shares(number: number): EnvelopeShares {
    const { preamble, messages: list, uncached } = this.report.envelope(number);
    const { parts, tools, messages } = this.data;
    const sizes = splitKinds(this.weights(number), this.measured(number));
    const ofParts = preamble.parts.map((part) => parts[part]?.tokens ?? 0);
    const ofTools = preamble.tools.map((tool) => tools[tool]?.tokens ?? 0);
    const ofMessages = list.map((message) => messages[message]?.tokens ?? 0);
    const ofUncached = uncached.map((message) => messages[message]?.tokens ?? 0);
    const factor = sizes.cached / (sumNumbers(ofMessages) || 1);
    return {
      parts: splitInProportion(ofParts, sizes.system),
      tools: splitInProportion(ofTools, sizes.tools),
      messages: [
        ...splitInProportion(ofMessages, sizes.cached),
        ...ofUncached.map((tokens) => Math.round(factor * tokens)),
      ],
    };
  }

  /** The tokens of an entry or of results, in the unit of the context at the end. */
  scale(tokensEstimated: number): number {
    return Math.round(this.factorAtEnd * tokensEstimated);
  }

  /** Whether the size of a request is an estimate, at least in part. */
  isEstimated(number: number): boolean {
    if (this.isLast(number)) return this.data.size.estimated !== 0;
    return this.estimated.has(number) || this.recordedSize(number) === null;
  }

  /** The prompts of the requests: the tokens that were cached, those that were re-billed, and the new ones. */
  prompts(): readonly PromptTokens[] {
    const { cache } = this.data;
    return cache.prompts.map((prompt, at) => {
      const [input, read, written] = cache.recorded[at] ?? [];
      const tokens = this.total(at);
      // The prefix is estimated in other units than the size.
      const share = prompt === 0 ? 0 : Math.min(1, (cache.prefixes[at] ?? 0) / prompt);
      const cached = read ?? Math.round(share * tokens);
      const uncached = (written ?? 0) + (input ?? tokens - cached);
      const broken = this.report.breaks.get(at);
      const again = Math.min(broken ? rebilledTokensOf(broken) : 0, uncached);
      return [cached, again, uncached - again];
    });
  }

  /** The estimated tokens of a request by kind of content. */
  private weights(number: number): KindWeights {
    const from = number * CONTENT_KINDS.length;
    const to = from + CONTENT_KINDS.length;
    const messages = Array.from(this.data.requests.ledgers.slice(from, to));
    return { declared: findPreamble(this.data, number).kinds, messages };
  }

  /** The size of a request, and the price of its preamble. */
  private measured(number: number): Parameters<typeof scaleKinds>[1] {
    const { notItemised, declaredFactor, factor } = this.data.size;
    const recorded = this.recordedSize(number);
    if (recorded !== null) return { tokens: recorded, notItemised, declaredFactor };
    const { declared, messages } = this.weights(number);
    const estimate = (notItemised ?? 0) + declaredFactor * sumNumbers(declared) + factor * sumNumbers(messages);
    return { tokens: Math.round(estimate), notItemised, declaredFactor };
  }

  private recordedSize(number: number): number | null {
    const { requests, size } = this.data;
    return this.isLast(number) ? size.tokens : (requests.tokens[number] ?? null);
  }

  /** Tokens of the provider for each estimated one, in the messages at the end. */
  private get factorAtEnd(): number {
    const { requests, size } = this.data;
    const last = requests.onPath - 1;
    const weights = this.weights(last);
    const all = sumNumbers(weights.messages);
    return all === 0 ? size.factor : splitKinds(weights, this.measured(last)).cached / all;
  }

  /** Whether a request is the one at the end of the path, whose size is that of the context. */
  private isLast(number: number): boolean {
    return number === this.data.requests.onPath - 1;
  }
}

const NO_PREAMBLE: ReportPreamble = { parts: [], tools: [], options: '{}', kinds: CONTENT_KINDS.map(() => 0) };

/** The prompt and the tools of a request. */
export function findPreamble({ requests, preambles }: SessionReport, number: number): ReportPreamble {
  return preambles[requests.preambles[number] ?? 0] ?? NO_PREAMBLE;
}
