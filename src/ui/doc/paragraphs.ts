import type { View } from './define.js';
import { type Doc, gap, line } from './doc.js';

/** An option of a rule or a strategy. */
interface Option {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** Formats an option as one line. */
export function optionWords({ name, type, default: fallback, isRequired, meaning }: Option): string {
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
