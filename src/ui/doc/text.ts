import { toVisible, toVisibleLine } from '#base/visible.js';
import { type Block, type Cell, type Column, type Doc, line, type Renderer, type Span, span } from './doc.js';
import { loadRuler, type Ruler } from './ruler.js';
import { plainStyle } from './style.js';
import {
  COLUMN_GAP,
  cutSpan,
  GAP,
  isPlainLine,
  renderProseRow,
  renderRow,
  renderSpans,
  renderWrapped,
  type TextLayout,
} from './text-line.js';
import { INDENT, layOutPair, listMeasuredTexts, mayExceed, mayWrap } from './text-measured.js';

const BAR_CELLS = 40;
const WIDEST_FIXED_COLUMN = 40;

const renderer = {
  name: 'text',
  summary: 'text for a terminal',
  async render(report, view, style) {
    const { columns, isTerminal, addressOf } = view;
    const doc: Block[] = [];
    const texts: string[] = [];
    for (const block of report.doc(view)) {
      const isPlain = isPlainLine(block);
      const safe = isPlain ? block : toVisibleBlock(block);
      doc.push(safe);
      if (!isPlain) for (const text of listMeasuredTexts(safe, view)) texts.push(text);
    }
    const wraps = doc.some((block) => mayWrap(block, view));
    const isRich = isTerminal && doc.some((block) => block.kind === 'verbatim' && block.language !== '');
    const richLines = isRich ? (await import('./rich-text.js')).renderRichText : undefined;
    const page = { columns, isTerminal, style, addressOf, richLines, ruler: await loadRuler(texts, wraps) };
    return `${doc.flatMap((block) => renderBlock(block, page)).join('\n')}\n`;
  },
} satisfies Renderer;

export default renderer;

/** Renders a document as lines. */
export function renderLines(doc: Doc, page: TextLayout): readonly string[] {
  return doc.flatMap((block) => renderBlock(toVisibleBlock(block), page));
}

function renderBlock(block: Block, page: TextLayout): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return renderWrapped([{ ...block, tone: 'strong' }], page.columns, page, HANGING);
    case 'line':
      return block.isCut
        ? [renderSpans(block.spans, page.columns, page)]
        : renderWrapped(block.spans, page.columns, page, block.hanging ?? HANGING);
    case 'bullets':
      return block.items.flatMap((spans) =>
        renderWrapped(spans, page.columns - INDENT.length, page, HANGING).map((text) => INDENT + text),
      );
    case 'row':
      if (block.isProse) return renderProseRow(block.cells, page);
      return [renderRow(block.cells, block.isLong ? { ...page, columns: Infinity } : page)];
    case 'table':
      return renderTable(block, page);
    case 'bar':
      return [renderBarBlock(block, page)];
    case 'pair':
      return layOutPair(block, page.columns, page.ruler).map((spans) => renderSpans(spans, Infinity, page));
    case 'whole':
      return [block.text];
    case 'verbatim':
      return renderVerbatim(block, page);
    case 'gap':
      return [''];
  }
}

/** On a terminal, Markdown and code are rendered, and what is longer than a line is wrapped; anywhere else a text stays as it is. */
function renderVerbatim(block: Extract<Block, { kind: 'verbatim' }>, page: TextLayout): readonly string[] {
  const cells = page.columns - INDENT.length;
  const text = block.text.replace(/\n$/, '');
  const rich = block.language === '' ? null : page.richLines?.(text, block.language);
  if (rich)
    return rich.flatMap(({ spans, hanging }) =>
      renderWrapped(spans, cells, page, hanging).map((part) => (INDENT + part).trimEnd()),
    );
  return text.split('\n').flatMap((one) => {
    if (one === '') return [''];
    if (!page.isTerminal || !mayExceed(one, cells)) return [INDENT + one];
    return renderWrapped([span(one.replaceAll('\t', TAB))], cells, page).map((part) => INDENT + part);
  });
}

/** A tab would move what is measured. */
const TAB = '    ';
const HANGING = 2;

type Table = Extract<Block, { kind: 'table' }>;
type FittedColumn = Column & { readonly width: number };

function renderTable(table: Table, page: TextLayout): readonly string[] {
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

/** Columns as wide as their widest cell; the flexible one has the rest of the line, and no padding without a terminal. */
function fitTableColumns(columns: readonly Column[], rows: Table['rows'], cells: number, ruler: Ruler): readonly FittedColumn[] {
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

/** Cells in proportion to the total; whatever is there at all gets at least one. */
function renderBarBlock(bar: Extract<Block, { kind: 'bar' }>, page: TextLayout): string {
  const cells = Math.max(10, Math.min(BAR_CELLS, page.columns - INDENT.length - 30));
  const segments = bar.segments.filter(({ value }) => value > 0);
  let out = '';
  let left = cells;
  for (const [at, { value, tone }] of segments.entries()) {
    const reserved = segments.length - at - 1;
    const width = Math.max(1, Math.min(left - reserved, Math.round((value / bar.total) * cells)));
    out += page.style(tone, '█'.repeat(width));
    left -= width;
  }
  out += page.style('faint', '░'.repeat(left));
  return `${INDENT}${out}  ${renderSpans(bar.label, page.columns - INDENT.length - cells - 2, page)}`;
}

/** A block whose texts are safe to print; nothing is measured before that. */
function toVisibleBlock(block: Block): Block {
  switch (block.kind) {
    case 'heading':
      return { ...block, text: toVisibleLine(block.text) };
    case 'line':
      return { ...block, spans: toVisibleSpans(block.spans) };
    case 'bullets':
      return { ...block, items: block.items.map(toVisibleSpans) };
    case 'row':
      return { ...block, cells: toVisibleSpans(block.cells) };
    case 'table':
      return { ...block, rows: block.rows.map(toVisibleSpans) };
    case 'bar':
      return { ...block, label: toVisibleSpans(block.label) };
    case 'pair':
      return { ...block, left: toVisibleSpans(block.left), right: toVisibleSpans(block.right) };
    case 'whole':
    case 'verbatim':
      return { ...block, text: toVisible(block.text) };
    case 'gap':
      return block;
  }
}

/** Makes spans safe to print. Returns the list itself if all are safe, as most are: copying takes longer than checking. */
function toVisibleSpans<Part extends Span>(spans: readonly Part[]): readonly Part[] {
  const texts = spans.map(({ text }) => toVisibleLine(text));
  if (spans.every(({ text }, at) => text === texts[at])) return spans;
  return spans.map((part, at) => (part.text === texts[at] ? part : { ...part, text: texts[at] ?? '' }));
}

/** Safe text as it is printed on a terminal: each of its lines is wrapped between words, and goes on a little further in. */
export function renderProse(safe: string, columns: number): Promise<string> {
  const doc = safe
    .replace(/\n$/, '')
    .split('\n')
    .map((one) => line(one));
  return renderer.render({ data: null, doc: () => doc }, { format: 'text', columns, rows: Infinity }, plainStyle);
}
