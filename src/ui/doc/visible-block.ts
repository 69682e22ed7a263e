import { toVisible, toVisibleLine } from '#base/visible.js';
import type { Block, Span } from './doc.js';

/** A block whose texts are safe to print; nothing is measured before that. */
export function toVisibleBlock(block: Block): Block {
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
    case 'fold':
      return { ...block, summary: toVisibleSpans(block.summary), body: block.body.map(toVisibleBlock) };
    case 'gap':
      return block;
  }
}

/**
 * Makes spans safe to print. Returns the list itself if all are safe, as most are: copying takes longer than checking.
 */
function toVisibleSpans<Part extends Span>(spans: readonly Part[]): readonly Part[] {
  const texts = spans.map(({ text }) => toVisibleLine(text));
  if (spans.every(({ text }, at) => text === texts[at])) return spans;
  return spans.map((part, at) => (part.text === texts[at] ? part : { ...part, text: texts[at] ?? '' }));
}
