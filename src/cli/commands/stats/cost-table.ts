import { describeMainPart } from '#analysis/stats/cheaper.js';
import { COST_PARTS, type CostPart } from '#analysis/stats/cost-parts.js';
import type { StatsCostParts, StatsDocument } from '#analysis/stats/document.js';
import { sumKnownCost } from '#analysis/stats/usage-sums.js';
import { countDollarDigits, formatDollarsTo, splitDollars } from '#base/dollars.js';
import { sumBy } from '#base/lists.js';
import { formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { type Doc, flexible, gap, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { renderBar } from '#ui/parts/sparkline.js';
import { COLUMN_GAP, DEFAULT_COLUMNS, dropProviders, measureTable, measureWidest } from './table-width.js';

/** The names of the parts. */
const NAMES: Readonly<Record<CostPart, string>> = {
  cacheRead: 'cache reads',
  cacheWrite5m: 'cache writes, 5 minutes',
  cacheWrite1h: 'cache writes, 1 hour',
  cacheWrite: 'cache writes',
  input: 'uncached input',
  output: 'output',
  other: 'other',
};

/** The short names of the parts, above columns. */
const TITLES: Readonly<Record<CostPart, string>> = {
  cacheRead: 'reads',
  cacheWrite5m: 'writes 5m',
  cacheWrite1h: 'writes 1h',
  cacheWrite: 'writes',
  input: 'input',
  output: 'output',
  other: 'other',
};

/** The parts of the cost, of all models and of each: as printed, they add up to it. */
export function renderCostParts(document: StatsDocument, isFull: boolean, columns: number): Doc {
  const { costParts, usageRecorded } = document;
  const whole = sumKnownCost(usageRecorded);
  const digits = countDollarDigits(whole);
  if (Number(whole.toFixed(digits)) === 0) return [];
  const rows = roundRows(costParts.byModel, whole, digits);
  const mark = usageRecorded.costListed === null ? '' : '~';
  const format = (dollars: number): string => `${mark}${formatDollarsTo(dollars, digits)}`;
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  return [
    gap,
    heading(2, 'Cost'),
    renderParts(costParts, rows, format, wide),
    ...(rows.length > 1 ? renderModels(joinRest(rows, isFull), format, wide) : []),
    ...renderNotes(costParts, rows),
    ...renderCheaper(document),
  ];
}

/** The rounded dollars of a model. */
interface CostRow {
  readonly name: string;
  readonly parts: ReadonlyMap<CostPart, number>;
}

/** Rounds the cost of each model, then its parts, so that all sums are those of the printed numbers. */
function roundRows(models: StatsCostParts['byModel'], whole: number, digits: number): readonly CostRow[] {
  const sums = models.map(({ parts }) => sumBy(parts, ({ dollars }) => dollars));
  const rounded = splitDollars(whole, sums, digits);
  return models
    .map(({ model, parts }, at): CostRow => {
      const shares = splitDollars(
        rounded[at] ?? 0,
        parts.map(({ dollars }) => dollars),
        digits,
      );
      return { name: model, parts: new Map(parts.map(({ part }, index) => [part, shares[index] ?? 0])) };
    })
    .filter((row) => sumRow(row) > 0);
}

function sumRow({ parts }: CostRow): number {
  return [...parts.values()].reduce((sum, dollars) => sum + dollars, 0);
}

function sumPart(rows: readonly CostRow[], part: CostPart): number {
  return sumBy(rows, ({ parts }) => parts.get(part) ?? 0);
}

type FormatCost = (dollars: number) => string;

function renderParts({ all }: StatsCostParts, rows: readonly CostRow[], format: FormatCost, wide: number): Doc[number] {
  const whole = sumBy(rows, sumRow);
  const shown = all.map(({ part, tokens }) => ({ part, tokens, dollars: sumPart(rows, part) }));
  const most = shown.reduce((top, { dollars }) => Math.max(top, dollars), 0);
  const cells = Math.max(6, Math.min(30, wide - 56));
  return table(
    [flexible('paid for'), right('tokens'), right('cost'), right(''), left('')],
    [
      ...shown.map(({ part, tokens, dollars }) => [
        span(NAMES[part]),
        span(tokens === 0 ? '' : formatShortCount(Math.round(tokens))),
        span(format(dollars)),
        span(formatPercent(dollars, whole), 'faint'),
        span(renderBar(dollars, most, cells), 'messages'),
      ]),
      [span('total', 'strong'), span(''), span(format(whole), 'strong'), span(''), span('')],
    ],
  );
}

/** The parts of each model, if the table fits. */
function renderModels(rows: readonly CostRow[], format: FormatCost, wide: number): Doc {
  const parts = COST_PARTS.filter((part) => sumPart(rows, part) > 0);
  const titles = [...parts.map((part) => TITLES[part]), 'cost'];
  const names = dropProviders(rows.map(({ name }) => name));
  const numbers = rows.map((row) => {
    const costs = [...parts.map((part) => row.parts.get(part) ?? 0), sumRow(row)];
    return costs.map((dollars) => (dollars === 0 ? '' : format(dollars)));
  });
  const least = Math.min(LEAST_NAME, measureWidest(names));
  if (measureTable(titles, numbers) + COLUMN_GAP + least > wide)
    return [line(span('  by model: in a wider window, or with --json', 'faint'))];
  const cells = rows.map((_, at): readonly Span[] => [
    span(names[at] ?? '', 'strong'),
    ...(numbers[at] ?? []).map((text) => span(text)),
  ]);
  return [gap, table([flexible('model'), ...titles.map(right)], cells)];
}

const LEAST_NAME = 12;
const MOST_MODELS = 5;

/** The most expensive models, and one row for the others. */
function joinRest(rows: readonly CostRow[], isFull: boolean): readonly CostRow[] {
  const rest = rows.slice(MOST_MODELS);
  if (isFull || rest.length < 2) return rows;
  const parts = new Map(COST_PARTS.map((part) => [part, sumPart(rest, part)]));
  return [...rows.slice(0, MOST_MODELS), { name: pluralize(rest.length, 'other model'), parts }];
}

/** The largest part of the cost, and the answer of `--cheaper`. */
function renderCheaper({ cheaper, sessions, costParts, usageRecorded }: StatsDocument): Doc {
  if (cheaper) return [line(`  ${cheaper.sentence}`)];
  if (sessions.length !== 1) return [];
  const [most] = costParts.all.toSorted((a, b) => b.dollars - a.dollars);
  if (!most) return [];
  const share = most.dollars / sumBy(costParts.all, ({ dollars }) => dollars);
  const main = describeMainPart({ ...most, share, calls: usageRecorded.calls });
  return [line(`  ${main}; `, span('what would have been cheaper: ctx stats --cheaper', 'faint'))];
}

function renderNotes({ all, inferred }: StatsCostParts, rows: readonly CostRow[]): Doc {
  const hasOther = sumPart(rows, 'other') > 0;
  const hasUnknownWrites = all.some(({ part, tokens }) => part === 'cacheWrite' && tokens > 0);
  const notes = [
    ...(hasUnknownWrites ? ['the lifetime of some cache writes is not recorded'] : []),
    ...(hasOther ? ['other: searches, and sums that are recorded without their parts'] : []),
    ...(inferred > 0 ? ['some costs are recorded as one sum: their parts follow listed prices'] : []),
  ];
  return notes.map((note) => line(span(`  ${note}`, 'faint')));
}
