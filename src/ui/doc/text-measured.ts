import { type Block, type View } from './doc.js';
import { isNarrow } from './ruler.js';
import { joined } from './text-line.js';

export const INDENT = '  ';

/** The texts that have to be measured. */
export function measured(block: Block, { columns, isTerminal }: View): readonly string[] {
  if (block.kind === 'verbatim') return isTerminal ? block.text.split('\n') : [];
  return columns === Infinity ? padded(block) : lineTexts(block);
}

/** Whether something of a block may not fit into a line, and goes on in the next one. */
export function mayWrap(block: Block, { columns, isTerminal }: View): boolean {
  if (columns === Infinity) return false;
  switch (block.kind) {
    case 'heading':
      return isLonger(block.text, columns);
    case 'line':
      return !block.isCut && isLonger(joined(block.spans), columns);
    case 'bullets':
      return block.items.some((spans) => isLonger(joined(spans), columns - INDENT.length));
    case 'row':
      return block.isProse ?? false;
    case 'table':
      return block.columns.some(({ isProse }) => isProse) || block.rows.some((row) => row.length === 1);
    case 'verbatim':
      return isTerminal === true && block.text.split('\n').some((text) => isLonger(text, columns - INDENT.length));
    case 'bar':
    case 'whole':
    case 'gap':
      return false;
  }
}

/** Whether a text may take more cells than there are; it does if each of its characters takes one. */
export function isLonger(text: string, cells: number): boolean {
  return text.length > cells || (text.length * 2 > cells && !isNarrow(text));
}

/** Without cutting, only cells that are followed by another on their line. */
function padded(block: Block): readonly string[] {
  if (block.kind === 'row') return block.cells.slice(0, -1).map(({ text }) => text);
  if (block.kind !== 'table') return [];
  return block.rows.flatMap((row) => row.filter((_cell, at) => !block.columns[at]?.isFlexible).map(({ text }) => text));
}

function lineTexts(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [block.text];
    case 'line':
      return block.spans.map(({ text }) => text);
    case 'bullets':
      return block.items.flat().map(({ text }) => text);
    case 'row':
      return block.cells.map(({ text }) => text);
    case 'table':
      return block.rows.flat().map(({ text }) => text);
    case 'bar':
      return block.label.map(({ text }) => text);
    case 'whole':
    case 'verbatim':
    case 'gap':
      return [];
  }
}
