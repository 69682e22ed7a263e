import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { baseName } from '#base/paths.js';
import type { SummedEngine, Sums } from '#lab/simulate/document.js';
import { type Doc, flexible, gap, line, right, span, type Span, table } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import { formatSignedCount, formatSignedPercent, type Money } from './formats.js';

type NamedSums = { readonly name: string } & Sums;

type ComparedEngine = NamedSums & EngineCounts;

/** The figures to compare engines by. `recorded`: the sums that providers have recorded. */
export function renderComparison(engines: readonly ComparedEngine[], recorded: Sums | null, money: Money): Doc {
  const isAnyRejected = engines.some(({ unsendable }) => unsendable > 0);
  const base = engines[0]?.totalCost ?? null;
  const renderSizes = ({ peakTokens, cachedTokens, inputTokens, billedTokens, totalCost }: Sums) => [
    span(formatShortCount(Math.round(peakTokens))),
    span(formatPercent(cachedTokens, inputTokens), 'good'),
    span(formatShortCount(Math.round(billedTokens))),
    span(money(totalCost)),
  ];
  const rows = engines.map((engine, at) => [
    span(baseName(engine.name), 'strong'),
    ...renderSizes(engine),
    at === 0 ? span('') : renderCostChange(base, engine.totalCost === null ? null : engine.totalCost - (base ?? 0)),
    span(formatCount(countLost(engine))),
    span(formatCount(engine.reread.calls), engine.reread.calls > 0 ? 'warning' : 'plain'),
    span(formatCount(engine.overflows), engine.overflows > 0 ? 'error' : 'plain'),
    ...(isAnyRejected ? [span(formatCount(engine.unsendable), engine.unsendable > 0 ? 'error' : 'plain')] : []),
  ]);
  const billed = recorded ? [[span('as billed', 'faint'), ...renderSizes(recorded)]] : [];
  const columns = [flexible('engine'), ...COMPARED.map(right), ...(isAnyRejected ? [right('refused')] : [])];
  const rowLegend = 'as billed: by providers; recorded: the same requests with a predicted cache';
  const columnLegend = 'lost: left out or shortened; repeated: calls for lost results; over: the budget';
  return [
    table(columns, [...billed, ...rows]),
    ...(recorded ? [line(span(rowLegend, 'faint'))] : []),
    line(span(columnLegend, 'faint')),
  ];
}

/** Short, so that all fit a terminal of 80 columns; `over`: requests over the budget. */
const COMPARED = ['peak', 'cached', 'billed', 'cost', 'change', 'lost', 'repeated', 'over'];

/** The results, words of the user and answers that an engine left out or shortened. */
function countLost({ lost, lostTexts }: EngineCounts): number {
  return lost.results + lostTexts.instructions + lostTexts.answers;
}

/** The change of a cost as a share of it; unknown where one of them is. */
export function renderCostChange(from: number | null, change: number | null): Span {
  if (change === null || from === null || from === 0) return span('?', 'faint');
  const share = change / from;
  const text = formatSignedPercent(share);
  // Less than a percent is no difference.
  if (Math.abs(share) < 0.01) return span(text, 'plain');
  return span(text, share < 0 ? 'good' : 'warning');
}

/** All sums of the engines, and what each did to the context. */
export function renderParts(engines: readonly ComparedEngine[], recorded: Sums | null, money: Money, view: View): Doc {
  return [gap, renderSums(engines, recorded, money), ...renderCosts(engines, money, view), gap, renderCounts(engines)];
}

const SUMS = ['peak', 'mean', 'input', 'cached', 'billed', 're-billed', 'cost'];

function renderSums(engines: readonly NamedSums[], recorded: Sums | null, money: Money): Doc[number] {
  const billed = recorded ? [['as billed', recorded] as const] : [];
  const rows = [...billed, ...engines.map((engine) => [engine.name, engine] as const)];
  return table(
    [flexible('tokens'), ...SUMS.map(right)],
    rows.map(([name, sums]) => [
      span(baseName(name), name === 'as billed' ? 'faint' : 'strong'),
      span(formatShortCount(Math.round(sums.peakTokens))),
      span(formatShortCount(Math.round(sums.meanTokens))),
      span(formatShortCount(Math.round(sums.inputTokens))),
      span(formatPercent(sums.cachedTokens, sums.inputTokens), 'good'),
      span(formatShortCount(Math.round(sums.billedTokens))),
      span(formatShortCount(Math.round(sums.rebilledTokens))),
      span(money(sums.totalCost)),
    ]),
  );
}

/** The parts of the cost other than the input. */
function renderCosts(engines: readonly NamedSums[], money: Money, view: View): Doc {
  const [recorded] = engines;
  if (!recorded || recorded.totalCost === null) return [];
  const summaries = engines.flatMap(({ name, summaries: { calls, cost } }) =>
    calls === 0 ? [] : [`${baseName(name)} ${money(cost)} for ${pluralize(calls, 'summary', 'summaries')}`],
  );
  const answers = `Of the costs, ${money(recorded.outputCost)} are for the answers, which are the same`;
  return renderParagraphs(`${[answers, ...summaries].join('; ')}.`, view);
}

type EngineCounts = Pick<
  SummedEngine,
  'name' | 'compactions' | 'prunes' | 'lost' | 'lostTexts' | 'reread' | 'overflows' | 'unsendable'
>;

const COUNTS = ['compacted', 'prunes', 'results lost', 'texts lost', 'repeated', 'over'];

function renderCounts(engines: readonly EngineCounts[]): Doc[number] {
  const isAnyRejected = engines.some(({ unsendable }) => unsendable > 0);
  return table(
    [flexible('engine'), ...COUNTS.map(right), ...(isAnyRejected ? [right('refused')] : [])],
    engines.map(({ name, compactions, prunes, lost, lostTexts, reread, overflows, unsendable }) => [
      span(baseName(name), 'strong'),
      span(describeShrinks(compactions)),
      span(describeShrinks(prunes)),
      span(describeLost(lost.results, lost.tokensEstimated)),
      span(describeLost(lostTexts.instructions + lostTexts.answers, lostTexts.tokensEstimated)),
      span(formatCount(reread.calls), reread.calls > 0 ? 'warning' : 'plain'),
      span(formatCount(overflows), overflows > 0 ? 'error' : 'plain'),
      ...(isAnyRejected ? [span(formatCount(unsendable), unsendable > 0 ? 'error' : 'plain')] : []),
    ]),
  );
}

function describeLost(lost: number, tokens: number): string {
  return lost === 0 ? '0' : `${formatCount(lost)} (${formatShortCount(tokens)})`;
}

function describeShrinks({ count: times, tokensBefore, tokensAfter }: SummedEngine['prunes']): string {
  const size = tokensBefore - tokensAfter;
  return times === 0 || size === 0 ? formatCount(times) : `${formatCount(times)} (${formatSignedCount(-size)})`;
}
