import { sumEntryCosts } from '#analysis/stats/listed-cost.js';
import { readRecordedUsage } from '#analysis/stats/usage-records.js';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatCount } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import type { LogEntry } from '#context/log-entries.js';
import type { PriceList } from '#context/models/prices.js';
import { isUsageDerived, readUsageNumbers, type UsageNumbers } from '#context/size/recorded-usage.js';
import { formatId } from '#session/heads/head.js';
import { type Block, type Cell, cell, type Doc, listingRow } from '#ui/doc/doc.js';
import { buildRowCells, buildTitleCells, fitColumns, type ListingColumn } from '#ui/doc/listing.js';
import type { View } from '#ui/doc/renderer.js';
import { COLUMN_GAP } from '#ui/doc/text-line.js';
import { nameTone, previewTone } from '#ui/parts/tree-view.js';

export interface LogRow extends Pick<
  LogEntry,
  'head' | 'tokens' | 'tokensEstimated' | 'contextTokens' | 'contextTokensSource'
> {
  /** Recorded by a provider. */
  readonly usage: (UsageNumbers & { readonly isDerived?: true }) | null;
  /** Recorded dollars of all calls of the entry; null if none records a cost. */
  readonly cost: number | null;
  /** Dollars of calls without a recorded cost at listed prices; null if there are none, or no price is known. */
  readonly costListed: number | null;
  readonly name: string;
  readonly label: string | null;
  readonly preview: string;
}

interface LogLayout {
  /** Whether only id, name and preview are shown. */
  readonly isShort: boolean;
  readonly lineDigits: number;
  /** Whether costs are at listed prices, with a `~`. */
  readonly isPriced: boolean;
  /** The width of the graph before the rows, 0 without one. */
  readonly graphCells: number;
}

/** A row for an entry. `prices`: those of calls whose cost is not recorded. */
export function buildLogRow(
  { entry, ...sizes }: LogEntry,
  { prices, ...words }: Pick<LogRow, 'name' | 'label' | 'preview'> & { readonly prices: PriceList },
): LogRow {
  const usage = readRecordedUsage(sizes.head, entry);
  const costs = sumEntryCosts(sizes.head, entry, prices);
  const derived = usage && isUsageDerived(usage) ? { isDerived: true as const } : {};
  return { ...sizes, usage: usage && { ...readUsageNumbers(usage), ...derived }, ...costs, ...words };
}

/** The table for a view; all rows share it. */
export function createLogTable(layout: LogLayout): (view: View) => LogTable {
  let last: { readonly view: View; readonly table: LogTable } | null = null;
  return (view) => {
    if (last?.view !== view) last = { view, table: new LogTable(layout, view) };
    return last.table;
  };
}

class LogTable {
  private readonly columns: readonly LogColumn[];

  constructor(
    private readonly layout: LogLayout,
    private readonly view: View,
  ) {
    this.columns = chooseColumns(layout, view.columns);
  }

  titles(): Doc {
    if (this.layout.isShort || this.view.format !== 'text') return [];
    return [listingRow([...this.graphCell(''), ...buildTitleCells(this.columns), cell('preview', 0, 'faint')])];
  }

  /** `graph`: the drawing before the row. */
  line(entry: LogRow, { graph, isHead }: { readonly graph: string; readonly isHead: boolean }): Block {
    const cells = buildRowCells(this.columns, entry);
    const head = isHead ? [cell('← HEAD', 0, 'good')] : [];
    const label = entry.label === null ? [] : [cell(`[${entry.label}]`, 0, 'warning')];
    const shown = this.view.format === 'text' ? cells : cells.filter(({ text }) => text !== '');
    const preview = cell(entry.preview, 0, previewTone(entry.head));
    return listingRow([...this.graphCell(graph), ...shown, ...head, ...label, preview]);
  }

  private graphCell(graph: string): readonly Cell[] {
    const { graphCells } = this.layout;
    return graphCells === 0 ? [] : [cell(graph, graphCells, 'faint')];
  }
}

type LogColumn = ListingColumn<LogRow>;

/** Cells that are kept for the preview. */
const LEAST_PREVIEW = 25;
/** The width from which all names are aligned and times are written in full. */
const WIDE = 120;
const WIDE_IF_SHORT = 100;

function chooseColumns(layout: LogLayout, allCells: number): readonly LogColumn[] {
  const { isShort, isPriced, lineDigits, graphCells } = layout;
  const cells = graphCells === 0 ? allCells : allCells - graphCells - COLUMN_GAP;
  const isWide = cells >= (isShort ? WIDE_IF_SHORT : WIDE);
  const name = isWide ? NAME : NARROW_NAME;
  if (isShort) return [ID, name];
  const line: LogColumn = {
    title: 'line',
    rank: 4,
    width: -Math.max(4, lineDigits),
    tone: 'faint',
    text: ({ head }) => String(head.line),
  };
  const time = createTimeColumn(isWide);
  const all = [line, ID, name, TOKENS, CONTEXT, RECORDED, isPriced ? LISTED_COST : COST, time];
  return fitColumns(all, cells, () => LEAST_PREVIEW);
}

const ID: LogColumn = { title: 'entry', width: 8, tone: 'id', text: ({ head }) => formatId(head.id) ?? '' };
/**
 * The width is that of `thinking_level_change`. A longer name is not cut, since it is a value for `--type`, and shifts
 * its row.
 */
const NAME: LogColumn = {
  title: 'name',
  width: 21,
  tone: ({ head }) => nameTone(head),
  text: ({ name }) => name,
};
/** The width is that of `branch_summary`. */
const NARROW_NAME: LogColumn = { ...NAME, width: 14 };

/** The tokens by which the context grew, which `ctx show` spreads over all messages: estimated, in whole or in part. */
const TOKENS: LogColumn = {
  title: '~added',
  rank: 1,
  width: -7,
  tone: 'plain',
  text: ({ tokens }) => formatOptional(tokens),
};
const CONTEXT: LogColumn = {
  title: 'context',
  rank: 2,
  width: -8,
  tone: 'plain',
  text: ({ contextTokens, contextTokensSource }) =>
    `${contextTokensSource === 'estimated' ? '~' : ''}${formatOptional(contextTokens)}`,
};
const RECORDED: LogColumn = {
  title: 'recorded',
  rank: 6,
  width: -8,
  tone: 'plain',
  text: ({ usage }) => `${usage?.isDerived ? '~' : ''}${formatOptional(usage && usage.total)}`,
};
const COST: LogColumn = {
  title: 'cost',
  rank: 3,
  width: -7,
  tone: 'plain',
  text: (row) => describeUsageCost(row, ''),
};
/** The width leaves room for the `~`. */
const LISTED_COST: LogColumn = { ...COST, width: -8 };

/** Times up to the minute; without the year on a narrow screen. */
function createTimeColumn(isWide: boolean): LogColumn {
  // Adjacent entries often have the same minute, and formatting a time is slow.
  let last = { minute: Number.NaN, text: '' };
  return {
    title: 'time (UTC)',
    rank: 5,
    width: isWide ? 16 : 11,
    tone: 'faint',
    text({ head: { time } }) {
      const minute = Math.floor(time / 60_000);
      if (minute !== last.minute)
        last = {
          minute,
          text:
            formatTime(time)
              ?.slice(isWide ? 0 : 5, 16)
              .replace('T', ' ') ?? '',
        };
      return last.text;
    },
  };
}

function formatOptional(value: number | null): string {
  return value === null ? '' : formatCount(value);
}
