import { formatCount, pluralize } from '#base/numbers.js';
import { baseName } from '#base/paths.js';
import { shorten } from '#context/words/message-text.js';
import type { SimulatedEngine, SimulatedRequest, Simulation, SummedEngine, Sums } from '#lab/simulate/document.js';
import { type Doc, fileSpan, flexible, gap, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import { renderSparkline } from '#ui/parts/sparkline.js';
import { renderOptions, renderValidation } from './assumptions.js';
import { renderComparison, renderCostChange, renderParts } from './comparison.js';
import { chooseMoney, formatSignedCount } from './formats.js';
import { rankEngines } from './verdict.js';

/** The parts of a simulation to print. */
export interface SimulationLayout {
  readonly isDrawn: boolean;
  /** Adds all figures, every compaction, every prune and every re-read of dropped content. */
  readonly isFull: boolean;
}

/** One session under each engine. */
export function renderSimulation(given: Simulation, { isDrawn, isFull }: SimulationLayout, view: View): Doc {
  const { session, requests, unbilledRequests, recorded, validation, verdict, options } = given;
  const engines = rankEngines(given.engines);
  const [base, ...others] = engines;
  const money = chooseMoney(given.listedPrices);
  const asked = [
    span(pluralize(requests.length, 'request'), 'strong'),
    span(', ', 'faint'),
    fileSpan(session.file, session.file, 'faint'),
  ];
  const failed = pluralize(unbilledRequests, 'request');
  const uncounted = `not counted: ${failed} that failed or ended early, without tokens`;
  if (requests.length === 0 || !base) return [line(...asked), line('The session has no requests.')];
  return [
    line(...asked),
    ...(unbilledRequests === 0 ? [] : [line(span(uncounted, 'faint'))]),
    ...(given.cheaper ? [...renderParagraphs(given.cheaper.sentence, view), gap] : []),
    ...renderParagraphs(verdict, view),
    gap,
    ...renderComparison(engines, recorded, money),
    ...(base.totalCost === null ? renderUnpriced(requests, view) : []),
    ...engines.flatMap((engine) => [
      ...renderRefusals(engine, view),
      ...renderBreaches(engine, view),
      ...renderFailure(engine, view),
    ]),
    gap,
    ...renderOptions(options, NO_BUDGET),
    ...renderValidation(validation, money, isFull, view),
    ...(isDrawn ? renderSimulationChart(requests.length, engines, view.columns) : []),
    ...(isFull
      ? [
          ...renderParts(engines, recorded, money, view),
          ...(others.length === 0 ? [] : [gap, changeTable(others, base)]),
          ...others.flatMap(renderDeeds),
        ]
      : []),
  ];
}

/** The reason why a sum of costs is unknown. */
function renderUnpriced(requests: readonly SimulatedRequest[], view: View): Doc {
  const models = new Set(requests.flatMap(({ model, costPredicted }) => (costPredicted === null ? [model] : [])));
  if (models.size === 0) return [];
  return renderParagraphs(
    `The costs (?) are unknown: no recorded or listed price applies to requests of ${[...models].join(', ')}.`,
    view,
  );
}

const NO_BUDGET = span('no budget: the context window is unknown, so nothing is compacted; give --budget', 'warning');

function changeTable(engines: readonly SimulatedEngine[], base: Sums): Doc[number] {
  return table(
    [flexible('vs. recorded run'), ...['peak', 'mean', 'input', 'billed', 'cost'].map(right)],
    engines.map(({ name, change }) => [
      span(baseName(name), 'strong'),
      span(formatSignedCount(change.peakTokens)),
      span(formatSignedCount(change.meanTokens)),
      span(formatSignedCount(change.inputTokens)),
      span(formatSignedCount(change.billedTokens)),
      renderCostChange(base.totalCost, change.totalCost),
    ]),
  );
}

const MOST_DEEDS = 20;

function renderDeeds({ name, shrinks, rereads }: SimulatedEngine): Doc {
  if (shrinks.length === 0 && rereads.length === 0) return [];
  return [
    gap,
    heading(2, name),
    ...renderItems(shrinks, SHRINK_COLUMNS, ({ request, kind, reason, tokensBefore, tokensAfter }) => [
      span(request === null ? 'end' : `#${request}`),
      span(kind),
      span(tokensBefore === null ? '?' : formatCount(tokensBefore)),
      span(tokensAfter === null ? '?' : formatCount(tokensAfter)),
      span(shorten(reason)),
    ]),
    ...renderItems(rereads, REREAD_COLUMNS, ({ request, tool, what, lostAt, tokensEstimated }) => [
      span(`#${request}`),
      span(tool),
      span(`#${lostAt}`),
      span(`~${formatCount(tokensEstimated)}`),
      span(shorten(what)),
    ]),
  ];
}

const SHRINK_COLUMNS = [right('request'), left('what'), right('before'), right('after'), flexible('why')];
const REREAD_COLUMNS = [right('request'), left('tool'), right('lost at'), right('tokens'), flexible('repeated call')];

/** A table of the first items, and the number of the others; nothing without items. */
function renderItems<Item>(
  items: readonly Item[],
  columns: Parameters<typeof table>[0],
  cells: (item: Item) => readonly Span[],
): Doc {
  if (items.length === 0) return [];
  const rest = items.length - MOST_DEEDS;
  const more = rest > 0 ? [line(span(`  … ${formatCount(rest)} more, --full --json lists all`, 'faint'))] : [];
  return [table(columns, items.slice(0, MOST_DEEDS).map(cells)), ...more];
}

function renderRefusals({ name, refused }: SummedEngine, view: View): Doc {
  return refused.flatMap(({ rule, requests, first, message }) => {
    const which = `providers reject ${pluralize(requests, 'request')}, first request ${formatCount(first)}`;
    return renderParagraphs(`${name}: ${which}: ${message} (${rule})`, view);
  });
}

function renderBreaches({ name, breaches: all }: SummedEngine, view: View): Doc {
  return all.flatMap(({ clause, sentence, message }) =>
    renderParagraphs(`${name} breaks the contract (${clause}): ${sentence} Here: ${shorten(message)}`, view),
  );
}

function renderFailure({ name, failure: why }: SummedEngine, view: View): Doc {
  if (why === null) return [];
  const where = why.request === null ? 'behind the last request' : `at request ${formatCount(why.request)}`;
  return renderParagraphs(`${name} failed ${where}: ${why.method}: ${shorten(why.message)}`, view);
}

/** The context from request to request, all engines on the same scale. */
function renderSimulationChart(requests: number, engines: readonly SimulatedEngine[], columns: number): Doc {
  if (requests < 2) return [];
  const top = engines.reduce((most, { peakTokens }) => Math.max(most, peakTokens), 0);
  const width = engines.reduce((most, { name }) => Math.max(most, baseName(name).length), 0);
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - width - 2));
  const size = Math.ceil(requests / cells);
  const each = size === 1 ? 'a mark for each request' : `a mark for ${pluralize(size, 'request')}`;
  return [
    gap,
    heading(2, 'Context over time'),
    line(span(`${each}, the tallest is ${formatCount(top)} tokens`, 'faint')),
    ...engines.map(({ name, series }) =>
      line(
        span(baseName(name).padEnd(width), 'strong'),
        '  ',
        span(renderSparkline(series.tokens, cells, { top, size }), 'messages'),
      ),
    ),
  ];
}
