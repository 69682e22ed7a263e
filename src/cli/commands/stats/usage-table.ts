import type { StatsDocument, UsageDocument } from '#analysis/stats/document.js';
import { NO_MODEL } from '#analysis/stats/usage-sums.js';
import { count, plural, shortCount } from '#base/words.js';
import { type Doc, flexible, gap, heading, line, right, type Span, span } from '#ui/doc/doc.js';
import { listedNote, usageCost } from './tables.js';

/** The width of the tables without a terminal. */
export const USUAL_COLUMNS = 80;

/** The usage that providers recorded, by model and by source. */
export function usageDoc(report: StatsDocument, isFull: boolean, columns: number): Doc {
  const { usageRecorded: all, usageRecordedByModel: models, usageRecordedBySource: bySource } = report;
  if (all.calls === 0) return [gap, heading(2, 'Recorded by providers'), line(span('  nothing', 'faint'))];
  const shown = isFull ? models : models.slice(0, MOST_MODELS);
  const rest = models.length - shown.length;
  const sources = bySource.filter(({ source }) => source !== 'requests' || bySource.length > 1);
  const lines: readonly UsageLine[] = [
    ...shown.map((of): UsageLine => [span(of.model, 'strong'), of]),
    ...(models.length > 1 || sources.length > 0 ? [[span('all'), all] as const] : []),
    ...sources.map((of): UsageLine => [span(`  ${of.source}`, 'faint'), of]),
  ];
  const { titles, rows } = usageTable(lines, columns);
  const more: Row[] = rest > 0 ? [[span(`… ${plural(rest, 'more model')}, --full shows them`, 'faint')]] : [];
  return [
    gap,
    heading(2, 'Recorded by providers'),
    {
      kind: 'table',
      hasTitles: true,
      columns: [flexible('model'), ...titles.map(right)],
      rows: [...rows.slice(0, shown.length), ...more, ...rows.slice(shown.length)],
    },
    ...listedNote(all),
  ];
}

const MOST_MODELS = 5;
const USAGE_TITLES = ['calls', 'input', 'output', 'cache read', 'cache write', 'total', 'cost'];

type Row = readonly Span[];
type UsageLine = readonly [name: Span, usage: UsageDocument];

interface UsageTable {
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
}

/** The usage with as much detail as fits: exact numbers, short ones, short ones without their total, then without providers. */
function usageTable(all: readonly UsageLine[], columns: number): UsageTable {
  const room = columns === Infinity ? USUAL_COLUMNS : columns;
  const tableOf = (text: (value: number) => string): UsageTable => ({
    titles: USAGE_TITLES,
    rows: all.map((each) => usageRow(each, text)),
  });
  const short = tableOf(shortCount);
  const candidates = [tableOf(count), short, without(short, 'total')];
  const fitting = candidates.find((table) => widthOf(table) <= room);
  if (fitting || columns === Infinity) return fitting ?? short;
  const narrow = withoutProviders(without(short, 'total'));
  return columns < NARROW ? without(narrow, 'cache write') : narrow;
}

function usageRow([name, usage]: UsageLine, text: (value: number) => string): Row {
  const { calls, input, output, cacheRead, cacheWrite, total } = usage;
  const numbers = [input, output, cacheRead, cacheWrite, total];
  const cells = [count(calls), ...numbers.map(text), usageCost(usage)];
  return [name, ...cells.map((cell) => span(cell))];
}

const NARROW = 70;

function without({ titles, rows }: UsageTable, title: string): UsageTable {
  const at = titles.indexOf(title);
  return { titles: titles.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at + 1, 1)) };
}

/** Names models without their providers if the names stay distinct. */
function withoutProviders({ titles, rows }: UsageTable): UsageTable {
  const names = rows.map(([name]) =>
    name === undefined || name.text === NO_MODEL ? NO_MODEL : name.text.replace(/^[^\s/]+\//, ''),
  );
  if (new Set(names).size < names.length) return { titles, rows };
  return {
    titles,
    rows: rows.map(([name, ...cells], at) => [{ ...span(''), ...name, text: names[at] ?? '' }, ...cells]),
  };
}

/** The width of a table, including its margin. */
function widthOf({ titles, rows }: UsageTable): number {
  const widths = ['model', ...titles].map((title, at) =>
    rows.reduce((most, row) => Math.max(most, row[at]?.text.length ?? 0), title.length),
  );
  return widths.reduce((sum, width) => sum + 2 + width, 0);
}
