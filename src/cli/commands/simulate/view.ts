import { count, percent, plural, shortCount } from '#base/words.js';
import { assumedNote } from '#context/size/window.js';
import { shortened } from '#context/words/message-text.js';
import type { SimulatedEngine, Simulation, SimulationOptions, SummedEngine, Sums } from '#engines/simulate/document.js';
import {
  type Doc,
  flexible,
  gap,
  heading,
  line,
  paragraphs,
  right,
  type Span,
  span,
  table,
  type View,
} from '#ui/doc/doc.js';
import { sparkline } from '#ui/parts/sparkline.js';
import { deedsDoc } from './deeds.js';
import {
  labelOf,
  type Money,
  moneyOf,
  ranked,
  signedCount,
  signedPercent,
  uncountedWords,
  validationWords,
} from './verdict.js';

/** The parts of a simulation to print. */
export interface SimulationLayout {
  readonly isDrawn: boolean;
  /** Adds every compaction, every prune and every re-read of dropped content. */
  readonly isFull: boolean;
}

/** One session under each engine. */
export function simulationDoc(given: Simulation, { isDrawn, isFull }: SimulationLayout, view: View): Doc {
  const of = { ...given, engines: [...ranked(given.engines)] };
  const { session, requests, unbilledRequests, engines, recorded, validation, verdict, options } = of;
  const [base, ...others] = engines;
  const money = moneyOf(given.listedPrices);
  const asked = [span(plural(requests.length, 'request'), 'strong'), span(`, ${session.file}`, 'faint')];
  if (requests.length === 0 || !base) return [line(...asked), line('The session has no requests.')];
  return [
    line(...asked),
    ...(unbilledRequests === 0 ? [] : [line(span(uncountedWords(unbilledRequests), 'faint'))]),
    ...optionLines(options, NO_BUDGET),
    ...validationLines(validation, isFull, view),
    ...paragraphs(verdict, view),
    gap,
    sumsTable(engines, recorded, money),
    ...costLines(engines, money, view),
    ...failureLines(engines, view),
    gap,
    countsTable(engines),
    ...(others.length === 0 ? [] : [gap, changeTable(others, base)]),
    ...(isDrawn ? simulationChart(of, view.columns) : []),
    ...(isFull ? others.flatMap(deedsDoc) : []),
  ];
}

const NO_BUDGET = span('no budget: the context window is unknown, so nothing is compacted; give --budget', 'warning');

/** `noBudget`: what a missing budget means. */
export function optionLines({ budget, budgetModel, reserveTokens, ...of }: SimulationOptions, noBudget: Span): Doc {
  const assumed = budgetModel === null ? '' : assumedNote({ source: 'assumed', model: budgetModel });
  const limit =
    budget === null ? noBudget : span(`budget ${count(budget)} tokens${assumed}, ${count(reserveTokens)} in reserve`);
  const misses = of.recordedMisses ? ', with the recorded misses' : '';
  return [line(limit), line(span(`cache kept ${plural(of.retentionMinutes, 'minute')}${misses}`, 'faint'))];
}

/** The check of the cache model against the recorded run, in one line or, with `isFull`, whole. */
export function validationLines(validation: Simulation['validation'], isFull: boolean, view: View): Doc {
  const words = validationWords(validation);
  const text = `Cache model check: ${(isFull ? words : words.slice(0, 1)).join('; ')}.`;
  const isBad = validation.reportsCache && (validation.medianError ?? 0) > BAD_ERROR;
  return [
    ...paragraphs(text, view),
    ...(isBad
      ? [line(span('The model does not fit: what is cached, and costs, are no more than a hint.', 'warning'))]
      : []),
  ];
}

/** Half of the requests are off by more than this share of their prompt. */
const BAD_ERROR = 0.05;

const SUMS = ['peak', 'mean', 'input', 'cached', 'billed', 're-billed', 'cost'];

type NamedSums = { readonly name: string } & Sums;

export function sumsTable(engines: readonly NamedSums[], recorded: Sums | null, money: Money): Doc[number] {
  const billed = recorded ? [['as billed', recorded] as const] : [];
  const rows = [...billed, ...engines.map((engine) => [engine.name, engine] as const)];
  return table(
    [flexible('tokens'), ...SUMS.map(right)],
    rows.map(([name, sums]) => [
      span(labelOf(name), name === 'as billed' ? 'faint' : 'strong'),
      span(shortCount(Math.round(sums.peakTokens))),
      span(shortCount(Math.round(sums.meanTokens))),
      span(shortCount(Math.round(sums.inputTokens))),
      span(percent(sums.cachedTokens, sums.inputTokens), 'good'),
      span(shortCount(Math.round(sums.billedTokens))),
      span(shortCount(Math.round(sums.rebilledTokens))),
      span(money(sums.totalCost)),
    ]),
  );
}

/** The parts of the cost other than the input. */
export function costLines(engines: readonly NamedSums[], money: Money, view: View): Doc {
  const [recorded] = engines;
  if (!recorded || recorded.totalCost === null) return [];
  const summaries = engines.flatMap(({ name, summaries: { calls, cost } }) =>
    calls === 0 ? [] : [`${labelOf(name)} ${money(cost)} for ${plural(calls, 'summary', 'summaries')}`],
  );
  const answers = `Of the costs, ${money(recorded.outputCost)} are for the answers, which are the same`;
  return paragraphs(`${[answers, ...summaries].join('; ')}.`, view);
}

type Counted = Pick<SummedEngine, 'name' | 'compactions' | 'prunes' | 'lost' | 'reread' | 'overflows' | 'unsendable'>;

const COUNTS = ['compactions', 'prunes', 'results lost', 'repeated', 'over budget'];

export function countsTable(engines: readonly Counted[]): Doc[number] {
  const isAnyRejected = engines.some(({ unsendable }) => unsendable > 0);
  return table(
    [flexible('engine'), ...COUNTS.map(right), ...(isAnyRejected ? [right('rejected')] : [])],
    engines.map(({ name, compactions, prunes, lost, reread, overflows, unsendable }) => [
      span(labelOf(name), 'strong'),
      span(shrinkText(compactions)),
      span(shrinkText(prunes)),
      span(lost.results === 0 ? '0' : `${count(lost.results)} (${shortCount(lost.tokensEstimated)})`),
      span(count(reread.calls), reread.calls > 0 ? 'warning' : 'plain'),
      span(count(overflows), overflows > 0 ? 'error' : 'plain'),
      ...(isAnyRejected ? [span(count(unsendable), unsendable > 0 ? 'error' : 'plain')] : []),
    ]),
  );
}

function shrinkText({ count: times, tokensBefore, tokensAfter }: SummedEngine['prunes']): string {
  const size = tokensBefore - tokensAfter;
  return times === 0 || size === 0 ? count(times) : `${count(times)} (${signedCount(-size)})`;
}

function changeTable(engines: readonly SimulatedEngine[], base: Sums): Doc[number] {
  return table(
    [flexible('vs. recorded run'), ...['peak', 'mean', 'input', 'billed', 'cost'].map(right)],
    engines.map(({ name, change }) => [
      span(labelOf(name), 'strong'),
      span(signedCount(change.peakTokens)),
      span(signedCount(change.meanTokens)),
      span(signedCount(change.inputTokens)),
      span(signedCount(change.billedTokens)),
      costChange(change.totalCost, base.totalCost),
    ]),
  );
}

function costChange(change: number | null, from: number | null): Span {
  if (change === null || from === null || from === 0) return span('?', 'faint');
  const share = change / from;
  return span(signedPercent(share), share <= -0.01 ? 'good' : share >= 0.01 ? 'warning' : 'plain');
}

/** Requests that providers reject, violations of the contract, and failures of engines. */
function failureLines(engines: readonly SummedEngine[], view: View): Doc {
  return engines.flatMap((engine) => [...refusals(engine, view), ...breaches(engine, view), ...failure(engine, view)]);
}

function refusals({ name, refused }: SummedEngine, view: View): Doc {
  return refused.flatMap(({ rule, requests, first, message }) => {
    const which = `providers reject ${plural(requests, 'request')}, first request ${count(first)}`;
    return paragraphs(`${name}: ${which}: ${message} (${rule})`, view);
  });
}

function breaches({ name, breaches: all }: SummedEngine, view: View): Doc {
  return all.flatMap(({ clause, sentence, message }) =>
    paragraphs(`${name} breaks the contract (${clause}): ${sentence} Here: ${shortened(message)}`, view),
  );
}

function failure({ name, failure: why }: SummedEngine, view: View): Doc {
  if (why === null) return [];
  const where = why.request === null ? 'behind the last request' : `at request ${count(why.request)}`;
  return paragraphs(`${name} failed ${where}: ${why.method}: ${shortened(why.message)}`, view);
}

/** The context from request to request, all engines on the same scale. */
function simulationChart({ requests, engines }: Simulation, columns: number): Doc {
  if (requests.length < 2) return [];
  const top = engines.reduce((most, { peakTokens }) => Math.max(most, peakTokens), 0);
  const width = engines.reduce((most, { name }) => Math.max(most, labelOf(name).length), 0);
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - width - 2));
  const size = Math.ceil(requests.length / cells);
  const each = size === 1 ? 'a mark for each request' : `a mark for ${plural(size, 'request')}`;
  return [
    gap,
    heading(2, 'Context over time'),
    line(span(`${each}, the tallest is ${count(top)} tokens`, 'faint')),
    ...engines.map(({ name, series }) =>
      line(
        span(labelOf(name).padEnd(width), 'strong'),
        '  ',
        span(sparkline(series.tokens, cells, { top, size }), 'messages'),
      ),
    ),
  ];
}
