import type { Renderer, View } from './define.js';
import { type Block, type Column, type Doc, type Span, span } from './doc.js';
import type { Style } from './style.js';
import { visible, visibleLine } from './visible.js';
import { cutTo, padTo, widthOf } from './width.js';

const INDENT = '  ';
const COLUMN_GAP = 2;
const BAR_CELLS = 40;

export default {
  name: 'text',
  summary: 'for people, in a terminal',
  render: (report, view, style) => renderText(report.doc(view), view, style),
} satisfies Renderer;

function renderText(doc: Doc, view: View, style: Style): string {
  const lines = doc.flatMap((block) => linesOf(block, view, style));
  return `${lines.join('\n')}\n`;
}

function linesOf(block: Block, { columns }: View, style: Style): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [style('strong', cutTo(visibleLine(block.text), columns))];
    case 'line':
      return [fit(block.spans, columns, style)];
    case 'bullets':
      return block.items.map((spans) => `${INDENT}${fit(spans, columns - INDENT.length, style)}`);
    case 'table':
      return tableLines(block, columns, style);
    case 'bar':
      return [barLine(block, columns, style)];
    case 'verbatim':
    case 'quote':
      return visible(block.text)
        .split('\n')
        .map((text) => `${INDENT}${text}`);
    case 'gap':
      return [''];
  }
}

/** Spans on one line, cut where the terminal ends. */
function fit(spans: readonly Span[], cells: number, style: Style): string {
  let left = cells;
  let out = '';
  for (const { text, tone } of spans) {
    const cut = cutTo(visibleLine(text), left);
    out += style(tone, cut);
    left -= widthOf(cut);
  }
  return out;
}

function tableLines(table: Extract<Block, { kind: 'table' }>, cells: number, style: Style): readonly string[] {
  const titles = table.columns.map(({ title }): Span => ({ text: title, tone: 'faint' }));
  const rows = (table.hasTitles ? [titles, ...table.rows] : table.rows).map((row) =>
    row.map(({ text, tone }) => ({ text: visibleLine(text), tone })),
  );
  const columns = fitted(table.columns, rows, cells - INDENT.length);
  return rows.map((row) => {
    if (row.length === 1) return `${INDENT}${fit(row, cells - INDENT.length, style)}`;
    const parts = columns.map(({ width, align }, at) => {
      const { text, tone } = row[at] ?? span('');
      return style(tone, padTo(cutTo(text, width), width, align));
    });
    return `${INDENT}${parts.join(' '.repeat(COLUMN_GAP))}`.trimEnd();
  });
}

/** Columns as wide as their widest cell; the flexible one takes what is left of the line. */
function fitted(
  columns: readonly Column[],
  rows: readonly (readonly Span[])[],
  cells: number,
): readonly (Column & { readonly width: number })[] {
  const natural = columns.map((column, at) => ({ ...column, width: widestCell(rows, at) }));
  const fixed = natural.reduce(
    (sum, { isFlexible, width }) => sum + (isFlexible ? 0 : width),
    COLUMN_GAP * (columns.length - 1),
  );
  return natural.map((column) =>
    column.isFlexible ? { ...column, width: Math.max(8, Math.min(column.width, cells - fixed)) } : column,
  );
}

function widestCell(rows: readonly (readonly Span[])[], at: number): number {
  return rows.reduce((most, row) => (row.length === 1 ? most : Math.max(most, widthOf(row[at]?.text ?? ''))), 0);
}

/** Cells in proportion to the total; whatever is there at all gets at least one. */
function barLine(bar: Extract<Block, { kind: 'bar' }>, columns: number, style: Style): string {
  const cells = Math.max(10, Math.min(BAR_CELLS, columns - INDENT.length - 30));
  let used = 0;
  let out = '';
  for (const { value, tone } of bar.segments) {
    if (value <= 0) continue;
    const width = Math.min(cells - used, Math.max(1, Math.round((value / bar.total) * cells)));
    out += style(tone, '█'.repeat(width));
    used += width;
  }
  out += style('faint', '░'.repeat(cells - used));
  return `${INDENT}${out}  ${fit(bar.label, columns - INDENT.length - cells - 2, style)}`;
}
