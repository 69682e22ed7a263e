import type { View } from './define.js';
import { type Doc, gap, heading, line } from './doc.js';

/** An option of a rule or a strategy. */
export interface Option {
  readonly name: string;
  readonly type: string;
  /** null if there is none. */
  readonly default: unknown;
  readonly isRequired: boolean;
  /** A sentence of Markdown. */
  readonly meaning: string;
}

/** The options of a rule or a strategy under a heading; nothing without any. */
export function optionsDoc(options: readonly Option[], view: View): Doc {
  if (options.length === 0) return [];
  return [gap, heading(2, 'Options'), ...paragraphs(options.map(optionWords).join('\n'), view)];
}

/** Formats an option as one line. */
function optionWords({ name, type, default: fallback, isRequired, meaning }: Option): string {
  const without = fallback === null ? '' : ` (default: ${JSON.stringify(fallback)})`;
  return `"${name}": ${type}${isRequired ? ' (required)' : without}. ${meaning}`;
}

const LONGEST_LINE = 100;

/** Wraps text at the width of the terminal, and at 100 characters at most. */
export function paragraphs(text: string, { columns, format }: View): Doc {
  const width = format === 'text' ? Math.min(columns, LONGEST_LINE) : Infinity;
  return text
    .split('\n')
    .flatMap((paragraph) => wrapped(paragraph, width).map((part) => (part === '' ? gap : line(part))));
}

/** Wraps a text at spaces, at `columns` characters. A longer word gets a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
