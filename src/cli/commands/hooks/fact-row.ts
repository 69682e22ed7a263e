import { type Block, cell, proseRow, type Span, span } from '#ui/doc/doc.js';

/** The longest names of the facts, with two cells of space after them. */
const FACT_CELLS = 'before_request'.length + 2;

/** A row with the name of a fact, and a sentence that wraps below itself. */
export function renderFact(name: string, what: string | Span, cells = FACT_CELLS): Block {
  const { text, tone } = typeof what === 'string' ? span(what) : what;
  return proseRow([cell(''), cell(name, cells, 'faint'), cell(text, 0, tone)]);
}
