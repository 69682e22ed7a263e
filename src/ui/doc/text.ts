import { shortenCommand } from '#base/shell.js';
import { type Block, type Doc, line, type Span, span } from './doc.js';
import { listMeasuredTexts, mayExceed, mayWrap } from './measure.js';
import { layOutPair } from './pair.js';
import type { Renderer, View } from './renderer.js';
import { loadRuler } from './ruler.js';
import { plainStyle } from './style.js';
import {
  HANGING,
  INDENT,
  isPlainLine,
  renderProseRow,
  renderRow,
  renderSpans,
  renderWrapped,
  type TextLayout,
} from './text-line.js';
import { renderTable } from './text-table.js';
import { toVisibleBlock } from './visible-block.js';

const BAR_CELLS = 40;

const renderer = {
  name: 'text',
  summary: 'text for a terminal',
  async render(report, view, style) {
    const { columns, isTerminal, addressOf } = view;
    const doc: Block[] = [];
    const texts: string[] = [];
    for (const whole of report.doc(view)) {
      const block = shortenPaths(whole, view.shortenPath);
      if (isPlainLine(block)) {
        doc.push(block);
        continue;
      }
      const safe = toVisibleBlock(block);
      doc.push(safe);
      for (const text of listMeasuredTexts(safe, view)) texts.push(text);
    }
    const wraps = doc.some((block) => mayWrap(block, view));
    const isRich = isTerminal && doc.some(hasLanguage);
    const richLines = isRich ? (await import('./rich-text.js')).renderRichText : undefined;
    const page = { columns, isTerminal, style, addressOf, richLines, ruler: await loadRuler(texts, wraps) };
    return `${doc.flatMap((block) => renderBlock(block, page)).join('\n')}\n`;
  },
} satisfies Renderer;

export default renderer;

/**
 * Shortens the paths in a line, a heading or a command, or at the end of a whole line. Rows keep theirs: their columns
 * are measured already.
 */
function shortenPaths(block: Block, shortenPath: View['shortenPath']): Block {
  if (!shortenPath) return block;
  const shortenName = <Part extends Pick<Span, 'text' | 'file' | 'isCommand'>>(part: Part): Part => {
    if (part.isCommand) return { ...part, text: shortenCommand(part.text, shortenPath) };
    return part.file === undefined || part.file !== part.text ? part : { ...part, text: shortenPath(part.file) };
  };
  switch (block.kind) {
    case 'heading':
      return shortenName(block);
    case 'whole':
      return shortenWhole(block, shortenPath);
    case 'line': {
      const hasPath = block.spans.some(({ file, isCommand }) => file !== undefined || isCommand);
      return hasPath ? { ...block, spans: block.spans.map(shortenName) } : block;
    }
    default:
      return block;
  }
}

/** A whole line ends with its file or its command. */
function shortenWhole(block: Extract<Block, { kind: 'whole' }>, shortenPath: (file: string) => string): Block {
  const { text, file, command } = block;
  if (file !== undefined) return { ...block, text: text.slice(0, -file.length) + shortenPath(file) };
  if (command === undefined) return block;
  return { ...block, text: text.slice(0, -command.length) + shortenCommand(command, shortenPath) };
}

/** Whether a block contains a text that a terminal shows rendered. */
function hasLanguage(block: Block): boolean {
  if (block.kind === 'fold') return block.body.some(hasLanguage);
  return block.kind === 'verbatim' && block.language !== '';
}

/** Renders a document as lines. */
export function renderLines(doc: Doc, page: TextLayout): readonly string[] {
  return doc.flatMap((block) => renderBlock(toVisibleBlock(block), page));
}

function renderBlock(block: Block, page: TextLayout): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return renderWrapped([{ ...block, tone: 'strong' }], page.columns, page, HANGING);
    case 'line':
      return block.isCut ? [renderSpans(block.spans, page.columns, page)] : renderLine(block, page);
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
    case 'fold':
      if (block.body.length === 0) return [renderSpans(block.summary, page.columns, page)];
      return [
        ...renderWrapped(block.summary, page.columns, page, HANGING),
        ...block.body.flatMap((below) => renderBlock(below, page)),
      ];
    case 'gap':
      return [''];
  }
}

/** A line, which is wrapped. A command at its beginning stays whole, since it could not be pasted otherwise. */
function renderLine(
  { spans, hanging = HANGING }: Extract<Block, { kind: 'line' }>,
  page: TextLayout,
): readonly string[] {
  const [first, ...rest] = spans;
  if (!first?.isCommand || !mayExceed(first.text, page.columns))
    return renderWrapped(spans, page.columns, page, hanging);
  return [renderSpans([first], Infinity, page), ...renderWrapped(rest, page.columns, page, hanging)];
}

/** On a terminal, renders Markdown and code, and wraps long lines. Anywhere else a text stays as it is. */
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

/**
 * Safe text as it is printed on a terminal: each of its lines is wrapped between words, and goes on a little further
 * in.
 */
export function renderProse(safe: string, columns: number): Promise<string> {
  const doc = safe
    .replace(/\n$/, '')
    .split('\n')
    .map((one) => line(one));
  return renderer.render({ data: null, doc: () => doc }, { format: 'text', columns, rows: Infinity }, plainStyle);
}
