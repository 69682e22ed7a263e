import type { StatsDocument, UsageDocument } from '#analysis/stats/document.js';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { type Doc, flexible, gap, heading, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { DEFAULT_COLUMNS, dropProviders, measureTable } from './table-width.js';
import { renderCostNotes, renderUnusedNote } from './tables.js';

/** The usage that providers recorded, by model and by source. */
export function renderUsage(document: StatsDocument, isFull: boolean, columns: number): Doc {
  const { usageRecorded: all, usageRecordedByModel: models, usageRecordedBySource: bySource } = document;
  if (models.length === 0) return [gap, heading(2, 'Recorded by providers'), line(span('  nothing', 'faint'))];
  const shown = isFull ? models : models.slice(0, MOST_MODELS);
  const rest = models.length - shown.length;
  const sources = bySource.filter(({ source }) => source !== 'requests' || bySource.length > 1);
  const lines: readonly UsageLine[] = [
    ...shown.map((usage) => ({ name: span(usage.model, 'strong'), usage })),
    ...(models.length > 1 || sources.length > 0 ? [{ name: span('all'), usage: all }] : []),
    ...sources.map((usage) => ({ name: span(`  ${usage.source}`, 'faint'), usage })),
  ];
  const { titles, rows } = fitUsageTable(lines, columns);
  const more: Row[] = rest > 0 ? [[span(`… ${pluralize(rest, 'more model')}: --full shows all`, 'faint')]] : [];
  return [
    gap,
    heading(2, 'Recorded by providers'),
    table(
      [flexible('model'), ...titles.map(right)],
      [...rows.slice(0, shown.length), ...more, ...rows.slice(shown.length)],
    ),
    ...renderUnusedNote(all, models),
    ...renderCostNotes(all, models),
  ];
}

const MOST_MODELS = 5;
const USAGE_TITLES = ['calls', 'input', 'reads', 'writes', 'output', 'total', 'cost'];

type Row = readonly Span[];

/** A row of the table: its name, and its usage. */
interface UsageLine {
  readonly name: Span;
  readonly usage: UsageDocument;
}

interface UsageTable {
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
}

/**
 * The usage with as much detail as fits: exact numbers, short ones, short ones without their total, then without
 * providers.
 */
function fitUsageTable(all: readonly UsageLine[], columns: number): UsageTable {
  const room = columns === Infinity ? DEFAULT_COLUMNS : columns;
  const buildTable = (text: (value: number) => string): UsageTable => ({
    titles: USAGE_TITLES,
    rows: all.map((each) => buildUsageRow(each, text)),
  });
  const short = buildTable(formatShortCount);
  const candidates = [buildTable(formatCount), short, dropColumn(short, 'total')];
  const fitting = candidates.find((each) => measureUsageTable(each) <= room);
  if (fitting || columns === Infinity) return fitting ?? short;
  const narrow = shortenNames(dropColumn(short, 'total'));
  return columns < NARROW ? dropColumn(narrow, 'writes') : narrow;
}

function buildUsageRow({ name, usage }: UsageLine, text: (value: number) => string): Row {
  const { calls, input, output, cacheRead, cacheWrite, total } = usage;
  const numbers = [input, cacheRead, cacheWrite, output, total].map(text);
  return [name, ...[formatCount(calls), ...numbers, describeUsageCost(usage, '?')].map((cell) => span(cell))];
}

const NARROW = 70;

function dropColumn({ titles, rows }: UsageTable, title: string): UsageTable {
  const at = titles.indexOf(title);
  return { titles: titles.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at + 1, 1)) };
}

function shortenNames({ titles, rows }: UsageTable): UsageTable {
  const names = dropProviders(rows.map(([name]) => name?.text ?? ''));
  return {
    titles,
    rows: rows.map(([name, ...cells], at) => [{ ...span(''), ...name, text: names[at] ?? '' }, ...cells]),
  };
}

/** The width of a table, including its margin. */
function measureUsageTable({ titles, rows }: UsageTable): number {
  return measureTable(
    ['model', ...titles],
    rows.map((row) => row.map(({ text }) => text)),
  );
}
