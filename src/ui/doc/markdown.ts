import { toVisible, toVisibleLine } from '#base/visible.js';
import { type Block, type Doc, type Span, span } from './doc.js';
import { renderMarkdownProse } from './markdown-prose.js';
import { escapeLineStart, renderFence, renderInline, toCellText } from './markdown-text.js';
import type { Renderer } from './renderer.js';

export default {
  name: 'markdown',
  summary: 'a Markdown document',
  render(report, view) {
    return `${renderBlocks(report.doc(view))}\n`;
  },
} satisfies Renderer;

function renderBlocks(doc: Doc): string {
  return doc
    .map(renderBlock)
    .filter((text) => text !== '')
    .join('\n\n');
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${renderInline([span(block.text)])}`;
    case 'line':
      return escapeLineStart(renderInline(block.spans));
    case 'bullets':
      return block.items
        .map((spans) => `${block.isTitle ? '' : '- '}${escapeLineStart(renderInline(spans))}`)
        .join('\n');
    case 'row':
      return `- ${escapeLineStart(block.cells.map((cell) => renderInline([cell])).join(' '))}`;
    case 'table':
      return renderTable(block);
    case 'bar':
      return escapeLineStart(renderInline(block.label));
    case 'pair':
      return `- ${escapeLineStart([block.left, block.right].map(renderInline).join(' → '))}`;
    case 'whole':
      return escapeLineStart(renderInline([span(block.text)]));
    case 'fold':
      return renderFold(block);
    case 'verbatim':
      if (block.nodes) return renderMarkdownProse(block.nodes, block.keepsLines ? '\\\n' : '\n');
      // Markdown of a session is in a fence as well: it is quoted, and no part of this document.
      return renderFence(toVisible(block.text), block.language === 'markdown' ? '' : block.language);
    case 'gap':
      return '';
  }
}

function renderTable({ columns, rows }: Extract<Block, { kind: 'table' }>): string {
  const lines = [
    renderRow(columns.map(({ title }) => renderCell(span(title)))),
    renderRow(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...rows.map((row) => renderRow(row.map(renderCell))),
  ];
  return lines.join('\n');
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function renderCell(cell: Span): string {
  return toCellText(renderInline([cell]));
}

/** A folded part of a document. Markdown begins again after the blank line. */
function renderFold({ summary, body }: Extract<Block, { kind: 'fold' }>): string {
  if (body.length === 0) {
    const parts = summary.map((part): Span => (part.tone === 'code' ? { ...part, tone: 'id' } : part));
    return escapeLineStart(renderInline(parts));
  }
  const title = `<summary>${summary.map(renderHtml).join('')}</summary>`;
  return `<details>\n${title}\n\n${renderBlocks(body)}\n\n</details>`;
}

/** A span in a line of HTML, where nothing is Markdown. A forge links nothing in code. */
function renderHtml({ text, tone }: Span): string {
  const safe = toVisibleLine(text).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  if (tone === 'code' || tone === 'id') return `<code>${safe}</code>`;
  return tone === 'strong' ? `<b>${safe}</b>` : safe;
}
