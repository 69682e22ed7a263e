import type { Block } from './doc.js';
import type { View } from './renderer.js';
import { isNarrow } from './ruler.js';
import { joinSpans } from './spans.js';
import { INDENT } from './text-line.js';

/** The texts that have to be measured. */
export function listMeasuredTexts(block: Block, view: View): readonly string[] {
  const { columns, isTerminal } = view;
  if (block.kind === 'fold') return listFoldTexts(block, view);
  if (block.kind === 'verbatim') return isTerminal ? block.text.split('\n') : [];
  // A pair wraps, so all of it is measured.
  return block.kind === 'pair' || columns !== Infinity ? listTexts(block) : listPaddedTexts(block);
}

/** Whether something of a block may not fit into a line, and goes on in the next one. */
export function mayWrap(block: Block, view: View): boolean {
  const { columns, isTerminal } = view;
  // Each half of a pair ends somewhere, whatever the width.
  if (columns === Infinity) return block.kind === 'pair';
  switch (block.kind) {
    case 'heading':
      return mayExceed(block.text, columns);
    case 'line':
      return !block.isCut && mayExceed(joinSpans(block.spans), columns);
    case 'bullets':
      return block.items.some((spans) => mayExceed(joinSpans(spans), columns - INDENT.length));
    case 'row':
      return block.isProse ?? false;
    case 'table':
      return block.columns.some(({ isProse }) => isProse) || block.rows.some((row) => row.length === 1);
    case 'verbatim':
      return isTerminal === true && block.text.split('\n').some((text) => mayExceed(text, columns - INDENT.length));
    case 'fold':
      return (
        block.body.length > 0 &&
        (mayExceed(joinSpans(block.summary), columns) || block.body.some((one) => mayWrap(one, view)))
      );
    case 'pair':
      return true;
    case 'bar':
    case 'whole':
    case 'gap':
      return false;
  }
}

/** Whether a text may take more cells than there are; it does if each of its characters takes one. */
export function mayExceed(text: string, cells: number): boolean {
  return text.length > cells || (text.length * 2 > cells && !isNarrow(text));
}

function listFoldTexts({ summary, body }: Extract<Block, { kind: 'fold' }>, view: View): readonly string[] {
  const below = body.flatMap((block) => listMeasuredTexts(block, view));
  return view.columns === Infinity ? below : [...summary.map(({ text }) => text), ...below];
}

/** The texts of cells that another cell follows on their line: without a width, only these are padded. */
function listPaddedTexts(block: Block): readonly string[] {
  if (block.kind === 'row') return block.cells.slice(0, -1).map(({ text }) => text);
  if (block.kind !== 'table') return [];
  return block.rows.flatMap((row) => row.filter((_cell, at) => !block.columns[at]?.isFlexible).map(({ text }) => text));
}

function listTexts(block: Block): readonly string[] {
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
    case 'pair':
      return [...block.left, ...block.right].map(({ text }) => text);
    case 'whole':
    case 'verbatim':
    case 'fold':
    case 'gap':
      return [];
  }
}
