import { wrapped } from '#ui/doc/wrapped.js';
import type { Piece, Topic } from './topics.js';

const COLUMNS = 80;
const INDENT = '  ';
const WIDEST_TERM = 20;

/** A topic for a terminal. Nothing of it comes from a session. */
export function topicText({ text }: Topic): string {
  return `${text.map((piece) => linesOf(piece).join('\n')).join('\n\n')}\n`;
}

function linesOf(piece: Piece): readonly string[] {
  if (typeof piece === 'string') return wrapped(piece, COLUMNS);
  return 'terms' in piece ? termLines(piece.terms) : piece.lines.map((line) => INDENT + line);
}

/** Terms in a column, with what they mean beside them; a long term stands on a line of its own. */
export function termLines(terms: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(WIDEST_TERM, Math.max(...terms.map(([term]) => term.length)));
  const margin = INDENT + ' '.repeat(width + INDENT.length);
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...others] = wrapped(meaning, COLUMNS - margin.length);
    const rest = others.map((line) => margin + line);
    return term.length > width
      ? [INDENT + term, margin + first, ...rest]
      : [INDENT + term.padEnd(width) + INDENT + first, ...rest];
  });
}
