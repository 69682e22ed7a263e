import { describeLifetime } from '#analysis/cache/lifetime.js';
import { incrementCount } from '#base/maps.js';
import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { baseName } from '#base/paths.js';
import { describeAssumedWindow } from '#context/size/window.js';
import type {
  EngineSummary,
  Simulation,
  SimulationOptions,
  SimulationSummary,
  SummedEngine,
  Sums,
} from '#lab/simulate/document.js';
import { formatCsvRow } from '#ui/doc/csv.js';
import { type Doc, flexible, gap, heading, line, right, span, type Span, table } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import {
  chooseMoney,
  describeSpread,
  describeValidation,
  formatSignedCount,
  formatSignedPercent,
  type Money,
  rankEngines,
} from './verdict.js';

/** The budget by default. */
const EACH_ITS_OWN = span('budget: the context window of each model, where it is known');

interface SummaryLayout {
  /** The sums that providers have recorded. */
  readonly billed: Sums | null;
  readonly isFull: boolean;
}

/** Many sessions under each engine: the sums, and how much sessions differ. */
export function renderSimulationSummary(
  summary: SimulationSummary,
  { billed, isFull }: SummaryLayout,
  view: View,
): Doc {
  const { sessions, withoutRequests, withCost, withListedPrices, unreadable, validation, verdict, options } = summary;
  const engines = rankEngines(summary.engines);
  const [base, ...others] = engines;
  const asked = sessions - withoutRequests;
  const money = chooseMoney(summary.listedPrices);
  const title = [span(pluralize(sessions, 'session'), 'strong')];
  if (withoutRequests > 0) title.push(span(`, ${formatCount(withoutRequests)} of them without a request`, 'faint'));
  if (unreadable.length > 0) title.push(span(`, ${pluralize(unreadable.length, 'file')} unreadable`, 'warning'));
  if (asked === 0 || !base) return [line(...title), line('Nothing was asked.')];
  const unknown = asked - withCost;
  return [
    line(...title),
    ...renderParagraphs(verdict, view),
    gap,
    ...renderComparison(engines, billed, money),
    ...(unknown === 0 && withListedPrices === 0 ? [] : [line(span(describeWhoseCosts(summary), 'faint'))]),
    ...others.flatMap(({ name, failed }) =>
      failed === 0 ? [] : [line(span(`${name} failed in ${pluralize(failed, 'session')}`, 'error'))],
    ),
    gap,
    ...renderOptions(options, EACH_ITS_OWN),
    ...renderValidation(validation, money, isFull, view),
    ...(isFull
      ? [
          ...renderParts(engines, billed, money, view),
          gap,
          heading(2, 'Sessions, each counting the same: median (p10..p90)'),
          spreadTable(engines),
        ]
      : []),
  ];
}

function describeWhoseCosts({ withCost, withListedPrices }: SimulationSummary): string {
  const how =
    withListedPrices === 0 ? ' that record them' : `, ${formatCount(withListedPrices)} of them at listed prices`;
  return `costs are those of ${pluralize(withCost, 'session')}${how}`;
}

function spreadTable(engines: readonly EngineSummary[]): Doc[number] {
  return table(
    [flexible('engine'), ...['peak', 'input', 'billed', 'cost'].map(right)],
    engines.map(({ name, spread }, at) => [
      span(baseName(name), 'strong'),
      span(describeSpread(spread.peakTokens, (value) => formatShortCount(Math.round(value)))),
      ...[spread.inputChange, spread.billedChange, spread.costChange].map((change) =>
        at === 0 ? span('') : span(describeSpread(change, formatShortPercent)),
      ),
    ]),
  );
}

function formatShortPercent(share: number): string {
  const text = formatSignedPercent(share);
  return text.replace(/\.\d%$/, '%').replace(/^[+-]0%$/, '0%');
}

/** `noBudget`: what a missing budget means. */
export function renderOptions({ budget, budgetModel, reserveTokens, ...of }: SimulationOptions, noBudget: Span): Doc {
  const assumed = budgetModel === null ? '' : describeAssumedWindow({ source: 'assumed', model: budgetModel });
  const limit =
    budget === null
      ? noBudget
      : span(`budget ${formatCount(budget)} tokens${assumed}, ${formatCount(reserveTokens)} in reserve`);
  const misses = of.recordedMisses ? ', with the recorded misses' : '';
  return [line(limit), line(span(`cache kept ${describeKept(of)}${misses}`, 'faint'))];
}

function describeKept({
  retentionMinutes: minutes,
  retentionBasis: basis,
}: Pick<SimulationOptions, 'retentionMinutes' | 'retentionBasis'>): string {
  return minutes === null ? 'as long as each request wrote it for' : describeLifetime(minutes, basis);
}

/** The check of the cache model against the recorded run, in one line or, with `isFull`, whole. */
export function renderValidation(validation: Simulation['validation'], money: Money, isFull: boolean, view: View): Doc {
  const words = describeValidation(validation, money);
  const text = `Cache model check: ${(isFull ? words : words.slice(0, 1)).join('; ')}.`;
  const isBad = validation.reportsCache && (validation.medianError ?? 0) > BAD_ERROR;
  return [
    ...renderParagraphs(text, view),
    ...(isBad
      ? [line(span('The model does not fit: what is cached, and costs, are no more than a hint.', 'warning'))]
      : []),
  ];
}

/** Half of the requests are off by more than this share of their prompt. */
const BAD_ERROR = 0.05;

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

const COLUMNS =
  'file sessionId engine request entryId time model tokens cachedTokens rebilledTokens inputCost overBudget compactions ' +
  'prunes rereads promptTokensRecorded cacheReadRecorded listedPrices';

export function writeSimulationCsvHead(): string {
  return formatCsvRow(COLUMNS.split(' '));
}

/** A row for every request of a session under every engine, under the names that the JSON has; `inputCost` is its `costs`, without answers and summaries. */
export function writeSimulationCsv({ session, requests, engines, listedPrices }: Simulation): string {
  return engines
    .flatMap(({ name, series, overflowed, shrinks, rereads }) => {
      const over = new Set(overflowed);
      const compactions = countByRequest(shrinks.filter(({ kind }) => kind === 'compaction'));
      const prunes = countByRequest(shrinks.filter(({ kind }) => kind === 'prune'));
      const again = countByRequest(rereads);
      return series.tokens.map((tokens, at) => {
        const request = requests[at];
        const number = request?.number ?? 0;
        return formatCsvRow([
          session.file,
          session.id,
          name,
          number,
          request?.entryId,
          request?.time,
          request?.model,
          tokens,
          series.cachedTokens[at],
          series.rebilledTokens[at],
          series.costs[at],
          over.has(number),
          compactions.get(number) ?? 0,
          prunes.get(number) ?? 0,
          again.get(number) ?? 0,
          request?.promptTokensRecorded,
          request?.cacheReadRecorded,
          request !== undefined && listedPrices.includes(request.model),
        ]);
      });
    })
    .join('');
}

function countByRequest(all: readonly { readonly request: number | null }[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { request } of all) if (request !== null) incrementCount(counts, request);
  return counts;
}
