import { wrapText } from '#ui/doc/paragraphs.js';

/** The width of the help, on every terminal and in files. */
export const HELP_COLUMNS = 80;

const INDENT = '  ';
const WIDEST_TERM = 20;

/** Terms in a column beside their meanings; a long term has its own line. */
export function formatTerms(
  terms: readonly (readonly [string, string])[],
  width = Math.min(WIDEST_TERM, Math.max(...terms.map(([term]) => term.length))),
): readonly string[] {
  const margin = INDENT + ' '.repeat(width + INDENT.length);
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...others] = wrapText(meaning, HELP_COLUMNS - margin.length);
    const rest = others.map((line) => margin + line);
    return term.length > width
      ? [INDENT + term, margin + first, ...rest]
      : [INDENT + term.padEnd(width) + INDENT + first, ...rest];
  });
}
