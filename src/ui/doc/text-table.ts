import { type Block, type Cell, type Column, type Span, span } from './doc.js';
import type { Ruler } from './ruler.js';
import {
  COLUMN_GAP,
  cutSpan,
  GAP,
  HANGING,
  INDENT,
  renderProseRow,
  renderWrapped,
  type TextLayout,
} from './text-line.js';

const WIDEST_FIXED_COLUMN = 40;

type Table = Extract<Block, { kind: 'table' }>;

type FittedColumn = Column & { readonly width: number };

export function renderTable(table: Table, page: TextLayout): readonly string[] {
  const { style, ruler } = page;
  const titles = table.columns.map(({ title }) => span(title, 'faint'));
  const rows = table.hasTitles ? [titles, ...table.rows] : table.rows;
  const cells = page.columns - INDENT.length;
  const columns = fitTableColumns(table.columns, rows, cells, ruler);
  return rows.flatMap((row) => {
    if (row.length === 1) return renderWrapped(row, cells, page, HANGING).map((text) => INDENT + text);
    if (columns.at(-1)?.isProse)
      return renderProseRow(toCells(row, columns, page), { ...page, columns: cells }).map((text) => INDENT + text);
    const parts = columns.map(({ width, align }, at) => {
      const part = row[at] ?? span('');
      if (width === Infinity) return style(part.tone, part.text);
      return style(part.tone, ruler.padTo(cutSpan(part, part.text, width, ruler), width, align));
    });
    return (INDENT + parts.join(GAP)).trimEnd();
  });
}

/** The cells of a row whose last one is a sentence. */
function toCells(row: readonly Span[], columns: readonly FittedColumn[], { ruler }: TextLayout): readonly Cell[] {
  return columns.map(({ width, align, isProse }, at) => {
    const { text, tone } = row[at] ?? span('');
    return isProse ? { text, tone, align, width: 0 } : { text: ruler.cutTo(text, width), tone, align, width };
  });
}

/**
 * Columns as wide as their widest cell; the flexible one has the rest of the line, and no padding without a terminal.
 */
function fitTableColumns(
  columns: readonly Column[],
  rows: Table['rows'],
  cells: number,
  ruler: Ruler,
): readonly FittedColumn[] {
  const natural = columns.map((column, at) => {
    if (column.isFlexible && cells === Infinity && at === columns.length - 1) return { ...column, width: Infinity };
    const widest = measureWidestCell(rows, at, ruler);
    return { ...column, width: column.isFlexible ? widest : Math.min(widest, WIDEST_FIXED_COLUMN) };
  });
  const fixed = natural.reduce(
    (sum, { isFlexible, width }) => sum + (isFlexible ? 0 : width),
    COLUMN_GAP * (columns.length - 1),
  );
  return natural.map((column) =>
    column.isFlexible ? { ...column, width: Math.min(column.width, Math.max(8, cells - fixed)) } : column,
  );
}

function measureWidestCell(rows: Table['rows'], at: number, ruler: Ruler): number {
  return rows.reduce((most, row) => (row.length === 1 ? most : Math.max(most, ruler.widthOf(row[at]?.text ?? ''))), 0);
}
