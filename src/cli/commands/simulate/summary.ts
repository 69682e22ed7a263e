import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { baseName } from '#base/paths.js';
import type { EngineSummary, SimulationSummary, Sums } from '#lab/simulate/document.js';
import { type Doc, flexible, gap, heading, line, right, span, table } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import { renderOptions, renderValidation } from './assumptions.js';
import { renderComparison, renderParts } from './comparison.js';
import { chooseMoney, describeSpread, formatSignedPercent } from './formats.js';
import { rankEngines } from './verdict.js';

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
